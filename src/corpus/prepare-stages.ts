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
import type { ClosingStage, FlowingStage } from './prepared-stage.ts';
import { chunkSettings, denseSettings, doctagsSettings } from './parse-settings.ts';
import { PREFERRED } from './stage-defaults.ts';
import type { StageCall } from './stage-settings.ts';
import { stageSettings } from './stage-settings.ts';

/** The DocTags stage: parsers run in processes of their own, which can be killed. */
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

/** The chunk stage. */
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

/** Whom to tell of what was damaged. */
interface Warned {
  readonly warn?: Warn;
}

/** The embed stage over every document that is chunked, with engines that are open. */
export function prepareEmbed(config: Config, engines: EmbedEngines, call: StageCall & Warned = {}): ClosingStage {
  const { parse } = config;
  const cache = openCache(config, call);
  const options = stageSettings(call, config, PREFERRED.embed(config));
  return {
    stageName: 'embed',
    // Only a worker of its own can be killed when it hangs; the others share the engines that are open here.
    ...(options.policy === 'cpu'
      ? { worker: embedWorker, data: embedWorkerSettings(config, engines) }
      : { worker: createEmbedWorker({ engines, type: parse.vector_type, cache }) }),
    options,
    plan: embedPlan(parse.data_root, { engines, type: parse.vector_type, format: parse.format }),
    [Symbol.asyncDispose]: async () => cache[Symbol.dispose](),
  };
}

/**
 * Dense vectors made as documents are chunked, ahead of the embed stage. The model computes for tens of milliseconds a
 * passage: in a separate process it does not hold up the downloads.
 */
export function prepareDense(config: Config, call: StageCall & Warned = {}): FlowingStage | undefined {
  const { parse } = config;
  const dense = plainDense(config);
  if (!dense) return undefined;
  // Looked at here, where somebody can be told if it is damaged.
  openCache(config, call)[Symbol.dispose]();
  const remote = dense.engine === 'openai-compatible';
  return {
    stageName: 'dense',
    worker: aheadWorker,
    // One model with a thread for each core: a model in each of two processes took as long and more memory.
    options: stageSettings(call, config, remote ? { policy: 'gpu', workers: 4 } : { policy: 'cpu', workers: 1 }),
    data: { dense, cache: cachePath(config) } satisfies AheadSettings,
    item: aheadItems(parse.data_root, parse.format),
  };
}

/** What makes the same engines again in another thread or process. */
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
