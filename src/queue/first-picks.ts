import type { Pick } from './lane-book.ts';
import type { LaneBacklog } from './types.ts';

/** Picks of up to `limit` jobs, by priority alone: for those who have no hosts to think of. */
export function firstPicks(lanes: readonly LaneBacklog[], limit: number): Pick[] {
  let left = limit;
  return lanes
    .toSorted((a, b) => b.priority - a.priority)
    .flatMap(({ host, resolver, jobs }) => {
      const take = Math.min(left, jobs);
      left -= take;
      return take > 0 ? [{ host, resolver, limit: take, ahead: 0 }] : [];
    });
}
