import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { AppError, FileLock } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import type { Runtime } from '../queue/open-queue.ts';
import type { CorpusStorage } from '../storage/storage.ts';
import { openQueue, queueLineSettings } from '../queue/open-queue.ts';
import { openStorage } from '../storage/storage.ts';
import type { EmbedEngines } from '../../parse/index.ts';
import { chunkPlan, doctagsPlan, embedPlan, unreachableEngine } from '../../parse/index.ts';
import type { StageOptions, StageOutcome, StagePlan, WorkItem } from '../../stage/index.ts';
import { inShard } from '../../stage/index.ts';
import { refuseFleetFolder } from '../../journal/index.ts';
import type { PreparedStage, StageCall } from './prepare-stages.ts';
import {
  chunkSettings,
  doctagsSettings,
  openEmbedEngines,
  prepareChunk,
  prepareDoctags,
  prepareEmbed,
} from './prepare-stages.ts';
import { QueueLine } from '../lines/queue-line.ts';
import { runPrepared } from './run-prepared.ts';
import { portable, storedOutputs } from './stored-outputs.ts';
import type { CorpusEvent } from '../run-file.ts';

export const PARSE_STAGES = ['doctags', 'chunk', 'embed'] as const;
export type ParseStage = (typeof PARSE_STAGES)[number];

/** Which papers are parsed, and by which stages. */
export interface ParseRequest extends StageCall {
  /** A folder of papers, or one paper; required by the DocTags stage, the others continue from its outputs. */
  readonly input?: string | undefined;
  /** All by default; without DocTags if there is no input. */
  readonly stages?: readonly ParseStage[] | undefined;
}

interface StagesCall extends ParseRequest {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly tell: (event: CorpusEvent) => void;
  readonly signal: AbortSignal;
}

interface RunningStages extends StagesCall {
  readonly storage: CorpusStorage;
}

export async function runStages(call: StagesCall): Promise<void> {
  const { input, signal, config, runtime } = call;
  const { startStageTelemetry } = await import('../../telemetry/index.ts');
  await using telemetry = await startStageTelemetry(config.telemetry, (message) => runtime.log('warn', message));
  // The data folder is inside the corpus folder.
  const folder = dirname(config.parse.data_root);
  await using storage = await openStorage({ ...config, download: { ...config.download, out: folder } }, runtime);
  if (storage.journal.isReadOnly) refuseFleetFolder(folder);
  const tell = (event: CorpusEvent): void => {
    if (event.kind === 'stage') telemetry.report(event.stage, event.event);
    call.tell(event);
  };
  for (const name of call.stages ?? PARSE_STAGES.slice(input === undefined ? 1 : 0)) {
    const outcome = await RUN[name]({ ...call, tell, storage });
    // A failed paper does not stop the others; a stopped run does.
    if (outcome?.cancelled || signal.aborted) return;
  }
}

const RUN: Readonly<Record<ParseStage, (call: RunningStages) => Promise<StageOutcome | undefined>>> = {
  async doctags(call) {
    const { input, config } = call;
    if (input === undefined)
      throw new AppError('USAGE_INPUT', 'no input folder given', {
        hint: 'use docparse doctags --input FOLDER',
      });
    const stage = prepareDoctags(config, call);
    await bringInputs(call, sharedPrefix(input, config), (file) => stage.item(file)?.itemId ?? '', stage);
    const plan = doctagsPlan(input, config.parse.data_root, doctagsSettings(config));
    return await runWhole('doctags', stage, plan, call);
  },
  async chunk(call) {
    const { config } = call;
    const stage = await prepareChunk(config, call);
    await bringInputs(call, 'Data/DocTagsFiles/', (file) => withoutEndings(basename(file)), stage);
    const plan = await chunkPlan(config.parse.data_root, chunkSettings(config), config.parse.format);
    return await runWhole('chunk', stage, plan, call);
  },
  async embed(call) {
    const { config, runtime } = call;
    let fault: AppError | undefined;
    const engines = await openEmbedEngines(config, runtime).catch((error: unknown): EmbedEngines => {
      // If the server is down at the start, the first document fails, so that the manifest records it.
      if (!(error instanceof AppError) || !error.code.startsWith('EMBED_')) throw error;
      fault = error;
      const { embed_model: name, embed_revision: revision } = config.parse;
      return { dense: unreachableEngine(name, revision, error), sparse: undefined };
    });
    if (!engines.dense && !engines.sparse) {
      runtime.log('warn', 'neither dense nor sparse vectors can be made; nothing to do');
      return undefined;
    }
    await using stage = prepareEmbed(config, engines, call, (message) => runtime.log('warn', message));
    await bringInputs(call, 'Data/ChunkedDocTagFiles/', (file) => withoutEndings(basename(file)), stage);
    const { data_root: dataRoot, format, vector_type: type } = config.parse;
    const plan = embedPlan(dataRoot, { engines, type, format });
    if (!fault) return await runWhole('embed', stage, plan, call);
    const items = plan.items.filter(({ outputs }) => !existsSync(outputs['vectors'] ?? ''));
    if (items.length === 0) throw fault;
    return await runWhole('embed', stage, { ...plan, items, totalItems: items.length }, call);
  },
};

