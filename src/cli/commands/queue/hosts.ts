import type { Config } from '../../../config/index.ts';
import { hostsNow } from '../../../harvest/index.ts';
import type { HostOverview, WorkQueue } from '../../../queue/index.ts';
import { hostJson, isoTime } from '../../../queue/index.ts';
import { count, duration } from '../../progress.ts';
import type { Session } from '../../session.ts';
import { plain, table } from '../../terminal.ts';

/** Prints every host, or one. Loads the rules of every service, which no other queue command needs. */
export async function showHosts(
  queue: WorkQueue,
  config: Config,
  session: Session,
  one: string | undefined,
  before: string,
): Promise<void> {
  const hosts = (await hostsNow(config, queue)).filter(({ name }) => one === undefined || name === one);
  session.print(
    hosts.map((host) => {
      const { nextAvailableAt, inProgress, ...jobs } = host.jobs ?? { nextAvailableAt: null, inProgress: 0 };
      const counts = { ...jobs, in_progress: inProgress, next_available_at: isoTime(nextAvailableAt) };
      return { name: host.name, ...hostJson(host), done: host.done, failed: host.failed, jobs: host.jobs && counts };
    }),
    () => `${before}${hostTable(hosts, session)}`,
  );
}

function hostTable(hosts: readonly HostOverview[], session: Session): string {
  if (hosts.length === 0) return 'no active, rate-limited or queued hosts';
  const now = session.clock.now();
  const rows = hosts.map((host) => {
    const { kind, name, cap, perSecond, slowed, inFlight, waiting, nextAt, done, failed, jobs } = host;
    return [
      `${kind === 'host' ? '' : `${kind} `}${plain(name)}`,
      `${count(inFlight)}${cap === null ? '' : ` of ${count(cap)}`}${waiting > 0 ? `, ${count(waiting)} waiting` : ''}`,
      `${perSecond === null ? 'any' : rate(perSecond)}${slowed ? ' slowed' : ''}`,
      nextAt === null ? 'now' : `in ${duration(nextAt - now)}`,
      holdText(host, now),
      count(done),
      failedText(failed),
      jobs === null ? '' : jobsText(jobs),
    ];
  });
  return table(rows, ['host', 'in flight', 'per second', 'next', 'held', 'done', 'failed', 'jobs']);
}

function rate(perSecond: number): string {
  return Number(perSecond.toPrecision(3)).toString();
}

function holdText({ hold }: HostOverview, now: number): string {
  if (hold === null) return '';
  if (hold.reason === 'paused') return 'paused';
  return `${hold.until === null ? '' : `${duration(hold.until - now)}, `}${hold.reason}`;
}

function failedText(failed: Readonly<Record<string, number>>): string {
  const reasons = Object.entries(failed).toSorted(([, a], [, b]) => b - a);
  const shown = reasons.slice(0, 3).map(([why, times]) => `${plain(why)} ${count(times)}`);
  return [...shown, ...(reasons.length > 3 ? ['…'] : [])].join(', ');
}

function jobsText({ due, delayed, inProgress, done, skipped, error }: NonNullable<HostOverview['jobs']>): string {
  const parts = [
    [inProgress, 'running'],
    [due, 'queued'],
    [delayed, 'delayed'],
    [done, 'done'],
    [skipped, 'skipped'],
    [error, 'failed'],
  ] as const;
  return parts.flatMap(([jobs, what]) => (jobs > 0 ? `${count(jobs)} ${what}` : [])).join(', ');
}
