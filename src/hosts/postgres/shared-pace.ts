import type { Pace } from '../allowance.ts';

/** A turn may be used this share of the pause too late; the margin of every rate is at least that. */
export const LATE_SHARE = 0.03;

/**
 * A pace as a fleet keeps it: turns stand so far apart that one which is used as late as it may be keeps its distance from
 * the next; pauses of a few milliseconds, which no timer keeps, are kept by the group, and none of it is ever too late.
 */
export function sharedPace(pace: Pace, { margin, jitterMs }: { margin: number; jitterMs: number }): Pace {
  const isSpread = pace.from === 'request' && margin < LATE_SHARE;
  const intervalMs = isSpread ? (pace.intervalMs * (1 + LATE_SHARE)) / (1 + margin) : pace.intervalMs;
  return { ...pace, intervalMs, burst: Math.max(pace.burst, groupOf(intervalMs, jitterMs)) };
}

/** How many go together where pauses are shorter than a quarter of what timers of a busy process are late. */
export function groupOf(intervalMs: number, jitterMs: number): number {
  return intervalMs === 0 ? 1 : Math.max(1, Math.floor(jitterMs / 4 / intervalMs));
}
