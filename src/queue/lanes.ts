import type { Admission } from '../hosts/index.ts';
import { resolverKey } from '../hosts/index.ts';
import type { OrchestratorOptions } from './options.ts';
import type { Lane, LaneBacklog, LanePick, LeasedJob, Pause } from './types.ts';
import { LANE_COUNT_LIMIT } from './types.ts';

interface Entry extends Lane {
  jobs: number;
  readonly priority: number;
}

/**
 * Chooses lanes by priority, then by jobs left, because the longest lane decides when everything is done. Lanes with
 * and without a known host take turns.
 */
export class Lanes {
  #entries: Entry[] = [];
  #taken = { hosted: 0, open: 0 };

  replace(lanes: readonly LaneBacklog[]): void {
    this.#entries = lanes.map((lane) => ({ ...lane }));
    this.#sort();
  }

  get size(): number {
    return this.#entries.length;
  }

  every(predicate: (lane: Lane) => boolean): boolean {
    return this.#entries.every(predicate);
  }

  /** How many jobs to lease from which lanes to fill `free` workers. */
  choose(free: number, room: (lane: Lane) => number): LanePick[] {
    const hostedLanes = this.#entries.filter(({ host }) => host !== null);
    const openLanes = this.#entries.filter(({ host }) => host === null);
    const picks = new Map<Entry, number>();
    const rooms = new Map<Entry, number>();
    const roomLeft = (entry: Entry): number => {
      let left = rooms.get(entry);
      if (left === undefined) rooms.set(entry, (left = Math.min(entry.jobs, room(entry))));
      return left;
    };
    for (let left = free; left > 0;) {
      const hosted = hostedLanes.find((entry) => roomLeft(entry) > 0);
      const open = openLanes.find((entry) => roomLeft(entry) > 0);
      const entry = this.#prefer(hosted, open);
      if (!entry) break;
      const take = hosted && open ? 1 : Math.min(left, roomLeft(entry));
      picks.set(entry, (picks.get(entry) ?? 0) + take);
      rooms.set(entry, roomLeft(entry) - take);
      this.#taken[entry.host === null ? 'open' : 'hosted'] += take;
      left -= take;
    }
    if (hostedLanes.length === 0 || openLanes.length === 0) this.#taken = { hosted: 0, open: 0 };
    return [...picks].map(([{ host, resolver }, limit]) => ({ host, resolver, limit }));
  }

  /** Records what was leased; true if the lane has no jobs left. */
  leased({ host, resolver, limit }: LanePick, jobs: number): boolean {
    const at = this.#entries.findIndex((entry) => entry.host === host && entry.resolver === resolver);
    const entry = this.#entries[at];
    if (!entry) return true;
    // A lane that returned fewer jobs than asked is empty; one that was not fully counted may hold more.
    if (jobs < limit) entry.jobs = 0;
    else if (entry.jobs < LANE_COUNT_LIMIT) entry.jobs -= jobs;
    if (entry.jobs <= 0) this.#entries.splice(at, 1);
    else this.#sort();
    return entry.jobs <= 0;
  }

  #sort(): void {
    this.#entries.sort((a, b) => b.priority - a.priority || b.jobs - a.jobs);
  }

  #prefer(hosted: Entry | undefined, open: Entry | undefined): Entry | undefined {
    if (!hosted || !open) return hosted ?? open;
    if (hosted.priority !== open.priority) return hosted.priority > open.priority ? hosted : open;
    return this.#taken.hosted <= this.#taken.open ? hosted : open;
  }
}

/** Picks of up to `limit` jobs, by priority alone. */
export function firstPicks(lanes: readonly LaneBacklog[], limit: number): LanePick[] {
  let left = limit;
  return lanes
    .toSorted((a, b) => b.priority - a.priority)
    .flatMap(({ host, resolver, jobs }) => {
      const take = Math.min(left, jobs);
      left -= take;
      return take > 0 ? [{ host, resolver, limit: take }] : [];
    });
}

/** How many more jobs of a lane could download now, given the hosts' limits and the jobs already leased for them. */
export class HostRoom {
  readonly #admission: Admission;
  readonly #options: OrchestratorOptions;
  /** Jobs leased for a host or resolver that have not requested its slot yet. */
  readonly #expected = new Map<string, number>();
  #paused = new Set<string>();

  constructor(admission: Admission, options: OrchestratorOptions) {
    this.#admission = admission;
    this.#options = options;
  }

  /**
   * Slots that are free and not expected to be used. A busy host gets `readyPerHost` extra jobs; not while it is held,
   * and not when half of the parking places are taken: jobs that learn their host only while running need some.
   */
  of({ host, resolver }: Lane, parked: number): number {
    let room = Infinity;
    if (host !== null) {
      const keys = this.#keys(host);
      room = this.#admission.room(keys) - this.#expectedAt(host);
      const { readyPerHost: ready, maxParked } = this.#options;
      if (room <= 0 && ready > 0 && parked < maxParked / 2 && this.#admission.held(keys) === null) room += ready;
    }
    if (resolver === null || room <= 0) return room;
    const key = resolverKey(resolver);
    return Math.min(room, this.#admission.room([key]) - this.#expectedAt(key));
  }

  /** Like `of`, for a lane whose host is held too long to wait for: its jobs may have other URLs. */
  elsewhere(lane: Lane): number {
    if (!this.isHeldLong(lane) || this.isPaused(lane)) return 0;
    return this.#options.maxPerHost - this.#expectedAt(lane.host ?? '');
  }

  /** A job was leased (1), or has requested its slots or ended (-1). */
  expect({ host, resolverHint }: Pick<LeasedJob, 'host' | 'resolverHint'>, change: 1 | -1): void {
    for (const key of [host, resolverHint === null ? null : resolverKey(resolverHint)]) {
      if (key === null) continue;
      const jobs = this.#expectedAt(key) + change;
      if (jobs > 0) this.#expected.set(key, jobs);
      else this.#expected.delete(key);
    }
  }

  applyPauses(pauses: readonly Pause[]): void {
    const keys = new Set(
      pauses.flatMap(({ scope, name }) => (scope === 'host' ? name : scope === 'resolver' ? resolverKey(name) : [])),
    );
    for (const key of this.#paused.difference(keys)) this.#admission.hold(key, null);
    for (const key of keys.difference(this.#paused)) this.#admission.hold(key, { at: Infinity, reason: 'paused' });
    this.#paused = keys;
  }

  isPaused({ host, resolver }: Lane): boolean {
    return (host !== null && this.#paused.has(host)) || (resolver !== null && this.#paused.has(resolverKey(resolver)));
  }

  isHeldLong({ host }: Lane): boolean {
    const hold = host === null ? null : this.#admission.held(this.#keys(host));
    return hold !== null && hold.leftMs > this.#options.patienceMs;
  }

  #expectedAt(key: string): number {
    return this.#expected.get(key) ?? 0;
  }

  #keys(host: string): readonly string[] {
    return this.#admission.table.keysOf(host, { obeysRobots: true });
  }
}
