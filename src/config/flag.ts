/** Commands, or parts of several, that take options for settings. */
export type FlagPlace =
  | 'download'
  | 'queue-run'
  | 'stage'
  | 'doctags'
  | 'chunk'
  | 'embed'
  | 'format'
  | 'data-root'
  | 'serve'
  | 'claims'
  | 'graph-build';

/** An option of the command line that sets a key: how it is written, and where it is taken. */
export interface Flag {
  readonly option: string;
  readonly at: FlagPlace;
}

/** Metadata of a key that can be set on the command line. */
export function flag(option: string, ...places: FlagPlace[]): { readonly flags: readonly Flag[] } {
  return { flags: places.map((at) => ({ option, at })) };
}
