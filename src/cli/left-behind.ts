import type { WorkQueue } from '../queue/index.ts';
import { count, duration } from './progress.ts';
import { plain } from './terminal.ts';

/** Jobs that a run left in the queue, and why. */
export interface LeftBehind {
  readonly due: number;
  readonly delayed: number;
  /** Jobs that wait for a host that is paused or rate-limited. */
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

/** What is left in a queue after a run: asked only then, because it looks at every job. */
export async function unfinishedWork(
  queue: WorkQueue,
  held: readonly { readonly host: string; readonly heldMs: number | null }[],
): Promise<LeftBehind> {
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

/** The same in words; nothing where nothing was left. */
export function leftLines({ due, delayed, hosts, paused, codes, nextAt }: LeftBehind, now: number): string[] {
  if (due + delayed === 0) return [];
  const reasons = Object.entries(codes).map(([code, times]) => `${code} ${count(times)}`);
  return [
    [
      `left in the queue: ${count(due)} due, ${count(delayed)} delayed`,
      nextAt === null ? '' : `, the first for another ${duration(nextAt - now)}`,
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
