import type { CorpusStore } from '../store/index.ts';

/** A run's requests to a host. Times are ISO 8601. */
export interface HostFigures {
  readonly host: string;
  readonly requests: number;
  readonly refused: number;
  readonly failed: number;
  readonly cap: number;
  readonly lastAt: string;
  readonly heldUntil: string | null;
  readonly heldWhy: 'rate-limited' | 'host-held' | null;
}

/** Requests to a host in one interval. */
export interface HostSlice {
  readonly row: number;
  readonly host: string;
  readonly at: string;
  readonly ms: number;
  readonly sent: number;
  readonly refused: number;
  readonly failed: number;
  readonly bytes: number;
  readonly waited_ms: number;
  readonly most: number;
  readonly cap: number;
  readonly asked_until: string | null;
  readonly held_until: string | null;
}

/** The hosts of a run, most requests first. */
export function hostFigures(store: CorpusStore): HostFigures[] {
  return store.all(
    `select host, requests, refused, failed, cap, last_at as lastAt, held_until as heldUntil, held_why as heldWhy
     from hosts order by requests desc, host limit 20000`,
  );
}

/** Every interval, in log order. */
export function hostSlices(store: CorpusStore): IterableIterator<HostSlice> {
  return store.iterate("select * from host_slices where host <> '' order by row");
}

/** Real seconds per second of the last run; below 1 for a simulated web. */
export function timeScale(store: CorpusStore): number {
  const sql = 'select time_scale as scale from host_slices where time_scale is not null order by row desc limit 1';
  return store.get<{ scale: number }>(sql)?.scale ?? 1;
}

/** Intervals after a row in which a host's delay grew. */
export function newHolds(store: CorpusStore, after: number): HostSlice[] {
  return store.all(
    `select * from host_slices as slice where row > ? and (asked_until is not null or held_until is not null)
       and not exists (select 1 from host_slices as before where before.host = slice.host and before.row < slice.row
         and (before.asked_until is not null or before.held_until is not null)
         and coalesce(before.held_until, before.asked_until) >= coalesce(slice.held_until, slice.asked_until))
     order by row`,
    after,
  );
}
