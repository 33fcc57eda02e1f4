import { setTimeout as realSetTimeout, clearTimeout as realClearTimeout } from 'node:timers';

/** Disposing of it cancels the timer. */
export interface Timer extends Disposable {
  /** Lets the process exit while the timer runs. */
  unref(): void;
  /** Keeps the process alive until the timer fires; the default. */
  ref(): void;
}

/**
 * Source of time. `now` is the calendar (epoch milliseconds) and may jump; `monotonic` never goes back and measures
 * durations. Timers follow `monotonic`.
 */
export interface Clock {
  now(): number;
  monotonic(): number;
  setTimer(delayMs: number, fire: () => void): Timer;
}

/** Longer delays overflow Node's timers, which would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

class SystemTimer implements Timer {
  #handle: NodeJS.Timeout;
  #unref = false;

  constructor(delayMs: number, fire: () => void) {
    const deadline = performance.now() + delayMs;
    const arm = (): NodeJS.Timeout => {
      const left = Math.max(0, deadline - performance.now());
      const handle =
        left > LONGEST_TIMER_MS
          ? realSetTimeout(() => (this.#handle = arm()), LONGEST_TIMER_MS)
          : realSetTimeout(fire, left);
      if (this.#unref) handle.unref();
      return handle;
    };
    this.#handle = arm();
  }

  unref(): void {
    this.#unref = true;
    this.#handle.unref();
  }

  ref(): void {
    this.#unref = false;
    this.#handle.ref();
  }

  [Symbol.dispose](): void {
    realClearTimeout(this.#handle);
  }
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: (delayMs, fire) => new SystemTimer(delayMs, fire),
};

/** Resolves after `delayMs` of the clock's time; rejects with the signal's reason when aborted first. */
export function wait(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const timer = clock.setTimer(delayMs, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    const abort = (): void => {
      timer[Symbol.dispose]();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Returns numbers in [0, 1). */
export type Random = () => number;

/** Exponential backoff with equal jitter: half of the delay is fixed, half random. `attempt` counts from 1. */
export function equalJitterDelay(
  attempt: number,
  options: { readonly baseMs: number; readonly capMs: number; readonly random?: Random },
): number {
  const full = doubled(options.baseMs, attempt, options.capMs);
  return full / 2 + (full / 2) * (options.random ?? Math.random)();
}

/** Exponential backoff plus up to `jitterMs` of jitter, capped before the jitter. `attempt` counts from 1. */
export function addedJitterDelay(
  attempt: number,
  options: { readonly baseMs: number; readonly jitterMs: number; readonly capMs: number; readonly random?: Random },
): number {
  return doubled(options.baseMs, attempt, options.capMs) + options.jitterMs * (options.random ?? Math.random)();
}

/** Exponential backoff with jitter in both directions: `spread` 0.25 means ± 25 %. `attempt` counts from 1. */
export function spreadDelay(
  attempt: number,
  options: { readonly baseMs: number; readonly spread: number; readonly capMs: number; readonly random?: Random },
): number {
  const full = doubled(options.baseMs, attempt, options.capMs);
  return full * (1 + options.spread * (2 * (options.random ?? Math.random)() - 1));
}

function doubled(baseMs: number, attempt: number, capMs: number): number {
  // 2 ** 1023 is the largest power of two a double holds.
  return Math.min(capMs, baseMs * 2 ** Math.min(Math.max(0, attempt - 1), 1000));
}
