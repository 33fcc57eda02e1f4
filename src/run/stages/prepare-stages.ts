import { join } from 'node:path';

import { stageManifestFolder } from '../../library/index.ts';
import type { Warn } from '../../base/index.ts';
import { AppError, installCommand } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import { arrayTask, proxyOf, settingsTable } from '../../config/index.ts';
import type { Runtime } from '../queue/open-queue.ts';
import type { ModelPrices, ModelSettings } from '../../model/index.ts';
import type { HttpClient } from '../../http/index.ts';
import { openModelClient } from '../../model/index.ts';
import type {
  ChunkSettings,
  DenseEngine,
  DenseSettings,
  DoctagsSettings,
  EmbedEngines,
  EmbedWorkerSettings,
} from '../../parse/index.ts';
import {
  bm25,
  chunkItems,
  chunkWorker,
  createEmbedWorker,
  doctagsItems,
  doctagsWorker,
  embedItems,
  embedWorker,
  locateTesseract,
  NEEDS_OCR,
  ocrLanguages,
  openDenseEngineIfInstalled,
  VectorCache,
} from '../../parse/index.ts';
import type { ItemOutcome, StageItems, StageOptions, StageWorker, WorkerModule, WorkItem } from '../../stage/index.ts';
import { cpuWorkers, parseShard, stageOptions } from '../../stage/index.ts';

/** The DocTags stage: parsers run in separate processes, which can be killed. */
export function prepareDoctags(config: Config, call: StageCall = {}): FlowingStage {
  const { parse } = config;
  const settings = doctagsSettings(config);
  return {
    stageName: 'doctags',
    worker: doctagsWorker,
    options: stageSettings(call, config, PREFERRED.doctags(config)),
    data: settings,
    ...doctagsItems(parse.data_root, settings),
    // The embedded model supports English only.
    notices: documentNotices(parse.dense === 'embedded'),
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
    ...(await chunkItems(parse.data_root, settings, parse.format)),
  };
}

/** The embed stage and the vector cache it holds open. A local model runs in a separate process, beside downloads. */
export function prepareEmbed(
  config: Config,
  engines: EmbedEngines,
  call: StageCall,
  warn: Warn,
): FlowingStage & AsyncDisposable {
  const { data_root: dataRoot, format, vector_type: type } = config.parse;
  // Opened here also where workers have their own: damage is reported once, and the oldest vectors are dropped at the
  // end.
  const cache = openCache(config, warn);
  const options = stageSettings(call, config, PREFERRED.embed(config));
  const settings: EmbedWorkerSettings = {
    dense: engines.dense && denseSettings(config),
    sparse: engines.sparse !== undefined,
    type,
    cache: cachePath(config),
  };
  return {
    stageName: 'embed',
    // Only a separate process can be killed when it hangs; the others share the engines opened here.
    ...(options.policy === 'cpu'
      ? { worker: embedWorker, data: settings }
      : { worker: createEmbedWorker({ engines, type, cache }) }),
    options,
    ...embedItems(dataRoot, { engines, type, format }),
    [Symbol.asyncDispose]: async () => cache[Symbol.dispose](),
  };
}

function openCache(config: Config, warn: Warn): VectorCache {
  return new VectorCache(cachePath(config), { maxBytes: 4 * 2 ** 30, warn });
}

function cachePath({ parse }: Config): string {
  return join(parse.data_root, 'Embeddings', 'cache.sqlite');
}

export interface PreparedStage {
  readonly stageName: string;
  readonly worker: StageWorker | WorkerModule;
  readonly options: StageOptions;
  /** Passed to every worker; plain data. */
  readonly data?: unknown;
  readonly notices?: ReturnType<typeof documentNotices>;
}

/** A stage that takes documents as they arrive: files, or ids from the stage before. */
export interface FlowingStage extends PreparedStage, StageItems {}

/** Options of one run of a stage; they override the settings. */
export interface StageCall {
  readonly resume?: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly limit?: number;
  /** `i/n`, `auto/n` or `auto`. */
  readonly shard?: string;
}

