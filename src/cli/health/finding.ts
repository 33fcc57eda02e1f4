/** What a check of the surroundings found. `bad` keeps something from working at all, `hint` leaves something out. */
export interface Finding {
  readonly area: 'runtime' | 'disk' | 'settings' | 'keys' | 'services';
  readonly name: string;
  readonly state: 'good' | 'hint' | 'bad';
  readonly found: string;
  /** What to do about it; absent where nothing is wrong. */
  readonly fix?: string;
}
