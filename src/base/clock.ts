export interface Timer extends Disposable {
  unref(): void;
  ref(): void;
}

export interface Clock {
  /** Epoch milliseconds; may jump. */
  now(): number;
  /** Milliseconds for durations; never goes back. Timers follow it. */
  monotonic(): number;
  setTimer(delayMs: number, fire: () => void): Timer;
}

/** 24 days. Longer delays overflow Node's timers, which would fire at once; such a timer fires early instead. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: (delayMs, fire) => setTimeout(fire, Math.min(delayMs, LONGEST_TIMER_MS)),
};

/** Resolves after `delayMs` of the clock's time; rejects with the signal's reason when aborted first. */
export async function wait(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = (): void => reject(signal?.reason as Error);
  signal?.addEventListener('abort', abort, { once: true });
  using _timer = clock.setTimer(delayMs, resolve);
  await promise.finally(() => signal?.removeEventListener('abort', abort));
}

/** Returns numbers in [0, 1). */
export type Random = () => number;

interface Backoff {
  readonly baseMs: number;
  /** Longest delay, before jitter. */
  readonly capMs: number;
  /** Up to this much is added at random. By default half of the delay is fixed and half is random. */
  readonly jitterMs?: number | undefined;
  readonly random?: Random | undefined;
}

/** The delay before the next attempt of anything that failed: doubles each time. `attempt` counts from 1. */
export function backoffDelay(attempt: number, { baseMs, capMs, jitterMs, random = Math.random }: Backoff): number {
  // 2 ** 1023 is the largest power of two a double holds.
  const delayMs = Math.min(capMs, baseMs * 2 ** Math.min(Math.max(0, attempt - 1), 1000));
  return jitterMs === undefined ? delayMs * (0.5 + random() / 2) : delayMs + jitterMs * random();
}