/** The stage's preferences, overridden by the configuration, overridden by the call. */
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
    manifestDir: stageManifestFolder(config),
    // The caller's abort signal stops a stage.
    handleSignals: false,
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
      : // One model with a thread per core: a model in each of two processes took as long and more memory.
        { policy: 'cpu', workers: 1 },
};

export function defaultStageOptions(stage: keyof typeof PREFERRED): StageOptions {
  const config = settingsTable().defaults;
  return stageSettings({}, config, PREFERRED[stage](config));
}

export function doctagsSettings(config: Config): DoctagsSettings {
  const { parse, keys } = config;
  const remote = {
    proxy: proxyOf(config),
    baseUrl: parse.engine_url,
    requestTimeoutMs: parse.engine_timeout_s * 1_000,
    ...(keys.engine !== '' && { apiKey: keys.engine }),
  };
  if (parse.engine !== 'embedded' && parse.engine_url === '') {
    throw new AppError('CONFIG_INVALID', `parse.engine_url is required when parse.engine is ${parse.engine}`, {
      hint: 'set parse.engine_url to the URL of the server',
    });
  }
  return {
    mode: parse.mode,
    engine:
      parse.engine === 'embedded'
        ? { kind: 'embedded' }
        : parse.engine === 'vlm'
          ? {
              kind: 'vlm',
              ...remote,
              model: parse.engine_model,
              prompt: parse.engine_prompt,
              dpi: parse.engine_dpi,
            }
          : { kind: 'docling-serve', ...remote },
    maxPages: parse.max_pages,
    maxFileBytes: parse.max_file_mb * 1_000_000,
    ...ocrSettings(parse),
    markdown: parse.markdown,
    json: parse.docling_json,
    html: parse.html,
  };
}

/** How scans are read: by the embedded engine if installed, else by the tesseract program. */
function ocrSettings(parse: Config['parse']): Pick<DoctagsSettings, 'ocr'> {
  if (parse.ocr === 'off') return {};
  const common = {
    languages: parse.ocr_languages,
    timeoutMs: 60_000,
    ...(parse.ocr === 'force' && { force: true }),
  };
  if (parse.ocr_engine !== 'tesseract' && ocrLanguages().length > 0) return { ocr: { engine: 'embedded', ...common } };
  // Workers have no PATH, so the program is looked up here.
  const command = parse.ocr_engine === 'embedded' ? undefined : locateTesseract();
  if (command !== undefined) return { ocr: { engine: 'tesseract', command, ...common } };
  if (parse.ocr === 'auto' && parse.ocr_engine === 'auto') return {};
  throw new AppError('OCR_NOT_INSTALLED', `no OCR engine is installed (parse.ocr_engine: ${parse.ocr_engine})`, {
    hint: `${ocrInstall()}, or install tesseract`,
  });
}

function ocrInstall(): string {
  return installCommand(['tesseract.js-core', '@tesseract.js-data/eng']);
}

export function chunkSettings({ parse }: Config): ChunkSettings {
  return {
    tokenizer: parse.tokenizer,
    maxTokens: parse.max_tokens,
    minTokens: parse.min_tokens,
    overlapTokens: parse.overlap_tokens,
  };
}

/** The configured dense engine, as plain data for workers; undefined if none is wanted. */
export function denseSettings(config: Config): DenseSettings | undefined {
  const { parse, keys, stage } = config;
  const prefixes = { query: parse.query_prefix, passage: parse.passage_prefix };
  switch (parse.dense) {
    case 'none':
      return undefined;
    case 'embedded':
      return { engine: 'embedded', precision: parse.precision, threads: parse.threads };
    case 'onnx':
      return {
        engine: 'onnx',
        folder: parse.embed_model,
        modelsFolder: join(parse.data_root, 'Models'),
        threads: parse.threads,
        proxy: proxyOf(config),
        prefixes,
      };
    case 'openai-compatible':
      return {
        engine: 'openai-compatible',
        url: parse.embed_url,
        model: parse.embed_model,
        revision: parse.embed_revision,
        apiKey: keys.embeddings === '' ? undefined : keys.embeddings,
        dimensions: parse.embed_dimensions,
        batchSize: parse.batch_size,
        concurrency: parse.concurrency,
        timeoutMs: parse.embed_timeout_s * 1000,
        retries: parse.embed_retries,
        retryBackoffMs: 1_000,
        longestWaitMs: 300_000,
        ...(stage.timeout_s !== null && stage.timeout_s > 0 && { probeMs: stage.timeout_s * 1000 }),
        normalise: true,
        proxy: proxyOf(config),
        prefixes,
      };
  }
}

