import { join } from 'node:path';

import type { Warn } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import type { AheadSettings, EmbedEngines, EmbedWorkerSettings } from '../parse/index.ts';
import {
  aheadItems,
  aheadWorker,
  chunkItems,
  chunkWorker,
  createEmbedWorker,
  doctagsItems,
  doctagsWorker,
  embedPlan,
  embedWorker,
  VectorCache,
} from '../parse/index.ts';
import type { StageOptions, StagePlan, StageWorker, WorkerModule, WorkItem } from '../stage/index.ts';
import { AppError } from '../base/index.ts';
import { arrayTask, settingsTable } from '../config/index.ts';
import { cpuWorkers, parseShard, stageOptions } from '../stage/index.ts';
import { manifestFolder } from '../ask/index.ts';
import { chunkSettings, denseSettings, doctagsSettings } from './parse-settings.ts';

/** The DocTags stage: parsers run in separate processes, which can be killed. */
export function prepareDoctags(config: Config, call: StageCall = {}): FlowingStage {
  const { parse } = config;
  const settings = doctagsSettings(config);
  return {
    stageName: 'doctags',
    worker: doctagsWorker,
    options: stageSettings(call, config, PREFERRED.doctags(config)),
    data: settings,
    item: doctagsItems(parse.data_root, settings),
  };
}

export async function prepareChunk(config: Config, call: StageCall = {}): Promise<FlowingStage> {
  const { parse } = config;
  const settings = chunkSettings(config);
  return {
    stageName: 'chunk',
    worker: chunkWorker,
    options: stageSettings(call, config, PREFERRED.chunk(config)),
    data: settings,
    item: await chunkItems(parse.data_root, settings, parse.format),
  };
}

/** Receives warnings about damaged files. */
interface Warned {
  readonly warn?: Warn;
}

/** The embed stage over all chunked documents, with open engines. */
export function prepareEmbed(config: Config, engines: EmbedEngines, call: StageCall & Warned = {}): ClosingStage {
  const { parse } = config;
  const cache = openCache(config, call);
  const options = stageSettings(call, config, PREFERRED.embed(config));
  return {
    stageName: 'embed',
    // Only a separate process can be killed when it hangs; the others share the engines opened here.
    ...(options.policy === 'cpu'
      ? { worker: embedWorker, data: embedWorkerSettings(config, engines) }
      : { worker: createEmbedWorker({ engines, type: parse.vector_type, cache }) }),
    options,
    plan: embedPlan(parse.data_root, { engines, type: parse.vector_type, format: parse.format }),
    [Symbol.asyncDispose]: async () => cache[Symbol.dispose](),
  };
}

/**
 * Makes dense vectors as documents are chunked, before the embed stage. The model takes tens of milliseconds per
 * passage: in a separate process it does not delay the downloads.
 */
export function prepareDense(config: Config, call: StageCall & Warned = {}): FlowingStage | undefined {
  const { parse } = config;
  const dense = plainDense(config);
  if (!dense) return undefined;
  // Opened here to report damage.
  openCache(config, call)[Symbol.dispose]();
  const remote = dense.engine === 'openai-compatible';
  return {
    stageName: 'dense',
    worker: aheadWorker,
    // One model with a thread per core: a model in each of two processes took as long and more memory.
    options: stageSettings(call, config, remote ? { policy: 'gpu', workers: 4 } : { policy: 'cpu', workers: 1 }),
    data: { dense, cache: cachePath(config) } satisfies AheadSettings,
    item: aheadItems(parse.data_root, parse.format),
  };
}

/** Settings to open the same engines in another thread or process. */
function embedWorkerSettings(config: Config, engines: EmbedEngines): EmbedWorkerSettings {
  const { parse } = config;
  return {
    dense: engines.dense && plainDense(config),
    sparse: engines.sparse && { dataRoot: parse.data_root, format: parse.format },
    type: parse.vector_type,
    cache: cachePath(config),
  };
}

/** The dense engine's settings as plain data. */
function plainDense(config: Config): AheadSettings['dense'] | undefined {
  const settings = denseSettings(config);
  if (!settings) return undefined;
  const { clock: _clock, ...plain } = settings as typeof settings & { readonly clock?: unknown };
  return plain;
}

function openCache(config: Config, { warn }: Warned): VectorCache {
  return new VectorCache(cachePath(config), { maxBytes: 4 * 2 ** 30, ...(warn && { warn }) });
}

function cachePath({ parse }: Config): string {
  return join(parse.data_root, 'Embeddings', 'cache.sqlite');
}

