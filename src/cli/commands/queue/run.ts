import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { AppError, errorInfo, duration } from '../../../base/index.ts';
import type { Layer } from '../../../config/index.ts';
import type { DrainMode, Handler, Outlook, QueueEvent, RunSummary, WorkQueue } from '../../../queue/index.ts';
import type { DownloadRun } from '../../../download/index.ts';
import type { Telemetry } from '../../../telemetry/index.ts';
import { isoTime, Orchestrator, RateMeter } from '../../../queue/index.ts';
import { orchestratorOptions } from '../../../run/queue/index.ts';
import { recordText } from '../../record-text.ts';
import type { Session } from '../../session.ts';
import { count, nonZero, plain, showProgress } from '../../terminal.ts';
import type { OpenedQueue } from './shared.ts';
import { onQueue, queueCommand } from './shared.ts';
import type { FlagsOf } from '../../options.ts';
import { webOptions } from '../../options.ts';
import { settingOptions, stopSignal } from '../../session.ts';

function workerOptions(name: string) {
  return webOptions(settingOptions(queueCommand(name), ['queue-run'])).option(
    '--handler <module>',
    'module whose default export handles a job; default: jobs are works to download',
  );
}

type WorkerFlags = FlagsOf<typeof workerOptions>;

export function runCommand() {
  return workerOptions('run')
    .description('run the jobs in the queue')
    .option('--drain', 'exit when the queue is empty, including delayed and paused jobs')
    .option('--drain-now', 'exit when no job can run now; delayed and paused jobs stay queued')
    .addHelpText('after', HELP)
    .action(
      onQueue(
        (opened, options) => {
          const drain = options.drainNow ? 'due' : options.drain ? 'empty' : 'never';
          return run(opened, options, drain);
        },
        (options) => webLayer(options),
      ),
    );
}

export function drainCommand() {
  return workerOptions('drain')
    .description('run the jobs until the queue is empty: the same as queue run --drain')
    .addHelpText('after', '\nExample:\n  contentdownload queue drain --workers 8 --mailto you@university.example\n')
    .action(
      onQueue(
        (opened, options) => run(opened, options, 'empty'),
        (options) => webLayer(options),
      ),
    );
}

const HELP = `
Ctrl-C lets running jobs finish and returns the others to the queue; a second Ctrl-C
exits immediately, which is also safe.

Examples:
  # jobs are works to download
  contentdownload queue run --drain --workers 8 --mailto you@university.example
  contentdownload queue run --drain --max-per-resolver unpaywall:2 --mailto you@university.example
  # your own handler: a module with export default async (job, context) => …
  contentdownload queue run --handler ./my-handler.ts
`;

async function run({ queue, session, config }: OpenedQueue, options: WorkerFlags, drain: DrainMode): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const handler = options.handler === undefined ? undefined : await loadHandler(options.handler);
  // Loaded here because most queue commands do not need these modules and should start fast.
  const { startTelemetry } = await import('../../../telemetry/index.ts');
  const telemetry = opened.use(await startTelemetry(config.telemetry, queue.store, session.clock, session.warn));
  const log = eventLog(session, drain);
  const report = (event: QueueEvent): void => {
    telemetry.report(event);
    log(event);
  };
  const parts = { queue, report, around: telemetry.around };
  const runner = handler
    ? new Orchestrator({ ...orchestratorOptions(config), ...parts, handler, clock: session.clock, log: session.log })
    : await openDownload({ queue, session, config }, { report, telemetry, sim: options.sim }, opened);
  const orchestrator = runner instanceof Orchestrator ? runner : runner.orchestrator;
  using stop = stopSignal((name) => session.info(`${name}: finishing running jobs; Ctrl-C again to quit`));
  using progress = showRun(orchestrator, queue, session);
  const summary = await runner.run({ drain, signal: stop.signal });
  progress[Symbol.dispose]();
  printSummary(summary, await unfinishedWork(queue, orchestrator.throttled), session);
  if (summary.error > 0 && process.exitCode === undefined) process.exitCode = 1;
}

/** Settings of `--sim` and `--mailto`; without them the HTTP modules are not loaded. */
async function webLayer(options: WorkerFlags): Promise<Layer> {
  if (options.sim === undefined && options.mailto === undefined) return [];
  return (await import('../../../run/index.ts')).simulatedLayer(options);
}

async function openDownload(
  { queue, session, config }: OpenedQueue,
  { report, telemetry, sim }: { report: (event: QueueEvent) => void; telemetry: Telemetry; sim: string | undefined },
  opened: AsyncDisposableStack,
): Promise<DownloadRun> {
  // Loaded here: custom handlers do not need the download modules.
  const { assembleDownload, openStorage } = await import('../../../run/index.ts');
  const { isQueueEvent } = await import('../../../download/index.ts');
  const { webTimeOf } = await import('../../simulation.ts');
  const runtime = { ...session, web: await webTimeOf(sim) };
  const storage = opened.use(await openStorage(config, session));
  const { run } = opened.use(
    await assembleDownload(config, runtime, {
      queue,
      around: telemetry.around,
      storage,
      report: (event) => {
        if (event.kind === 'worker-crashed') session.log('error', `${event.work}: ${event.code} ${event.message}`);
        if (isQueueEvent(event)) report(event);
        else telemetry.download?.download(event);
      },
      reportHttp: telemetry.download?.http,
    }),
  );
  return run;
}