export async function openEmbedEngines(config: Config, runtime: Runtime): Promise<EmbedEngines> {
  return { dense: await openDense(config, runtime), sparse: config.parse.sparse === 'none' ? undefined : bm25 };
}

/** Opens the dense engine; if the model is not installed, warns and continues with lexical search only. */
async function openDense(config: Config, runtime: Runtime): Promise<DenseEngine | undefined> {
  const settings = denseSettings(config);
  const opened = settings && (await openDenseEngineIfInstalled(settings));
  if (opened?.kind === 'missing')
    runtime.log(
      'warn',
      `${opened.reason.message}: no dense vectors are made, search goes by words alone (${opened.reason.hint ?? ''})`,
    );
  if (opened?.kind === 'engine' && opened.engine.notice !== undefined)
    runtime.log('warn', `embedding: ${opened.engine.notice.message} (${opened.engine.notice.remedy})`);
  return opened?.kind === 'engine' ? opened.engine : undefined;
}

/** Collects what to warn about after a DocTags run. */
export function documentNotices(modelIsEnglish: boolean) {
  const scans: string[] = [];
  const foreign = new Map<string, number>();
  return {
    note({ itemId }: WorkItem, ended: ItemOutcome): void {
      if (ended.reason === NEEDS_OCR) scans.push(itemId);
      const language = ended.manifest?.['language'];
      if (ended.status === 'success' && typeof language === 'string' && !language.startsWith('en'))
        foreign.set(language, (foreign.get(language) ?? 0) + 1);
    },
    warnings: (): string[] => [...aboutScans(scans), ...(modelIsEnglish ? aboutLanguages(foreign) : [])],
  };
}

function aboutScans(scans: readonly string[]): string[] {
  const [first] = scans;
  if (first === undefined) return [];
  const which =
    scans.length === 1 ? `1 document (${first}) is a scan` : `${scans.length} documents (${first}, …) are scans`;
  return [
    `${which} without text (${NEEDS_OCR}): their text cannot be searched; install an OCR engine (${ocrInstall()}) and parse again, or check --ocr-languages`,
  ];
}

function aboutLanguages(foreign: ReadonlyMap<string, number>): string[] {
  if (foreign.size === 0) return [];
  const languages = [...foreign].sort((a, b) => b[1] - a[1]).map(([language, count]) => `${language} ${count}`);
  const count = foreign.values().reduce((sum, each) => sum + each, 0);
  return [
    `${count} ${count === 1 ? 'document is' : 'documents are'} not in English (${languages.join(', ')}): the embedded model knows English only, so search by meaning is weak there, by words it is not; parse.dense and parse.embed_model choose a multilingual model`,
  ];
}

/** The caller disposes of it. */
export function modelClient(config: Config): HttpClient {
  const { model, http } = config;
  return openModelClient(model.url, {
    contact: http.contact,
    proxy: proxyOf(config),
    concurrency: model.concurrency,
    perSecond: model.per_second,
    timeoutMs: model.timeout_s * 1_000,
    retries: model.retries,
    longestWaitMs: 300_000,
  });
}

export function modelSettings({ model, keys }: Config): ModelSettings {
  return { url: model.url, model: model.name, apiKey: keys.model, maxTokens: model.max_tokens };
}

export function modelPrices({ model }: Config): ModelPrices {
  return {
    usdPerMillionInput: model.usd_per_million_input,
    usdPerMillionOutput: model.usd_per_million_output,
    budgetUsd: model.budget_usd,
    budgetTokens: model.budget_tokens,
  };
}
