import { Option } from 'commander';

import { wait } from '../../../base/index.ts';
import type { Config } from '../../../config/index.ts';
import type { WorkQueue } from '../../../queue/kept/index.ts';
import { isoTime, queueJson, RateMeter } from '../../../queue/kept/index.ts';
import type { FlagsOf } from '../../options.ts';
import { stopSignal } from '../../session.ts';
import { CLEAR } from '../../terminal.ts';
import type { OpenedQueue } from './shared.ts';
import { onQueue, queueCommand, workerCommand } from './shared.ts';

const WATCH_MS = 1_000;

function statsOptions() {
  return queueCommand('stats')
    .description('show jobs by state and reason, throughput and active workers')
    .addOption(new Option('--format <format>', 'output format').choices(['json', 'table']).default('table'))
    .option('--hosts [host]', 'show limits, requests in flight and rate limits of hosts and services, or of one')
    .option('--watch', 'refresh every second until Ctrl-C')
    .addHelpText(
      'after',
      `
Columns of --hosts:
  cap, per second   limits: requests in flight, and their rate; "slowed" if the host asked for less
  next at           when the next request can start
  done, failed      requests of active workers; failures by reason
  jobs              queued jobs expected to use this host

Examples:
  contentdownload queue stats --watch
  contentdownload queue stats --hosts arxiv.org --json
`,
    );
}

export function statsCommand() {
  return statsOptions().action(onQueue(showStats));
}

async function showStats(
  { queue, session, config }: OpenedQueue,
  options: FlagsOf<typeof statsOptions>,
): Promise<void> {
  const { hosts } = options;
  const meter = new RateMeter();
  const read = async (): Promise<object> => {
    if (hosts !== undefined) return await hostsOf(queue, config, hosts === true ? undefined : hosts.toLowerCase());
    const stats = await queue.stats();
    const { done, skipped, error } = stats.states;
    meter.note(done + skipped + error, stats.at);
    const { counts, ...shown } = queueJson(stats, meter.perSecond);
    if (stats.due > 0 && counts.processes === 0) session.info(`no active workers; start one: ${workerCommand(config)}`);
    return shown;
  };
  const print = (value: object & { readonly left_seconds?: number | null }): void => {
    if (session.json || options.format === 'json') session.terminal.print(JSON.stringify(value));
    // Without jobs, no time is left for them: the line would only puzzle.
    else session.print(value.left_seconds === 0 ? { ...value, left_seconds: null } : value);
  };
  if (!options.watch) return print(await read());
  using stop = stopSignal();
  while (!stop.signal.aborted) {
    const value = await read();
    if (process.stdout.isTTY) process.stdout.write(CLEAR);
    print(value);
    await wait(session.clock, WATCH_MS, stop.signal).catch(() => undefined);
  }
}

const NO_JOBS = { nextAvailableAt: null, inProgress: 0, host: '' };

/** Every host, or one. Loads the rules of every service, which no other queue command needs. */
async function hostsOf(queue: WorkQueue, config: Config, one: string | undefined): Promise<object[]> {
  const { hostsNow } = await import('../../../run/index.ts');
  const hosts = (await hostsNow(config, queue)).filter(({ name }) => one === undefined || name === one);
  return hosts.map(({ name, line, done, failed, jobs }) => {
    const { nextAvailableAt, inProgress, host: _host, ...others } = jobs ?? NO_JOBS;
    const counts = { ...others, in_progress: inProgress, next_available_at: isoTime(nextAvailableAt) };
    return { name, ...line, done, failed, jobs: jobs && counts };
  });
}
