import type { Lane, LaneBacklog, Pick } from './types.ts';
import { LANE_COUNT_LIMIT } from './types.ts';

interface Entry extends Lane {
  jobs: number;
  readonly priority: number;
}

/**
 * The lanes of a queue as last read, and the choice among them: by priority; then the host with the most jobs left first,
 * because the longest lane decides when everything is done. Lanes with and without a known host take turns.
 */
export class Lanes {
  #hosted: Entry[] = [];
  #open: Entry[] = [];
  #taken = { hosted: 0, open: 0 };

  replace(lanes: readonly LaneBacklog[]): void {
    const entries = lanes
      .map((lane): Entry => ({ ...lane }))
      .sort((a, b) => b.priority - a.priority || b.jobs - a.jobs);
    this.#hosted = entries.filter(({ host }) => host !== null);
    this.#open = entries.filter(({ host }) => host === null);
  }

  get size(): number {
    return this.#hosted.length + this.#open.length;
  }

  every(predicate: (lane: Lane) => boolean): boolean {
    return this.#hosted.every(predicate) && this.#open.every(predicate);
  }

  /** Which lanes to lease from, and how many jobs of each, to fill `free` workers; `room` limits each lane. */
  choose(free: number, room: (lane: Lane) => number): Pick[] {
    const picks = new Map<Entry, number>();
    const rooms = new Map<Entry, number>();
    const roomLeft = (entry: Entry): number => {
      let left = rooms.get(entry);
      if (left === undefined) rooms.set(entry, (left = Math.min(entry.jobs, room(entry))));
      return left;
    };
    for (let left = free; left > 0;) {
      const hosted = this.#hosted.find((entry) => roomLeft(entry) > 0);
      const open = this.#open.find((entry) => roomLeft(entry) > 0);
      const entry = this.#prefer(hosted, open);
      if (!entry) break;
      const take = hosted && open ? 1 : Math.min(left, roomLeft(entry));
      picks.set(entry, (picks.get(entry) ?? 0) + take);
      rooms.set(entry, roomLeft(entry) - take);
      this.#taken[entry.host === null ? 'open' : 'hosted'] += take;
      left -= take;
    }
    if (this.#hosted.length === 0 || this.#open.length === 0) this.#taken = { hosted: 0, open: 0 };
    return [...picks].map(([{ host, resolver }, limit]) => ({ host, resolver, limit }));
  }

  /** Records what a lease brought; true when nothing is left of the lane as it was read. */
  leased({ host, resolver, limit }: Pick, jobs: number): boolean {
    const entries = host === null ? this.#open : this.#hosted;
    const at = entries.findIndex((entry) => entry.host === host && entry.resolver === resolver);
    const entry = entries[at];
    if (!entry) return true;
    // A lane that gave less than asked is empty; one that was not counted to the end may hold any number.
    if (jobs < limit) entry.jobs = 0;
    else if (entry.jobs < LANE_COUNT_LIMIT) entry.jobs -= jobs;
    entries.splice(at, 1);
    if (entry.jobs <= 0) return true;
    const next = entries.findIndex(
      ({ priority, jobs: others }, place) => place >= at && (priority < entry.priority || others <= entry.jobs),
    );
    entries.splice(next === -1 ? entries.length : next, 0, entry);
    return false;
  }

  #prefer(hosted: Entry | undefined, open: Entry | undefined): Entry | undefined {
    if (!hosted || !open) return hosted ?? open;
    if (hosted.priority !== open.priority) return hosted.priority > open.priority ? hosted : open;
    return this.#taken.hosted <= this.#taken.open ? hosted : open;
  }
}

/** Picks of up to `limit` jobs, by priority alone. */
export function firstPicks(lanes: readonly LaneBacklog[], limit: number): Pick[] {
  let left = limit;
  return lanes
    .toSorted((a, b) => b.priority - a.priority)
    .flatMap(({ host, resolver, jobs }) => {
      const take = Math.min(left, jobs);
      left -= take;
      return take > 0 ? [{ host, resolver, limit: take }] : [];
    });
}
