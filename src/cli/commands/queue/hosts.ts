import { Command } from 'commander';

import type { HostOverview } from '../../../queue/index.ts';
import { count, duration } from '../../progress.ts';
import type { Session } from '../../session.ts';
import { plain, table } from '../../terminal.ts';
import { isoTime, queueOptions, showRepeatedly, withQueue } from './shared.ts';

export function hostsCommand(): Command {
  return queueOptions(new Command('hosts'))
    .description('show limits, requests in flight and rate limits for every host and service')
    .option('--host <host>', 'only this host, service or resolver')
    .option('--watch', 'refresh every second until Ctrl-C')
    .addHelpText(
      'after',
      `
in flight     requests in flight, and the limit
per second    maximum request rate; "slowed" if the host asked for less
next          when the next request can start
done, failed  requests of active workers; failures by reason
jobs          queued jobs expected to use this host

Examples:
  contentdownload queue hosts
  contentdownload queue hosts --host arxiv.org --json
`,
    )
    .action(async (options: { host?: string; watch?: boolean }, self: Command) => {
      await withQueue(self, async (queue, session, { config }) => {
        // Loads the rules of every service, which no other queue command needs.
        const { hostsNow } = await import('../../../harvest/index.ts');
        const show = async (before: string): Promise<void> => {
          const hosts = (await hostsNow(config, queue)).filter(
            ({ name }) => options.host === undefined || name === options.host.toLowerCase(),
          );
          session.print(hosts.map(hostJson), () => `${before}${hostTable(hosts, session)}`);
        };
        await showRepeatedly(session, options.watch, show);
      });
    });
}

function hostJson(host: HostOverview): Record<string, unknown> {
  const { kind, name, cap, perSecond, slowed, inFlight, waiting, nextAt, hold, done, failed, budgetLeft, jobs } = host;
  return {
    kind,
    name,
    cap,
    per_second: perSecond,
    slowed,
    in_flight: inFlight,
    waiting,
    next_at: isoTime(nextAt),
    held_until: isoTime(hold?.until),
    held_why: hold?.reason ?? null,
    done,
    failed,
    budget_left: budgetLeft,
    jobs: jobs && {
      due: jobs.due,
      delayed: jobs.delayed,
      in_progress: jobs.inProgress,
      done: jobs.done,
      skipped: jobs.skipped,
      error: jobs.error,
      codes: jobs.codes,
      next_available_at: isoTime(jobs.nextAvailableAt),
    },
  };
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