function showRun(orchestrator: Orchestrator, queue: WorkQueue, { terminal, clock }: Session): Disposable {
  const meter = new RateMeter();
  return showProgress(terminal, clock, async () => {
    const outlook = await queue.store.outlook(clock.now());
    const { counts } = orchestrator.status;
    meter.note(counts.done + counts.skipped + counts.error, clock.monotonic());
    return describe(orchestrator, outlook, meter.perSecond ?? 0);
  });
}

/** The progress line; undefined while idle. */
function describe(orchestrator: Orchestrator, outlook: Outlook, perSecond: number): string | undefined {
  const { running, parked, counts } = orchestrator.status;
  const left = outlook.ready + outlook.inProgress + outlook.delayed;
  if (left === 0 && running + parked === 0) return undefined;
  const held = orchestrator.throttled.map(({ host, heldMs }) =>
    heldMs === null ? plain(host) : `${plain(host)} ${duration(heldMs)}`,
  );
  const rate = `${perSecond < 100 ? perSecond.toFixed(1) : count(perSecond)}/s`;
  // Most important first: narrow terminals cut off the end.
  return [
    `${count(counts.done)} done`,
    ...nonZero({ failed: counts.error, skipped: counts.skipped }),
    `${count(running)} running`,
    `${count(outlook.ready)} queued`,
    ...(perSecond > 0 ? [rate, `${duration((left / perSecond) * 1000)} left`] : []),
    ...nonZero({ 'waiting for hosts': parked, delayed: outlook.delayed }),
    ...(held.length > 0 ? [`slowed: ${held.slice(0, 3).join(', ')}`] : []),
  ].join('  ');
}

function printSummary(summary: RunSummary, left: Awaited<ReturnType<typeof unfinishedWork>>, session: Session): void {
  if (session.json) {
    session.terminal.print(JSON.stringify({ ...summary, left }));
    return;
  }
  const { done, skipped, error, requeued, lost, reason } = summary;
  session.terminal.print(
    [
      `${reason}: ${count(done)} done`,
      `${count(skipped)} skipped`,
      `${count(error)} failed`,
      ...nonZero({ requeued, 'lost to another worker': lost }),
    ].join(', '),
  );
  if (reason === 'drained' && left.due + left.delayed > 0)
    session.terminal.print(`left in the queue\n${recordText(left, session.clock.now())}`);
  if (error > 0) session.info('see queue stats for the reasons; queue retry-failed requeues failed jobs');
}

/** Logs noteworthy events; pauses only when they change. */
function eventLog(session: Session, drain: DrainMode): (event: QueueEvent) => void {
  let paused = '';
  return (event) => {
    if (event.kind === 'lease-lost')
      session.warn(`lost ${event.job.artifactId}: its lease expired or it was cancelled; the result is discarded`);
    else if (event.kind === 'job-abandoned')
      session.warn(`${event.job.artifactId} did not stop when asked to and was abandoned`);
    else if (event.kind === 'jobs-exhausted')
      session.warn(`${event.jobs} jobs failed: their process crashed or hung each time they ran alone`);
    else if (event.kind === 'host-throttled')
      session.info(
        `${event.host} is rate-limited for ${duration(event.heldUntil - session.clock.now())}, then ${event.cap} concurrent requests`,
      );
    else if (event.kind === 'pauses-changed') {
      const now = event.pauses.join(', ');
      const jobs = drain === 'due' ? 'its jobs stay queued' : 'its jobs wait until queue resume';
      if (now !== paused && now === '') session.info('nothing is paused');
      else if (now !== paused) session.warn(`paused: ${now}; ${jobs}`);
      paused = now;
    } else if (event.kind === 'job-ended' && event.settlement.error) {
      const { code, message } = event.settlement.error;
      session.log('debug', `${event.job.artifactId}: ${code} ${message}`);
    } else if (event.kind === 'job-started' && event.job.standing === 'quarantined')
      session.info(`${event.job.artifactId} is quarantined and runs alone: processes crashed while running it`);
  };
}

async function loadHandler(module: string): Promise<Handler> {
  let loaded: { default?: unknown };
  try {
    loaded = (await import(pathToFileURL(resolve(module)).href)) as { default?: unknown };
  } catch (error) {
    throw new AppError('HANDLER_UNLOADABLE', `${module} cannot be loaded: ${errorInfo(error).message}`, {
      hint: 'it must be a JavaScript or TypeScript module that Node can run',
      cause: error,
    });
  }
  if (typeof loaded.default !== 'function') {
    throw new AppError('HANDLER_UNLOADABLE', `${module} does not export a function as default`, {
      hint: 'export default async (job, context) => { … }',
    });
  }
  return loaded.default as Handler;
}

/** Summarises the jobs left in a queue. Scans all jobs, so it is called only once, after a run. */
async function unfinishedWork(queue: WorkQueue, held: Orchestrator['throttled']) {
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
      const why = isPaused ? 'paused: queue resume --host' : 'rate-limited';
      return { host: each.host, jobs: each.due, why, for_ms: isPaused ? null : (hold?.heldMs ?? null) };
    }),
    codes: Object.fromEntries(
      byErrorCode.filter(({ state }) => state === 'queued').map(({ code, jobs: times }) => [code, times]),
    ),
    next_at: isoTime(nextAvailableAt),
  };
}
