import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { AppError, systemClock } from '../base/index.ts';
import type { WorkerStart } from './execute/worker-process.ts';
import { WorkerPool } from './execute/worker-pool.ts';
import { planStage } from './plan/dry-run.ts';
import { Feed } from './plan/feed.ts';
import { HookCaller } from './record/hooks.ts';
import { InlineExecutor } from './execute/inline.ts';
import type { Executor, ItemRun } from './execute/item-run.ts';
import { KnownRows } from './plan/known-rows.ts';
import { JsonlManifest, manifestPath } from './record/manifest.ts';
import type { Tell } from './kernel-event.ts';
import { Meter } from './record/meter.ts';
import { stageOptions } from './options.ts';
import { Resume } from './plan/resume.ts';
import { RunMark } from './commit/run-mark.ts';
import { StageRun } from './stage-run.ts';
import { openStop } from './stop.ts';
import type {
  StageHooks,
  StageOptions,
  StageOutcome,
  StagePlan,
  StageRuntime,
  StageWorker,
  WorkerModule,
} from './types.ts';

const SCHEMA_VERSION = 'docparse/1.1.0';
/** How often a cpu worker reports how much memory it holds, if workers are recycled by memory. */
const MEMORY_EVERY_MS = 50;

/**
 * Runs a stage: each item once, resumably. Throws when the stage itself cannot run; what befalls single items is in
 * the outcome and in the manifest.
 */
export async function runStage(
  plan: StagePlan,
  worker: StageWorker | WorkerModule,
  given: Partial<StageOptions> = {},
  hooks: StageHooks = {},
  runtime: StageRuntime = {},
): Promise<StageOutcome> {
  const options = stageOptions(given);
  const { stageName } = plan;
  if (!/^[A-Za-z0-9][\w-]{0,63}$/.test(stageName)) {
    throw new AppError('CONFIG_STAGE_NAME', `"${stageName.slice(0, 80)}" is not a valid stage name`, {
      hint: 'use letters, digits, _ and -, at most 64 characters',
    });
  }
  const clock = runtime.clock ?? systemClock;
  const report = runtime.report;
  using stop = openStop({ handleSignals: options.handleSignals, outer: runtime.signal });
  if (options.dryRun) return await dryRun(plan, options, runtime, stop.drain);

  const path = manifestPath(options.manifestDir, stageName);
  const context = { stageName, options, manifestPath: path };
  const callers = new HookCaller(hooks, context, (event) => report?.(event));
  const feed = new Feed(plan, options, { signal: stop.drain });
  using mark = await RunMark.open(options.manifestDir, stageName, clock, options.durable);
  const own = runtime.sink
    ? undefined
    : await JsonlManifest.open(options.manifestDir, stageName, { ...options, clock });
  let abandoned = 0;
  try {
    const sink = runtime.sink ?? own;
    if (!sink) throw new AppError('CONFIG_STAGE_SINK', 'the stage has no manifest');
    const execute = await chooseExecutor(worker, { stageName, options, runtime });
    const run = new StageRun({
      stageName,
      schemaVersion: plan.schemaVersion ?? SCHEMA_VERSION,
      options,
      clock,
      random: runtime.random ?? Math.random,
      report,
      feed,
      hooks: callers,
      sink,
      mark,
      resume: new Resume({ options, clock, mark, known: new KnownRows(path) }),
      createExecutor: (tell) => execute(tell, (item) => mark.suffix(item.sequence, item.attempt)),
    });
    report?.({
      kind: 'stage-started',
      stageName,
      manifestPath: path,
      ...(feed.total !== undefined && { total: feed.total }),
    });
    if (mark.deadRuns > 0)
      report?.({ kind: 'warning', message: `cleaned up after ${mark.deadRuns} killed run(s) of this stage` });
    await callers.beforeStage();
    stop.drain.addEventListener('abort', () => run.drain(String(stop.drain.reason)), { once: true });
    stop.abort.addEventListener('abort', () => run.abort(String(stop.abort.reason)), { once: true });
    if (stop.drain.aborted) run.drain(String(stop.drain.reason));
    await run.run();
    await sink.flush();
    const outcome = run.meter.outcome(run.stopReason);
    abandoned = outcome.abandoned;
    await callers.afterStage(outcome);
    report?.({ kind: 'stage-ended', outcome });
    return outcome;
  } finally {
    await own?.[Symbol.asyncDispose]();
    await mark.end(abandoned > 0);
  }
}

async function dryRun(
  plan: StagePlan,
  options: StageOptions,
  runtime: StageRuntime,
  signal: AbortSignal,
): Promise<StageOutcome> {
  const clock = runtime.clock ?? systemClock;
  using meter = new Meter({
    stageName: plan.stageName,
    total: undefined,
    clock,
    report: undefined,
    diagnosticsIntervalS: 0,
    gauges: () => ({ inFlight: 0, queued: 0, waitingForRetry: 0 }),
  });
  const buckets = await planStage(plan, options, clock.now(), signal);
  const outcome = { ...meter.outcome(undefined), plan: buckets };
  runtime.report?.({ kind: 'stage-ended', outcome });
  return outcome;
}

type CreateExecutor = (tell: Tell, suffix: (run: ItemRun) => string) => Executor;

async function chooseExecutor(
  worker: StageWorker | WorkerModule,
  stage: { readonly stageName: string; readonly options: StageOptions; readonly runtime: StageRuntime },
): Promise<CreateExecutor> {
  const { stageName, options, runtime } = stage;
  const clock = runtime.clock ?? systemClock;
  const data = runtime.workerData;
  if (options.policy !== 'cpu') {
    const call = typeof worker === 'function' ? worker : await loadWorker(worker);
    return (tell, suffix) => new InlineExecutor(call, { stageName, options, clock, data, suffix, tell });
  }
  if (typeof worker === 'function') {
    throw new AppError('CONFIG_STAGE_WORKER', 'a cpu stage needs a worker module, not a function', {
      hint: "pass { module: new URL('./worker.ts', import.meta.url) }: a function cannot be sent to another process",
    });
  }
  const start: WorkerStart = {
    ...moduleOf(worker),
    stageName,
    data,
    memoryEveryMs: options.recycleOverMb > 0 ? MEMORY_EVERY_MS : 0,
    memoryLimitMb: options.memoryLimitMb,
    cpuLimitS: options.perItemCpuS,
    youngGenerationMb: options.youngGenerationMb,
    niceness: options.niceness,
  };
  const environment = runtime.workerEnvironment ?? {};
  const { expecting } = runtime;
  return (tell, suffix) =>
    new WorkerPool({ options, clock, start, environment, suffix, tell, ...(expecting && { expecting }) });
}

function moduleOf(worker: WorkerModule): { readonly module: string; readonly export: string } {
  const { module } = worker;
  const url =
    module instanceof URL || /^[a-z]{2,}:/i.test(module) || !(isAbsolute(module) || module.startsWith('.'))
      ? String(module)
      : pathToFileURL(resolve(module)).href;
  return { module: url, export: worker.export ?? 'default' };
}

async function loadWorker(worker: WorkerModule): Promise<StageWorker> {
  const { module, export: name } = moduleOf(worker);
  const loaded = ((await import(module)) as Record<string, unknown>)[name];
  if (typeof loaded === 'function') return loaded as StageWorker;
  throw new AppError('STAGE_WORKER_UNUSABLE', `${module} does not export a function named ${name}`, {
    hint: 'export the worker under that name, or name the export',
  });
}
