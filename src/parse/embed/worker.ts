import { oncePer } from '../../base/index.ts';
import type { StageWorker, WorkerModule } from '../../stage/index.ts';
import type { FileFormat } from '../files/open.ts';
import { VectorCache } from './embed-texts.ts';
import type { DenseSettings } from './engine.ts';
import { openDenseEngine } from './engine.ts';
import { createEmbedWorker, openCorpusBm25, stoppingFault } from './stage.ts';
import type { VectorType } from './vector-file.ts';

export interface EmbedWorkerSettings {
  readonly dense: DenseSettings | undefined;
  /** Where the chunks are that BM25 counts; undefined without sparse vectors. */
  readonly sparse: { readonly dataRoot: string; readonly format: FileFormat } | undefined;
  readonly type: VectorType;
  /** The file of the vector cache. */
  readonly cache: string;
}

export const embedWorker: WorkerModule = {
  module: new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url),
};

const workerOf = oncePer(async ({ dense, sparse, type, cache }: EmbedWorkerSettings) => {
  const engines = {
    dense: dense && (await openDenseEngine(dense)),
    sparse: sparse && (await openCorpusBm25(sparse.dataRoot, sparse.format)),
  };
  return createEmbedWorker({ engines, type, cache: new VectorCache(cache) });
});

const embed: StageWorker = async (item, context) => {
  // Where that fails the next attempt opens them again: a server may be back by then.
  const worker = await workerOf(context.data as EmbedWorkerSettings).catch((error: unknown) => {
    throw stoppingFault(error);
  });
  return await worker(item, context);
};
export default embed;
