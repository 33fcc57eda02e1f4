import type { HostJobs, JobState } from './types.ts';

/** How many jobs of a host are in a state, for one code. */
export interface HostGroup {
  readonly host: string;
  readonly state: JobState | 'delayed';
  readonly code: string;
  readonly jobs: number;
  readonly nextAvailableAt: number | null;
}

/** Counts by state and code, gathered by host; those with most to do first. */
export function hostJobsOf(groups: readonly HostGroup[]): HostJobs[] {
  const hosts = [...Map.groupBy(groups, ({ host }) => host)].map(([host, rows]): HostJobs => {
    const count = (state: HostGroup['state']): number =>
      rows.filter((row) => row.state === state).reduce((sum, { jobs }) => sum + jobs, 0);
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
