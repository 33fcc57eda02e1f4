/** Work sent ahead to a busy worker, in time: enough that one message serves several small items, too little to matter. */
const AHEAD_MS = 16;
const DEEPEST = 64;
/** How fast the estimate follows: about the last sixteen items. */
const WEIGHT = 1 / 16;

/**
 * How many items a cpu worker may hold, its running one included. Items of microseconds need dozens on their way or
 * the worker waits for mail; items of seconds need none, and every item sent ahead is one that an idle worker cannot take.
 */
export class Depth {
  #averageMs: number | undefined;
  readonly #most: number;

  /** `most` bounds what a user's `maxQueue` leaves to each worker. */
  constructor(most: number) {
    this.#most = Math.min(DEEPEST, Math.max(1, most));
  }

  learn(durationMs: number): void {
    this.#averageMs =
      this.#averageMs === undefined ? durationMs : this.#averageMs + (durationMs - this.#averageMs) * WEIGHT;
  }

  get value(): number {
    if (this.#averageMs === undefined) return 1;
    return Math.min(this.#most, 1 + Math.floor(AHEAD_MS / Math.max(this.#averageMs, 0.001)));
  }
}
