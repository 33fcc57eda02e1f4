import type { Clock } from './clock.ts';

/** A timer may fire a rounding error before its moment. */
const HAIR_MS = 1e-6;

/**
 * Allows `refillPerSecond` on average and at most `capacity + burst` at once. Time is monotonic, so a calendar that
 * jumps neither stalls nor floods. Who waits, and in which order, is for KeyedLines.
 */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #msPerToken: number;
  /** When the bucket is full again; in the past while it is. */
  #fullAt = -Infinity;

  constructor(options: {
    readonly clock: Clock;
    readonly capacity: number;
    readonly refillPerSecond: number;
    readonly burst?: number;
  }) {
    this.#clock = options.clock;
    this.#most = options.capacity + (options.burst ?? 0);
    this.#msPerToken = 1000 / options.refillPerSecond;
  }

  /** What could be consumed now. */
  get available(): number {
    return this.#most - Math.max(0, this.#fullAt - this.#clock.monotonic()) / this.#msPerToken;
  }

  /** Takes the amount and returns 0, or takes nothing and returns how many milliseconds to wait before trying again. */
  consume(amount = 1): number {
    const waitMs = this.waitMs(amount);
    if (waitMs > HAIR_MS) return waitMs;
    this.spend(amount);
    return 0;
  }

  /** How long until the amount can be consumed; 0 for now. */
  waitMs(amount = 1, now = this.#clock.monotonic()): number {
    const missing = amount - this.#most;
    return Math.max(0, Math.max(this.#fullAt, now) - now + (missing === 0 ? 0 : missing * this.#msPerToken));
  }

  /** Takes the amount whether it is there or not: those after it wait the longer. */
  spend(amount = 1, now = this.#clock.monotonic()): void {
    this.#fullAt = Math.max(this.#fullAt, now) + amount * this.#msPerToken;
  }

  /** Gives back what was consumed but not used. */
  refund(amount = 1): void {
    this.#fullAt = Math.max(this.#clock.monotonic(), this.#fullAt - amount * this.#msPerToken);
  }

  isFull(now = this.#clock.monotonic()): boolean {
    return this.#fullAt <= now;
  }
}
