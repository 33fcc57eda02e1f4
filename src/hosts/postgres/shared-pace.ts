import type { Pace } from '../allowance.ts';

/** A turn may be used this share of the pause too late; the margin of every rate is at least that. */
export const LATE_SHARE = 0.03;
/** Turns are reserved this far ahead at most: what a process does not come to use is lost to the others. */
const AHEAD_MS = 2_000;
const MOST_TURNS = 16;
const GROUPS_TAKEN = 3;

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
function groupOf(intervalMs: number, jitterMs: number): number {
  return intervalMs === 0 ? 1 : Math.max(1, Math.floor(jitterMs / 4 / intervalMs));
}

/** How many turns may be reserved at once. */
export function mostAhead({ intervalMs, from }: Pace): number {
  return from === 'answer' ? 1 : Math.min(MOST_TURNS, Math.max(1, Math.floor(AHEAD_MS / (intervalMs || 1))));
}

/** Less than a group of turns is left, where they go by the group. */
export function runsLow({ intervalMs }: Pace, jitterMs: number, have: number): boolean {
  const group = groupOf(intervalMs, jitterMs);
  return group > 1 && have < group;
}

/** How many turns to reserve: of groups some together, and more before they are used up, so that nobody waits for them. */
export function turnsLacking(
  pace: Pace,
  jitterMs: number,
  { have, wanted, isBusy }: { readonly have: number; readonly wanted: number; readonly isBusy: boolean },
): number {
  const isRefill = runsLow(pace, jitterMs, have) && (isBusy || wanted > 0);
  if (wanted <= have && !isRefill) return 0;
  const most = isRefill ? Math.max(wanted, GROUPS_TAKEN * groupOf(pace.intervalMs, jitterMs)) : wanted;
  return Math.max(0, Math.min(most, mostAhead(pace)) - have);
}
