import { setTimeout as realSetTimeout, clearTimeout as realClearTimeout } from 'node:timers';

/** A timer that was set; disposing of it cancels it. */
export interface Timer extends Disposable {
  /** Lets the process end although the timer still runs. */
  unref(): void;
  /** Keeps the process from ending before the timer has; every timer does so until told otherwise. */
  ref(): void;
}

/**
 * Where time comes from. `now` is the calendar (epoch milliseconds) and may jump; `monotonic` never
 * goes back and is what durations are measured with. Timers follow the monotonic clock.
 */
export interface Clock {
  now(): number;
  monotonic(): number;
  setTimer(delayMs: number, fire: () => void): Timer;
}

/** Longer waits overflow Node's timers and would fire at once. */
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

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: (delayMs, fire) => new SystemTimer(delayMs, fire),
};

/**
 * A clock on which time passes faster: with scale 0.05, twenty seconds pass on it in one real second. Whoever waits,
 * paces or times out by it keeps every proportion; it is how a client follows a simulator's shortened time.
 */
export function scaledClock(clock: Clock, scale: number): Clock {
  const startedAt = clock.now();
  const startedMonotonic = clock.monotonic();
  const elapsed = (): number => (clock.monotonic() - startedMonotonic) / scale;
  return {
    now: () => startedAt + elapsed(),
    monotonic: () => startedMonotonic + elapsed(),
    setTimer: (delayMs, fire) => clock.setTimer(delayMs * scale, fire),
  };
}

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
