import type { Clock, Timer } from './clock.ts';
import { AppError } from './errors.ts';

interface Waiter {
  readonly amount: number;
  readonly grant: () => void;
}

/**
 * Allows `refillPerSecond` on average and at most `capacity + burst` at once. Time is monotonic, so a calendar that
 * jumps neither stalls nor floods; those who wait are served in order of arrival.
 */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #refillPerMs: number;
  readonly #waiters = new Set<Waiter>();
  #tokens: number;
  #filledAt: number;
  #timer: Timer | undefined;

  constructor(options: {
    readonly clock: Clock;
    readonly capacity: number;
    readonly refillPerSecond: number;
    readonly burst?: number;
  }) {
    this.#clock = options.clock;
    this.#most = options.capacity + (options.burst ?? 0);
    this.#refillPerMs = options.refillPerSecond / 1000;
    this.#tokens = this.#most;
    this.#filledAt = options.clock.monotonic();
  }

  /** What could be consumed now. */
  get available(): number {
    this.#refill();
    return this.#tokens;
  }

  /** Takes the amount and answers 0, or takes nothing and answers how many milliseconds to wait before trying again. */
  consume(amount = 1): number {
    this.#refill();
    if (this.#waiters.size > 0 || this.#tokens < amount) return Math.max(this.#msUntil(amount), Number.EPSILON);
    this.#tokens -= amount;
    return 0;
  }

  /** Gives back what was consumed but not used. */
  refund(amount = 1): void {
    this.#refill();
    this.#tokens = Math.min(this.#most, this.#tokens + amount);
    this.#serve();
  }

  /** Waits for its turn and takes the amount; answers the milliseconds it waited. */
  async take(amount = 1, signal?: AbortSignal): Promise<number> {
    if (amount > this.#most) {
      throw new AppError('RATE_AMOUNT_TOO_LARGE', `${amount} tokens never fit a bucket of ${this.#most}`, {
        hint: 'raise the capacity or the burst, or ask for less at once',
      });
    }
    signal?.throwIfAborted();
    if (this.consume(amount) === 0) return 0;
    const startedAt = this.#clock.monotonic();
    await new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        amount,
        grant: () => {
          signal?.removeEventListener('abort', abandon);
          resolve();
        },
      };
      const abandon = (): void => {
        this.#waiters.delete(waiter);
        this.#serve();
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', abandon, { once: true });
      this.#waiters.add(waiter);
      this.#serve();
    });
    return this.#clock.monotonic() - startedAt;
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#most, this.#tokens + (now - this.#filledAt) * this.#refillPerMs);
    this.#filledAt = now;
  }

  #msUntil(amount: number): number {
    const missing = amount - this.#tokens;
    if (missing <= 0) return 0;
    return this.#refillPerMs > 0 ? missing / this.#refillPerMs : Infinity;
  }

  #serve(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#refill();
    for (const waiter of this.#waiters) {
      // A hair of tolerance: the timer may fire a rounding error before the last token is whole.
      if (this.#tokens < waiter.amount - 1e-9) {
        const delayMs = this.#msUntil(waiter.amount);
        if (delayMs !== Infinity) this.#timer = this.#clock.setTimer(delayMs, () => this.#serve());
        return;
      }
      this.#tokens -= waiter.amount;
      this.#waiters.delete(waiter);
      waiter.grant();
    }
  }
}
