/** Result of a check: `bad` prevents something from working, `hint` only disables an optional feature. */
export interface Finding {
  readonly area: 'runtime' | 'disk' | 'settings' | 'keys' | 'services';
  readonly name: string;
  readonly state: 'good' | 'hint' | 'bad';
  readonly found: string;
  /** Suggested fix; absent if nothing is wrong. */
  readonly fix?: string;
}
