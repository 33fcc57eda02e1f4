import type { Lane, LaneBacklog } from './types.ts';
import { LANE_COUNT_LIMIT } from './types.ts';

interface Entry extends Lane {
  jobs: number;
  readonly priority: number;
}

/** How many more jobs of a lane can be used now. */
export type Room = (lane: Lane) => number;

/** How many jobs of a lane to begin at once, and how many more to lease ahead. */
export type Pick = Lane & { readonly limit: number; readonly ahead: number };

/**
 * What is known of the queue's lanes between two looks at it, and the choice among them: by priority; then the host with
 * the most work left first, because the longest lane decides when everything is done; lanes whose host is not yet known
 * take turns with those whose host is.
 */
export class LaneBook {
  #hosted: Entry[] = [];
  #open: Entry[] = [];
  #turns = { hosted: 0, open: 0 };

  replace(lanes: readonly LaneBacklog[]): void {
    const entries = lanes.map((lane): Entry => ({ ...lane }));
    const order = (a: Entry, b: Entry): number => b.priority - a.priority || b.jobs - a.jobs;
    this.#hosted = entries.filter(({ host }) => host !== null).sort(order);
    this.#open = entries.filter(({ host }) => host === null).sort(order);
  }

  get size(): number {
    return this.#hosted.length + this.#open.length;
  }

  /** True when all lanes are such. */
  every(such: (lane: Lane) => boolean): boolean {
    return this.#hosted.every(such) && this.#open.every(such);
  }

  /** Which lanes to lease from, and how many, to fill `free` workers and to have `ahead` more at hand. */
  choose({ free, ahead }: { readonly free: number; readonly ahead: number }, room: Room): Pick[] {
    const picks = new Map<Entry, { limit: number; ahead: number }>();
    const rooms = new Map<Entry, number>();
    const roomLeft = (entry: Entry): number => {
      let left = rooms.get(entry);
      if (left === undefined) rooms.set(entry, (left = Math.min(entry.jobs, room(entry))));
      return left;
    };
    for (let left = free + ahead; left > 0;) {
      const hosted = this.#hosted.find((entry) => roomLeft(entry) > 0);
      const open = this.#open.find((entry) => roomLeft(entry) > 0);
      const entry = this.#prefer(hosted, open);
      if (!entry) break;
      // Taking turns matters only where there is somebody to take turns with.
      const take = hosted && open ? 1 : Math.min(left, roomLeft(entry));
      const now = Math.min(take, Math.max(0, left - ahead));
      const pick = picks.get(entry) ?? { limit: 0, ahead: 0 };
      picks.set(entry, { limit: pick.limit + now, ahead: pick.ahead + take - now });
      rooms.set(entry, roomLeft(entry) - take);
      this.#turns[entry.host === null ? 'open' : 'hosted'] += take;
      left -= take;
    }
    if (this.#hosted.length === 0 || this.#open.length === 0) this.#turns = { hosted: 0, open: 0 };
    return [...picks].map(([{ host, resolver }, pick]) => ({ host, resolver, ...pick }));
  }

  /** Records what a lease brought; true when nothing is left of the lane as it was seen. */
  took({ host, resolver, limit, ahead }: Pick, leased: number): boolean {
    const entries = host === null ? this.#open : this.#hosted;
    const at = entries.findIndex((entry) => entry.host === host && entry.resolver === resolver);
    const entry = entries[at];
    if (!entry) return true;
    // A lane that gave less than asked is empty; of one whose jobs were not counted to the end there is no telling.
    if (leased < limit + ahead) entry.jobs = 0;
    else if (entry.jobs < LANE_COUNT_LIMIT) entry.jobs -= leased;
    if (entry.jobs > 0) sink(entries, at);
    else entries.splice(at, 1);
    return entry.jobs <= 0;
  }

  #prefer(hosted: Entry | undefined, open: Entry | undefined): Entry | undefined {
    if (!hosted || !open) return hosted ?? open;
    if (hosted.priority !== open.priority) return hosted.priority > open.priority ? hosted : open;
    return this.#turns.hosted <= this.#turns.open ? hosted : open;
  }
}

/** Moves an entry that became shorter behind those that are now longer. */
function sink(entries: Entry[], at: number): void {
  const entry = entries[at];
  if (!entry) return;
  let to = at;
  for (
    let next = entries[to + 1];
    next && next.priority === entry.priority && next.jobs > entry.jobs;
    next = entries[to + 1]
  ) {
    entries[to] = next;
    to += 1;
  }
  entries[to] = entry;
}
