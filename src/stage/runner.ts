import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { Clock } from '../base/index.ts';
import { AppError, errorInfo, systemClock } from '../base/index.ts';
import { openRunMark } from './commit/run-mark.ts';
import { inlineExecutor } from './execute/perform.ts';
import type { Executor, ItemRun } from './execute/perform.ts';
import { WorkerPool } from './execute/worker-pool.ts';
import type { WorkerStart } from './execute/worker-process.ts';
import type { StageOptions } from './options.ts';
import { stageOptions } from './options.ts';
import { Feed } from './plan/feed.ts';
import { createResume, judgeWith } from './plan/resume.ts';
import { manifestPath, openManifest } from './record/manifest.ts';
import { Meter } from './record/meter.ts';
import type { ExecutorEvents } from './stage-run.ts';
import { StageRun } from './stage-run.ts';
import type {
  PlanBucket,
  StageEvent,
  StageHooks,
  StageOutcome,
  StagePlan,
  StageRuntime,
  StageWorker,
  WorkerModule,
} from './types.ts';

const SCHEMA_VERSION = 'docparse/1.1.0';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Item ids shown per bucket of a dry run. */
const EXAMPLES = 3;

/** Runs each item once, resumably. Throws if the stage cannot run; errors of items are in the outcome. */
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
  const report = (event: StageEvent): void => runtime.report?.(event);
  using stop = openStop(options.handleSignals, runtime.signal);
  if (options.dryRun) return await dryRun(plan, options, { clock, report, signal: stop.drain });

  const path = manifestPath(options.manifestDir, stageName);
  const context = { stageName, options, manifestPath: path };
  const callHook = async (hook: string, call: () => void | Promise<void>): Promise<void> => {
    try {
      await call();
    } catch (error) {
      report({ kind: 'hook-failed', hook, message: errorInfo(error).message });
    }
  };
  const feed = new Feed(plan, options, stop.drain);
  using mark = await openRunMark(options.manifestDir, stageName, clock, options.durable);
  let abandoned = 0;
  try {
    await using opened = new AsyncDisposableStack();
    const sink = runtime.sink ?? opened.use(await openManifest(options.manifestDir, stageName, { ...options, clock }));
    const execute = await chooseExecutor(worker, { stageName, options, runtime, clock, report });
    const run = new StageRun({
      context,
      schemaVersion: plan.schemaVersion ?? SCHEMA_VERSION,
      clock,
      random: runtime.random ?? Math.random,
      report,
      feed,
      hooks,
      sink,
      mark,
      resume: createResume({ options, clock, mark, manifest: path }),
      createExecutor: (events) => execute(events, (item) => mark.suffix(item.sequence, item.attempt)),
    });
    report({
      kind: 'stage-started',
      stageName,
      manifestPath: path,
      ...(feed.total !== undefined && { total: feed.total }),
    });
    if (mark.deadRuns > 0)
      report({ kind: 'warning', message: `cleaned up after ${mark.deadRuns} killed run(s) of this stage` });
    await callHook('beforeStage', () => hooks.beforeStage?.(context));
    stop.drain.addEventListener('abort', () => run.drain(String(stop.drain.reason)), { once: true });
    stop.abort.addEventListener('abort', () => run.abort(String(stop.abort.reason)), { once: true });
    if (stop.drain.aborted) run.drain(String(stop.drain.reason));
    await run.run();
    await sink.flush();
    const outcome = run.meter.outcome(run.stopReason);
    abandoned = outcome.abandoned;
    await callHook('afterStage', () => hooks.afterStage?.(outcome, context));
    report({ kind: 'stage-ended', outcome });
    return outcome;
  } finally {
    await mark.end(abandoned > 0);
  }
}

/** Drain lets running items finish, abort does not. The first signal of the process and `outer` drain. */
function openStop(
  handleSignals: boolean,
  outer: AbortSignal | undefined,
): Disposable & { readonly drain: AbortSignal; readonly abort: AbortSignal } {
  const [drain, abort] = [new AbortController(), new AbortController()];
  const onSignal = (name: string): void => (drain.signal.aborted ? abort : drain).abort(name);
  const onOuter = (): void => drain.abort(typeof outer?.reason === 'string' ? outer.reason : 'asked to stop');
  if (outer?.aborted) onOuter();
  outer?.addEventListener('abort', onOuter, { once: true });
  if (handleSignals) for (const name of SIGNALS) process.on(name, onSignal);
  return {
    drain: drain.signal,
    abort: abort.signal,
    [Symbol.dispose]() {
      outer?.removeEventListener('abort', onOuter);
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}

async function dryRun(
  plan: StagePlan,
  options: StageOptions,
  run: { readonly clock: Clock; readonly report: (event: StageEvent) => void; readonly signal: AbortSignal },
): Promise<StageOutcome> {
  const { clock, report, signal } = run;
  using meter = new Meter({
    stageName: plan.stageName,
    total: undefined,
    clock,
    report,
    diagnosticsIntervalS: 0,
    gauges: () => ({ inFlight: 0, queued: 0, waitingForRetry: 0 }),
  });
  const asking = { verifyHash: options.verifyHash, now: clock.now() };
  const buckets = new Map<string, PlanBucket>();
  const feed = new Feed(plan, options, signal);
  for (let runs = await feed.pull(1_000); runs; runs = await feed.pull(1_000)) {
    signal.throwIfAborted();
    for (const { item } of runs) {
      const verdict = await judgeWith(item, options, asking);
      const reason = verdict.kind === 'run' ? verdict.reason : 'resume-satisfied';
      const { items = 0, cost = 0, examples = [] } = buckets.get(reason) ?? {};
      buckets.set(reason, {
        action: verdict.kind === 'run' ? 'run' : 'skip',
        reason,
        items: items + 1,
        cost: cost + item.costHint,
        examples: [...examples, item.itemId].slice(0, EXAMPLES),
      });
      await feed.source?.settle(item, { kind: 'unfinished' });
    }
  }
  const sorted = [...buckets.values()].sort((a, b) => a.action.localeCompare(b.action) || b.items - a.items);
  const outcome = { ...meter.outcome(undefined), plan: sorted };
  report({ kind: 'stage-ended', outcome });
  return outcome;
}

type CreateExecutor = (events: ExecutorEvents, suffix: (run: ItemRun) => string) => Executor;

async function chooseExecutor(
  worker: StageWorker | WorkerModule,
  stage: {
    readonly stageName: string;
    readonly options: StageOptions;
    readonly runtime: StageRuntime;
    readonly clock: Clock;
    readonly report: (event: StageEvent) => void;
  },
): Promise<CreateExecutor> {
  const { stageName, options, runtime, clock, report } = stage;
  const { workerData: data, expecting, workerEnvironment: environment = {} } = runtime;
  if (options.policy !== 'cpu') {
    const call = typeof worker === 'function' ? worker : await loadWorker(worker);
    return ({ abandoned }, suffix) => inlineExecutor(call, { stageName, options, clock, data, suffix, abandoned });
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
    memoryLimitMb: options.memoryLimitMb,
    cpuLimitS: options.perItemCpuS,
    youngGenerationMb: options.youngGenerationMb,
    niceness: options.niceness,
  };
  return ({ unusable, stuck }, suffix) =>
    new WorkerPool({ options, clock, start, environment, suffix, report, unusable, stuck, expecting });
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
