import { oncePer } from '../../base/index.ts';
import type { StageWorker, WorkerModule } from '../../stage/index.ts';
import { VectorCache } from './embed-texts.ts';
import type { DenseSettings } from './open-engine.ts';
import { openDenseEngine } from './open-engine.ts';
import { bm25 } from './engines/bm25.ts';
import { createEmbedWorker, stoppingFault } from './stage.ts';
import type { VectorType } from './vector-file.ts';

export interface EmbedWorkerSettings {
  readonly dense: DenseSettings | undefined;
  /** Whether sparse vectors are made too. */
  readonly sparse: boolean;
  readonly type: VectorType;
  /** The file of the vector cache. */
  readonly cache: string;
}

export const embedWorker: WorkerModule = {
  module: new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url),
};

const workerOf = oncePer(async ({ dense, sparse, type, cache }: EmbedWorkerSettings) => {
  const engines = { dense: dense && (await openDenseEngine(dense)), sparse: sparse ? bm25 : undefined };
  return { engines, embed: createEmbedWorker({ engines, type, cache: new VectorCache(cache) }) };
});

/** Loads a local model before the first document arrives. */
export async function prepare(data: unknown): Promise<void> {
  const settings = data as EmbedWorkerSettings;
  if (settings.dense?.engine === 'openai-compatible') return;
  const { engines } = await workerOf(settings);
  await engines.dense?.embed(['ready'], 'passage');
}

const embed: StageWorker = async (item, context) => {
  // Where that fails the next attempt opens them again: a server may be back by then.
  const worker = await workerOf(context.data as EmbedWorkerSettings).catch((error: unknown) => {
    throw stoppingFault(error);
  });
  return await worker.embed(item, context);
};
export default embed;
