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
  /** Longest delay, before jitter is added. */
  readonly capMs: number;
  readonly random?: Random | undefined;
}

/** Exponential backoff with equal jitter: half of the delay is fixed, half random. `attempt` counts from 1. */
export function equalJitterDelay(attempt: number, { random = Math.random, ...backoff }: Backoff): number {
  return doubled(attempt, backoff) * (0.5 + random() / 2);
}

/** Exponential backoff plus up to `jitterMs` of jitter. */
export function addedJitterDelay(
  attempt: number,
  { random = Math.random, jitterMs, ...backoff }: Backoff & { readonly jitterMs: number },
): number {
  return doubled(attempt, backoff) + jitterMs * random();
}

/** Exponential backoff with jitter in both directions: `spread` 0.25 means ± 25 %. */
export function spreadDelay(
  attempt: number,
  { random = Math.random, spread, ...backoff }: Backoff & { readonly spread: number },
): number {
  return doubled(attempt, backoff) * (1 + spread * (2 * random() - 1));
}

function doubled(attempt: number, { baseMs, capMs }: Backoff): number {
  // 2 ** 1023 is the largest power of two a double holds.
  return Math.min(capMs, baseMs * 2 ** Math.min(Math.max(0, attempt - 1), 1000));
}
