import type { Clock } from './clock.ts';

/** Timers may fire a rounding error early. */
const HAIR_MS = 1e-6;

/**
 * Allows `refillPerSecond` on average and `capacity + burst` at once. Time is monotonic, so calendar jumps do no
 * harm. KeyedLines decides who waits.
 */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #msPerToken: number;
  /** When the bucket is full again; in the past if it is. */
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

  get available(): number {
    return this.#most - Math.max(0, this.#fullAt - this.#clock.monotonic()) / this.#msPerToken;
  }

  /** Takes the amount and returns 0, or takes nothing and returns the milliseconds to wait. */
  consume(amount = 1): number {
    const waitMs = this.waitMs(amount);
    if (waitMs > HAIR_MS) return waitMs;
    this.spend(amount);
    return 0;
  }

  /** Milliseconds until the amount can be taken; 0 for now. */
  waitMs(amount = 1, now = this.#clock.monotonic()): number {
    const missing = amount - this.#most;
    return Math.max(0, Math.max(this.#fullAt, now) - now + (missing === 0 ? 0 : missing * this.#msPerToken));
  }

  /** Takes the amount even if that makes later callers wait longer. */
  spend(amount = 1, now = this.#clock.monotonic()): void {
    this.#fullAt = Math.max(this.#fullAt, now) + amount * this.#msPerToken;
  }

  /** Returns what was taken but not used. */
  refund(amount = 1): void {
    this.#fullAt = Math.max(this.#clock.monotonic(), this.#fullAt - amount * this.#msPerToken);
  }

  isFull(now = this.#clock.monotonic()): boolean {
    return this.#fullAt <= now;
  }
}