/** A stage with everything but its documents. */
export interface PreparedStage {
  readonly stageName: string;
  readonly worker: StageWorker | WorkerModule;
  readonly options: StageOptions;
  /** Passed to every worker; plain data. */
  readonly data?: unknown;
}

/** A stage that takes documents as they arrive: files, or ids from the stage before. */
export interface FlowingStage extends PreparedStage {
  /** Undefined if there is nothing to do. */
  readonly item: (document: string) => WorkItem | undefined;
}

/** A stage that runs over everything on disk, and what it holds open. */
export interface ClosingStage extends PreparedStage, AsyncDisposable {
  readonly plan: StagePlan & { readonly items: readonly WorkItem[] };
}

/** Options of one run of a stage; they override the settings. */
export interface StageCall {
  readonly resume?: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly limit?: number;
  /** `i/n`, `auto/n` or `auto`. */
  readonly shard?: string;
}

/** The options of a stage: its own preferences, overridden by the configuration, overridden by the call. */
export function stageSettings(call: StageCall, config: Config, preferred: Partial<StageOptions>): StageOptions {
  const { stage } = config;
  const configured = {
    policy: stage.policy,
    scheduling: stage.scheduling,
    workers: stage.workers,
    maxQueue: stage.max_queue,
    perItemTimeoutS: stage.timeout_s,
    // A configured timeout is wall-clock time and replaces the CPU time limit.
    perItemCpuS: stage.timeout_s === null ? null : 0,
    retries: stage.retries,
    retryBackoffS: stage.retry_backoff_s,
    errorBudget: stage.error_budget,
    resume: stage.resume,
    verifyHash: stage.verify_hash,
    diagnosticsIntervalS: stage.diagnostics_interval_s,
    durable: stage.durable,
    manifestDir: manifestFolder(config),
  };
  const { resume, force, dryRun, limit, shard } = call;
  const called = { resume, force, dryRun, limit, shard: shard === undefined ? undefined : parseShard(shardOf(shard)) };
  const isSet = ([, value]: [string, unknown]): boolean => value !== null && value !== undefined;
  return stageOptions({
    ...preferred,
    ...Object.fromEntries(Object.entries(configured).filter(isSet)),
    ...Object.fromEntries(Object.entries(called).filter(isSet)),
  });
}

/** `i/n` unchanged; for `auto/n`, or `auto` if the batch system knows n, this process's task of an array job. */
export function shardOf(text: string, task: ReturnType<typeof arrayTask> = arrayTask()): string {
  const [, count] = /^auto(?:\/(\d+))?$/.exec(text.trim()) ?? [];
  if (!text.trim().startsWith('auto')) return text;
  if (!task)
    throw new AppError('USAGE_SHARD', `--shard ${text}: this is not a task of an array job`, {
      hint: 'SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX or AWS_BATCH_JOB_ARRAY_INDEX is set in one; else give i/n',
    });
  const of = count ?? task.count;
  if (of === undefined)
    throw new AppError('USAGE_SHARD', `--shard ${text}: nothing says how many tasks there are`, {
      hint: 'give auto/n with the number of completions of the job',
    });
  return `${task.index}/${of}`;
}

/** Defaults of each stage, used to prepare it and shown in help. */
const PREFERRED: Readonly<Record<'doctags' | 'chunk' | 'embed', (config: Config) => Partial<StageOptions>>> = {
  doctags({ parse }) {
    const remote = parse.engine !== 'embedded';
    return {
      policy: 'cpu',
      workers: remote ? 4 : cpuWorkers(),
      scheduling: 'lpt',
      ...(parse.timeout_s === null ? { perItemCpuS: 120 } : { perItemTimeoutS: parse.timeout_s }),
      memoryLimitMb: parse.memory_limit_mb,
      // Measured on the open papers: at most 290 MB, where V8's default needs more than 400; less costs more CPU.
      youngGenerationMb: 48,
      recycleAfterItems: 200,
      retries: remote ? 3 : 0,
    };
  },
  chunk: () => ({ policy: 'cpu', workers: cpuWorkers(), scheduling: 'lpt', perItemCpuS: 120 }),
  embed: ({ parse }) =>
    parse.dense === 'openai-compatible'
      ? { policy: 'gpu', workers: 4, maxQueue: 16, retries: 2 }
      : { policy: 'io', workers: 1 },
};

/** The default options of a stage. */
export function defaultStageOptions(stage: keyof typeof PREFERRED): StageOptions {
  const config = settingsTable().defaults;
  return stageSettings({}, config, PREFERRED[stage](config));
}
