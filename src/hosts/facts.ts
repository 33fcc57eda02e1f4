/** Something that one finds out for all, and for how long it holds. */
export interface Fact {
  readonly text: string;
  readonly forMs: number;
}

/** What a fleet finds out once. */
export interface Facts {
  /** The fact of this key: from whoever found it first, or found now, by one process while the others wait. */
  once(key: string, find: () => Promise<Fact>, signal?: AbortSignal): Promise<Fact>;
}
