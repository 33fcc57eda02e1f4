/** Something that one finds out for all, and for how long it holds. */
export interface Fact {
  readonly text: string;
  readonly forMs: number;
}

/** What a fleet finds out once. */
export interface Facts {
  /**
   * The fact of this key: from whoever found it first, or found now, by one process while the others wait. The signal of
   * `find` is aborted when the process was frozen for so long that another one is finding it by now.
   */
  once(key: string, find: (signal: AbortSignal) => Promise<Fact>, signal?: AbortSignal): Promise<Fact>;
}
