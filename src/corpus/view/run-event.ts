/** Something that happened in a run, in words for a person. */
export interface RunEvent {
  /** ISO 8601, by the clock of the run. */
  readonly at: string;
  readonly kind: 'work' | 'stage' | 'host';
  readonly level: 'info' | 'warn' | 'error';
  readonly text: string;
  readonly work: string | null;
  readonly document: string | null;
  readonly host: string | null;
  readonly reason: string | null;
}
