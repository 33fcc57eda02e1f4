import { Command, Option } from 'commander';

import type { QueueOverview, QueueStats, SlowedHost } from '../../../queue/kept/index.ts';
import { JOB_STATES, overviewOf, queueJson, RateMeter } from '../../../queue/kept/index.ts';
import { count, duration } from '../../progress.ts';
import type { Session } from '../../session.ts';
import { plain, table } from '../../terminal.ts';
import { queueOptions, showRepeatedly, withQueue } from './shared.ts';

interface StatsOptions {
  readonly format: 'json' | 'table';
  readonly hosts?: string | true;
  readonly watch?: boolean;
}

export function statsCommand(): Command {
  return queueOptions(new Command('stats'))
    .description('show jobs by state and reason, throughput and active workers')
    .addOption(new Option('--format <format>', 'output format').choices(['json', 'table']).default('table'))
    .option('--hosts [host]', 'show limits, requests in flight and rate limits of hosts and services, or of one')
    .option('--watch', 'refresh every second until Ctrl-C')
    .addHelpText(
      'after',
      `
Columns of --hosts:
  in flight     requests in flight, and the limit
  per second    maximum request rate; "slowed" if the host asked for less
  next          when the next request can start
  done, failed  requests of active workers; failures by reason
  jobs          queued jobs expected to use this host

Examples:
  contentdownload queue stats --watch
  contentdownload queue stats --hosts arxiv.org --json
`,
    )
    .action(async (options: StatsOptions, self: Command) => {
      await withQueue(self, async (queue, session, { config }) => {
        if (options.hosts !== undefined) {
          const { showHosts } = await import('./hosts.ts');
          const one = options.hosts === true ? undefined : options.hosts.toLowerCase();
          return await showRepeatedly(session, options.watch, (before) =>
            showHosts(queue, config, session, one, before),
          );
        }
        const json = session.json || options.format === 'json';
        const meter = new RateMeter();
        const show = async (before: string): Promise<void> => {
          const stats = await queue.stats();
          const { done, skipped, error } = stats.states;
          meter.note(done + skipped + error, stats.at);
          const overview = overviewOf(stats, { perSecond: meter.perSecond });
          session.terminal.print(
            json ? JSON.stringify(queueJson(overview)) : `${before}${statsTable(overview, session)}`,
          );
        };
        await showRepeatedly(session, options.watch, show);
      });
    });
}

function statsTable(overview: QueueOverview, session: Session): string {
  const { stats, oldestDue } = overview;
  const now = stats.at;
  const ago = (at: number): string => `${duration(now - at)} ago`;
  const bold = (text: string): string => session.terminal.style('bold', text, 'stdout');
  const paused = stats.pauses.map(
    ({ scope, name, since }) => `${scope === 'all' ? 'everything' : `${scope} ${plain(name)}`} since ${ago(since)}`,
  );
  const sections = [
    `${bold('Jobs')}\n${table([...JOB_STATES.map((state) => [state, stats.states[state]]), ['total', stats.total]])}`,
    table([
      ['due now', count(stats.due)],
      ['delayed', count(stats.delayed)],
      ...(stats.suspects > 0 ? [['quarantined', `${count(stats.suspects)}, run alone after crashes`]] : []),
      ['oldest due', oldestDue === null ? '–' : `${plain(oldestDue.artifactId)}, enqueued ${ago(oldestDue.since)}`],
      ['next delayed', stats.nextAvailableAt === null ? '–' : `in ${duration(stats.nextAvailableAt - now)}`],
      ['rate', rateText(overview)],
      ['left', leftText(overview)],
    ]),
    ...(paused.length > 0 ? [`${bold('Paused')}\n${paused.join('\n')}`] : []),
    ...(stats.byErrorCode.length > 0
      ? [
          `${bold('Reasons')}\n${table(
            sorted(stats.byErrorCode).map(({ code, state, jobs }) => [code, state, jobs]),
            ['code', 'state', 'jobs'],
          )}`,
        ]
      : []),
    ...(stats.byResolver.some(({ resolver }) => resolver !== null)
      ? [`${bold('Resolvers')}\n${table(resolverRows(stats), ['resolver', ...JOB_STATES])}`]
      : []),
    ...workersSection(overview, bold),
    ...slowedSection(overview.slowed, bold, now),
    ...strangersSection(stats, bold, now),
  ];
  return sections.join('\n\n');
}

