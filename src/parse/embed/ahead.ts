import { existsSync } from 'node:fs';

import { oncePer, systemClock } from '../../base/index.ts';
import type { StageWorker, WorkerModule, WorkItem } from '../../stage/index.ts';
import { embeddedText, readChunkTexts } from '../chunk/chunk.ts';
import { chunkOutput } from '../chunk/stage.ts';
import type { FileFormat } from '../files/open.ts';
import { VectorCache, embedTexts } from './embed-texts.ts';
import type { DenseSettings } from './engine.ts';
import { openDenseEngine } from './engine.ts';
import { stoppingFault, embedOutput } from './stage.ts';
import type { PlainDense } from './worker.ts';

/** What is told to whoever makes vectors ahead. */
export interface AheadSettings {
  readonly dense: PlainDense<DenseSettings>;
  /** The file of the vector cache. */
  readonly cache: string;
}

/** Makes dense vectors ahead of the embed stage, by name, as a process needs it. */
export const aheadWorker: WorkerModule = {
  module: new URL(import.meta.url.endsWith('.ts') ? './ahead.ts' : './ahead.js', import.meta.url),
};

/**
 * Makes items out of chunked documents, by their ids; undefined where vectors are already. Vectors made ahead go into
 * the cache alone: the files that hold them also hold BM25, which counts words of the whole collection first.
 */
export function aheadItems(dataRoot: string, format: FileFormat): (itemId: string) => WorkItem | undefined {
  return (itemId) => {
    if (existsSync(embedOutput(dataRoot, itemId, format))) return undefined;
    const chunks = chunkOutput(dataRoot, itemId, format);
    return { itemId, inputs: { chunks }, outputs: {}, cfgHash: '', costHint: 1 };
  };
}

const toolsOf = oncePer(async ({ dense, cache }: AheadSettings) => ({
  engine: await openDenseEngine({ ...dense, clock: systemClock } as DenseSettings),
  cache: new VectorCache(cache),
}));

/** Loads the model before there is anything to embed; a server is not asked for nothing. */
export async function prepare(data: unknown): Promise<void> {
  const settings = data as AheadSettings;
  if (settings.dense.engine === 'openai-compatible') return;
  const { engine } = await toolsOf(settings);
  await engine.embed(['ready'], 'passage');
}

/** Puts the vectors of one document's chunks into the cache. The engine is opened once per process. */
const makeAhead: StageWorker = async (item, context) => {
  const { engine, cache } = await toolsOf(context.data as AheadSettings);
  const texts: string[] = [];
  for await (const chunk of readChunkTexts(item.inputs['chunks'] ?? '')) texts.push(embeddedText(chunk));
  try {
    const { embedded } = await embedTexts(texts, { engine, cache, role: 'passage', signal: context.signal });
    return { status: 'success', manifest: { vectors_computed: embedded } };
  } catch (error) {
    throw stoppingFault(error);
  }
};
export default makeAhead;
