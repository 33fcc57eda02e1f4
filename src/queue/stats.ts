import type { HostJobs, JobState, QueueStats, WorkerInfo } from './types.ts';
import { JOB_STATES } from './types.ts';

/** A delayed job is queued, but counted separately. */
type CountedState = JobState | 'delayed' | 'retired';

/** State under which removed finished jobs are counted; they also count as finished. */
export const RETIRED = 'retired';

/** An empty text means none. */
export interface Count {
  readonly state: CountedState;
  readonly resolver: string;
  readonly code: string;
  readonly jobs: number;
}

export type StatsParts = Omit<QueueStats, 'states' | 'total' | 'delayed' | 'byResolver' | 'byErrorCode' | 'workers'> & {
  readonly workers: readonly { readonly workerId: string; readonly info: string; readonly updatedAt: number }[];
};

/** Statistics of a queue. `due`: delayed jobs that are due but not made ready yet. */
export function queueStats(all: readonly Count[], { due, workers, ...parts }: StatsParts): QueueStats {
  const counts = all.filter(({ state }) => state !== RETIRED);
  const count = (...states: CountedState[]): number => sum(counts.filter(({ state }) => states.includes(state)));
  const stateOf = ({ state }: Count): JobState => (state === 'delayed' || state === RETIRED ? 'queued' : state);
  return {
    ...parts,
    states: Object.fromEntries(
      JOB_STATES.map((state) => [state, state === 'queued' ? count('queued', 'delayed') : count(state)]),
    ) as Record<JobState, number>,
    total: sum(counts),
    due: count('queued') + due,
    delayed: count('delayed') - due,
    byResolver: group(counts, (row) => ({ resolver: row.resolver || null, state: stateOf(row) })),
    byErrorCode: group(
      counts.filter(({ code }) => code !== ''),
      (row) => ({ code: row.code, state: stateOf(row) }),
    ),
    workers: workers.map(({ workerId, info, updatedAt }) => ({
      ...(JSON.parse(info) as WorkerInfo),
      workerId,
      updatedAt,
    })),
  };
}

export interface HostCount {
  readonly host: string;
  readonly state: CountedState;
  readonly code: string;
  readonly jobs: number;
  readonly nextAvailableAt: number | null;
}

/** Hosts with the most remaining jobs first. */
export function hostJobs(counts: readonly HostCount[]): HostJobs[] {
  const hosts = [...Map.groupBy(counts, ({ host }) => host)].map(([host, rows]): HostJobs => {
    const count = (state: CountedState): number => sum(rows.filter((row) => row.state === state));
    const codes: Record<string, number> = {};
    for (const { code, jobs, state } of rows)
      if (code !== '' && state !== 'done' && state !== 'in_progress') codes[code] = (codes[code] ?? 0) + jobs;
    const next = rows.flatMap(({ nextAvailableAt }) => nextAvailableAt ?? []);
    return {
      host,
      due: count('queued'),
      delayed: count('delayed'),
      inProgress: count('in_progress'),
      done: count('done'),
      skipped: count('skipped'),
      error: count('error'),
      codes,
      nextAvailableAt: next.length > 0 ? Math.min(...next) : null,
    };
  });
  const left = ({ due, delayed, inProgress }: HostJobs): number => due + delayed + inProgress;
  return hosts.toSorted((a, b) => left(b) - left(a) || b.done - a.done || (a.host < b.host ? -1 : 1));
}

function sum(rows: readonly { readonly jobs: number }[]): number {
  return rows.reduce((total, { jobs }) => total + jobs, 0);
}

function group<K extends object>(rows: readonly Count[], key: (row: Count) => K): (K & { readonly jobs: number })[] {
  const groups = Map.groupBy(rows, (row) => JSON.stringify(key(row)));
  return [...groups].map(([text, members]) => ({ ...(JSON.parse(text) as K), jobs: sum(members) }));
}