async function runWhole(
  name: ParseStage,
  stage: PreparedStage,
  whole: StagePlan & { readonly items: readonly WorkItem[] },
  call: RunningStages,
): Promise<StageOutcome> {
  const { tell, signal, storage, config } = call;
  const isStored = config.store.url !== '' && !stage.options.dryRun;
  await using plan = await openSharedPlan(whole, stage.options, call);
  const stored = isStored ? storedOutputs(storage, name) : undefined;
  const outcome = await runPrepared(name, stage, plan, {
    report: (_name, event) => tell({ kind: 'stage', stage: name, event }),
    signal,
    sink: stored?.rows,
    hooks: { afterItem: (item, ended) => 'status' in ended && stored?.add(item, ended) },
  });
  await stored?.flush();
  return outcome;
}

/** Fetches missing inputs of this shard from the store. */
async function bringInputs(
  { storage, signal }: RunningStages,
  prefix: string | undefined,
  idOf: (file: string) => string,
  { options }: PreparedStage,
): Promise<void> {
  if (prefix === undefined || options.dryRun) return;
  const { files } = storage;
  const isWanted = (path: string): boolean => inShard(idOf(join(files.folder, path)), options.shard);
  await files.bringAll(prefix, isWanted, signal);
}

/** The papers' path in the corpus folder; undefined if they are elsewhere, and so not in the store. */
function sharedPrefix(input: string, { parse }: Config): string | undefined {
  const path = portable(input, dirname(parse.data_root));
  return path.startsWith('..') ? undefined : path;
}

/** `W1.v2.doctags.json` without `.doctags.json`. */
function withoutEndings(name: string): string {
  const parts = name.split('.');
  while (parts.length > 1 && /^[a-z]*$/.test(parts.at(-1) ?? '')) parts.pop();
  return parts.join('.');
}

/** With `stage.source: queue`, runners share the items in a queue: a SQLite file or a PostgreSQL schema. */
async function openSharedPlan(
  plan: StagePlan & { readonly items: readonly WorkItem[] },
  options: StageOptions,
  { config, runtime }: RunningStages,
): Promise<StagePlan & AsyncDisposable> {
  // A dry run only reads: it leases nothing.
  if (config.stage.source === 'files' || options.dryRun)
    return { ...plan, [Symbol.asyncDispose]: () => Promise.resolve() };
  if (options.shard.count > 1) {
    throw new AppError(
      'USAGE_SOURCE',
      '--shard cannot be used with --source queue, which distributes the documents itself',
      {
        hint: 'omit --shard, or use --source files',
      },
    );
  }
  const { stageName } = plan;
  const path = join(options.manifestDir, `docparse.${stageName}.queue.sqlite`);
  const schema = `${config.queue.schema}_${stageName}`;
  await using opened = new AsyncDisposableStack();
  const queue = opened.use(await openQueue({ ...config, queue: { ...config.queue, path, schema } }, runtime));
  using lock = new FileLock(`${path}.lock`, runtime.clock);
  const settings = queueLineSettings(config, runtime, options);
  const arrive = readableHere(plan.items);
  const line = opened.use(await QueueLine.open(plan.items, { ...settings, queue, lock, arrive }));
  const moved = opened.move();
  const { totalItems: _, ...rest } = plan;
  return { ...rest, items: line, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

/** Replaces an item whose files cannot be read here by this machine's own; without one the runner ends. */
function readableHere(planned: readonly WorkItem[]): (item: WorkItem) => Promise<WorkItem> {
  const own = new Map(planned.map((item) => [item.itemId, item]));
  return async (item) => {
    const missing = Object.values(item.inputs).find((path) => !existsSync(path));
    if (missing === undefined) return item;
    const here = own.get(item.itemId);
    if (here) return here;
    throw new AppError('STAGE_QUEUE_UNREADABLE', `another machine has queued ${missing}, which cannot be read here`, {
      hint: 'machines without a shared disk need a store: docstokg run --fleet … --store …',
    });
  };
}