function leftText({ leftMs, counts }: QueueOverview): string {
  if (leftMs !== null) return leftMs === 0 ? 'nothing' : duration(leftMs);
  return counts.processes > 0 ? '–' : 'unknown: no active workers; start one with docstokg queue run';
}

function rateText({ perSecond }: QueueOverview): string {
  if (perSecond === null) return '–';
  return perSecond >= 1 ? `${perSecond.toFixed(1)} jobs/s` : `${(perSecond * 60).toFixed(1)} jobs/min`;
}

/** Active workers, and dead ones that still hold leases. */
function workersSection({ workers, stats: { at: now } }: QueueOverview, bold: (text: string) => string): string[] {
  if (workers.length === 0) return [];
  const rows = workers.map((worker) => [
    `${plain(worker.hostname)}:${worker.pid}`,
    worker.alive ? 'alive' : 'gone',
    // Leased jobs are those that run and those that wait for a host.
    worker.alive ? `${count(worker.running)} of ${count(worker.maxWorkers)}` : '–',
    count(worker.holds),
    `${duration(now - worker.heardAt)} ago`,
    worker.alive
      ? `up ${duration(now - worker.startedAt)}`
      : worker.holds === 0
        ? ''
        : worker.leaseEndsAt !== null && worker.leaseEndsAt > now
          ? `its leases expire in ${duration(worker.leaseEndsAt - now)}, or when a worker starts on that machine`
          : 'its leases have expired',
  ]);
  return [`${bold('Workers')}\n${table(rows, ['process', '', 'running', 'leased', 'last seen', ''])}`];
}

function resolverRows({ byResolver }: QueueStats): (string | number)[][] {
  const rows = [...Map.groupBy(byResolver, ({ resolver }) => resolver)].map(([resolver, groups]) => ({
    resolver,
    jobs: groups.reduce((sum, { jobs }) => sum + jobs, 0),
    counts: JOB_STATES.map((state) => groups.find((group) => group.state === state)?.jobs ?? 0),
  }));
  return sorted(rows).map(({ resolver, counts }) => [plain(resolver ?? '(any)'), ...counts]);
}

/** Leases of processes that do not report status: other programs, or runs that crashed on another machine. */
function strangersSection(stats: QueueStats, bold: (text: string) => string, now: number): string[] {
  const known = new Set(stats.workers.map(({ workerId }) => workerId));
  const leases = stats.leases.filter(({ workerId }) => !known.has(workerId));
  if (leases.length === 0) return [];
  const rows = leases.map(({ workerId, jobs, expiresAt }) => [
    plain(workerId),
    jobs,
    expiresAt > now ? `expire in ${duration(expiresAt - now)}` : 'expired',
  ]);
  return [`${bold('Other leases')}\n${table(rows)}`];
}

function slowedSection(hosts: readonly SlowedHost[], bold: (text: string) => string, now: number): string[] {
  if (hosts.length === 0) return [];
  const rows = hosts.map(({ host, cap, perSecond, hold }) => [
    plain(host),
    cap === null ? '' : `max ${count(cap)} concurrent`,
    perSecond === null ? '' : `${Number(perSecond.toPrecision(3))}/s`,
    hold === null
      ? ''
      : `rate-limited${hold.until === null ? '' : ` for ${duration(hold.until - now)}`}: ${hold.reason}`,
  ]);
  return [`${bold('Slowed down')} (more: queue stats --hosts)\n${table(rows)}`];
}

function sorted<T extends { readonly jobs: number }>(rows: readonly T[]): T[] {
  return rows.toSorted((a, b) => b.jobs - a.jobs);
}
