import type { WorkQueue } from '../queue/index.ts';
import { count, duration } from './progress.ts';
import { plain } from './terminal.ts';

/** Jobs left in the queue after a run, by reason. */
export interface UnfinishedWork {
  readonly due: number;
  readonly delayed: number;
  /** Jobs waiting for a paused or rate-limited host. */
  readonly hosts: readonly {
    readonly host: string;
    readonly jobs: number;
    readonly why: string;
    readonly forMs: number | null;
  }[];
  readonly paused: readonly string[];
  readonly codes: Readonly<Record<string, number>>;
  readonly nextAt: number | null;
}

/** Summarises the jobs left in a queue. Scans all jobs, so it is called only once, after a run. */
export async function unfinishedWork(
  queue: WorkQueue,
  held: readonly { readonly host: string; readonly heldMs: number | null }[],
): Promise<UnfinishedWork> {
  const { due, delayed, pauses, byErrorCode, nextAvailableAt } = await queue.stats();
  const paused = pauses.map(({ scope, name }) => (scope === 'all' ? 'everything' : `${scope} ${name}`));
  const jobs = due > 0 ? await queue.hosts() : [];
  return {
    due,
    delayed,
    paused,
    hosts: jobs.flatMap((each) => {
      const isPaused = pauses.some(({ scope, name }) => scope === 'host' && name === each.host);
      const hold = held.find(({ host }) => host === each.host);
      if (each.due === 0 || (!isPaused && !hold?.heldMs)) return [];
      const { host, due: waiting } = each;
      return {
        host,
        jobs: waiting,
        why: isPaused ? 'paused' : 'held',
        forMs: isPaused ? null : (hold?.heldMs ?? null),
      };
    }),
    codes: Object.fromEntries(
      byErrorCode.filter(({ state }) => state === 'queued').map(({ code, jobs: times }) => [code, times]),
    ),
    nextAt: nextAvailableAt,
  };
}

/** Formats the summary; empty if no jobs are left. */
export function unfinishedLines({ due, delayed, hosts, paused, codes, nextAt }: UnfinishedWork, now: number): string[] {
  if (due + delayed === 0) return [];
  const reasons = Object.entries(codes).map(([code, times]) => `${code} ${count(times)}`);
  return [
    [
      `left in the queue: ${count(due)} due, ${count(delayed)} delayed`,
      nextAt === null ? '' : `, the next in ${duration(nextAt - now)}`,
      reasons.length > 0 ? ` (${reasons.join(', ')})` : '',
    ].join(''),
    ...hosts.map(({ host, jobs, why, forMs }) =>
      why === 'paused'
        ? `  ${count(jobs)} for ${plain(host)}, which is paused: queue resume --host ${plain(host)}`
        : `  ${count(jobs)} for ${plain(host)}, which is rate-limited${forMs === null ? '' : ` for another ${duration(forMs)}`}`,
    ),
    ...(paused.length > 0 ? [`  paused: ${plain(paused.join(', '))} (queue resume)`] : []),
  ];
}
