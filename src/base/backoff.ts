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
