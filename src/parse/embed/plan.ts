import { existsSync, globSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import type { StagePlan, StageWorker, WorkItem } from '../../stage/index.ts';
import { embeddedText } from '../chunk/chunk.ts';
import { readChunkTexts } from '../chunk/chunk-file.ts';
import { chunkOutput } from '../chunk/stage.ts';
import type { FileFormat } from '../files/open.ts';
import type { VectorCache } from './cache.ts';
import type { SparseEngine } from './engine.ts';
import { loadBm25, measureBm25, openBm25, saveBm25 } from './engines/bm25.ts';
import { stoppingFault } from './server-fault.ts';
import type { EmbedEngines } from './stage.ts';
import { embedConfigHash, embedItem, embedOutput } from './stage.ts';
import type { VectorType } from './vector-file.ts';

/** The chunk files of a data folder, in the order of their names. */
function chunkFiles(dataRoot: string, format: FileFormat): string[] {
  const folder = dirname(chunkOutput(dataRoot, 'any', format));
  return globSync(`*.${format}`, { cwd: folder })
    .sort()
    .map((name) => join(folder, name));
}

/** Every document that the chunk stage has written. */
export function embedPlan(
  dataRoot: string,
  options: { readonly engines: EmbedEngines; readonly type: VectorType; readonly format: FileFormat },
): StagePlan & { readonly items: WorkItem[] } {
  const { engines, type, format } = options;
  const cfgHash = embedConfigHash(engines, type, format);
  const items = chunkFiles(dataRoot, format).map((chunks): WorkItem => {
    const itemId = basename(chunks, `.${format}`);
    return {
      itemId,
      inputs: { chunks },
      outputs: { vectors: embedOutput(dataRoot, itemId, format) },
      cfgHash,
      costHint: statSync(chunks).size,
    };
  });
  return { stageName: 'embed', items, totalItems: items.length };
}

/** Embeds one document with engines that live in this process. An embedding server that is gone stops the stage. */
export function createEmbedWorker(options: {
  readonly engines: EmbedEngines;
  readonly type: VectorType;
  readonly cache: VectorCache | undefined;
}): StageWorker {
  return async (item, context) => {
    const files = { input: item.inputs['chunks'] ?? '', output: item.outputs['vectors'] ?? '' };
    try {
      const extras = await embedItem({ ...files, ...options }, context.signal);
      return { status: 'success', manifest: { ...extras } };
    } catch (error) {
      throw stoppingFault(error);
    }
  };
}

/**
 * BM25 with the statistics of this collection: measured the first time, and kept, so that vectors of later runs can be
 * compared with those of the first. Remove the file to measure again.
 */
export async function openCorpusBm25(dataRoot: string, format: FileFormat): Promise<SparseEngine> {
  const path = join(dataRoot, 'Embeddings', 'bm25-statistics.json');
  if (existsSync(path)) return openBm25(await loadBm25(path));
  const statistics = await measureBm25(textsOf(chunkFiles(dataRoot, format)));
  await saveBm25(path, statistics);
  return openBm25(statistics);
}

async function* textsOf(files: readonly string[]): AsyncGenerator<string> {
  for (const file of files) for await (const chunk of readChunkTexts(file)) yield embeddedText(chunk);
}
