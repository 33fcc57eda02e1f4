import { Command, Option } from 'commander';

import { wait } from '../../../base/index.ts';
import type { QueueStats, WorkQueue } from '../../../queue/index.ts';
import { JOB_STATES } from '../../../queue/index.ts';
import { count, duration } from '../../progress.ts';
import type { Session } from '../../session.ts';
import { plain, table } from '../../terminal.ts';
import { stopSignal } from '../../stop-signal.ts';
import { queueOptions, withQueue } from './shared.ts';

const WATCH_MS = 1_000;
/** Written together with what follows, so that nothing flickers. */
const CLEAR = '\u001B[H\u001B[2J';

/** `queue stats`. */
export function statsCommand(): Command {
  return queueOptions(new Command('stats'))
    .description('how many jobs are in which state, and why')
    .addOption(new Option('--format <format>', 'json or table').choices(['json', 'table']).default('table'))
    .option('--watch', 'show it again every second until Ctrl-C')
    .addHelpText('after', '\nExample:\n  contentdownload queue stats --watch\n')
    .action(async (options: { format: 'json' | 'table'; watch?: boolean }, self: Command) => {
      await withQueue(self, async (queue, session) => {
        const json = session.json || options.format === 'json';
        if (!options.watch) return show(queue, session, json);
        using stop = stopSignal();
        while (!stop.signal.aborted) {
          await show(queue, session, json, process.stdout.isTTY ? CLEAR : '');
          await wait(session.clock, WATCH_MS, stop.signal).catch(() => undefined);
        }
      });
    });
}

async function show(queue: WorkQueue, session: Session, json: boolean, before = ''): Promise<void> {
  const stats = await queue.stats();
  session.terminal.print(json ? JSON.stringify(statsJson(stats)) : `${before}${statsTable(stats, session)}`);
}

/** As the source documents name things. */
function statsJson(stats: QueueStats): Record<string, unknown> {
  const { states } = stats;
  return {
    ...states,
    total: stats.total,
    due: stats.due,
    delayed: stats.delayed,
    oldest_queued_at: isoOrNull(stats.oldestQueuedAt),
    next_available_at: isoOrNull(stats.nextAvailableAt),
    by_resolver: stats.byResolver,
    by_error_code: stats.byErrorCode,
    leases: stats.leases.map(({ workerId, jobs, expiresAt }) => ({
      worker_id: workerId,
      jobs,
      expires_at: isoOrNull(expiresAt),
    })),
    workers: stats.workers.map(({ workerId, updatedAt, startedAt, ...info }) => ({
      worker_id: workerId,
      ...info,
      started_at: isoOrNull(startedAt),
      updated_at: isoOrNull(updatedAt),
    })),
    pauses: stats.pauses.map(({ scope, name, since }) => ({ scope, name, since: isoOrNull(since) })),
  };
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

function statsTable(stats: QueueStats, session: Session): string {
  const now = session.clock.now();
  const ago = (at: number | null): string => (at === null ? '–' : `${duration(now - at)} ago`);
  const bold = (text: string): string => session.terminal.style('bold', text, 'stdout');
  const paused = stats.pauses.map(
    ({ scope, name, since }) => `${scope === 'all' ? 'everything' : `${scope} ${plain(name)}`} since ${ago(since)}`,
  );
  const sections = [
    `${bold('Jobs')}\n${table([...JOB_STATES.map((state) => [state, stats.states[state]]), ['total', stats.total]])}`,
    table([
      ['due now', count(stats.due)],
      ['delayed', count(stats.delayed)],
      ['oldest due', ago(stats.oldestQueuedAt)],
      ['next delayed', stats.nextAvailableAt === null ? '–' : `in ${duration(stats.nextAvailableAt - now)}`],
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
    ...(stats.workers.length > 0
      ? [
          `${bold('Workers')}\n${table(
            stats.workers.map((worker) => [
              `${plain(worker.hostname)}:${worker.pid}`,
              // What a worker tells of itself is as old as its last heartbeat; its leases are counted now.
              stats.leases.find(({ workerId }) => workerId === worker.workerId)?.jobs ?? 0,
              worker.maxWorkers,
              duration(now - worker.startedAt),
              ago(worker.updatedAt),
            ]),
            ['process', 'leases', 'workers', 'up', 'heard of'],
          )}`,
        ]
      : []),
    ...throttledSection(stats, bold, now),
    ...strangersSection(stats, bold, now),
  ];
  return sections.join('\n\n');
}

/** One row per resolver, the busiest first. */
function resolverRows({ byResolver }: QueueStats): (string | number)[][] {
  const rows = [...Map.groupBy(byResolver, ({ resolver }) => resolver)].map(([resolver, groups]) => ({
    resolver,
    jobs: groups.reduce((sum, { jobs }) => sum + jobs, 0),
    counts: JOB_STATES.map((state) => groups.find((group) => group.state === state)?.jobs ?? 0),
  }));
  return sorted(rows).map(({ resolver, counts }) => [plain(resolver ?? '(any)'), ...counts]);
}

/** Leases held by processes that do not tell about themselves: other programs, or runs that died on another machine. */
function strangersSection(stats: QueueStats, bold: (text: string) => string, now: number): string[] {
  const known = new Set(stats.workers.map(({ workerId }) => workerId));
  const leases = stats.leases.filter(({ workerId }) => !known.has(workerId));
  if (leases.length === 0) return [];
  const rows = leases.map(({ workerId, jobs, expiresAt }) => [
    plain(workerId),
    jobs,
    expiresAt > now ? `run out in ${duration(expiresAt - now)}` : 'have run out',
  ]);
  return [`${bold('Leases of others')}\n${table(rows)}`];
}

function throttledSection(stats: QueueStats, bold: (text: string) => string, now: number): string[] {
  const hosts = stats.workers.flatMap(({ throttled }) => throttled);
  if (hosts.length === 0) return [];
  const rows = hosts.map(({ host, cap, heldUntil }) => [
    plain(host),
    `cap ${cap}`,
    heldUntil !== null && heldUntil > now ? `held for ${duration(heldUntil - now)}` : '',
  ]);
  return [`${bold('Slowed down')}\n${table(rows)}`];
}

function sorted<T extends { readonly jobs: number }>(rows: readonly T[]): T[] {
  return rows.toSorted((a, b) => b.jobs - a.jobs);
}
