import { existsSync } from 'node:fs';

import { oncePer } from '../../base/index.ts';
import type { StageWorker, WorkerModule, WorkItem } from '../../stage/index.ts';
import { embeddedText, readChunkTexts } from '../chunk/chunk.ts';
import { chunkOutput } from '../chunk/stage.ts';
import type { FileFormat } from '../files/open.ts';
import { VectorCache, embedTexts } from './embed-texts.ts';
import type { DenseSettings } from './engine.ts';
import { openDenseEngine } from './engine.ts';
import { stoppingFault, embedOutput } from './stage.ts';

export interface AheadSettings {
  readonly dense: DenseSettings;
  /** The file of the vector cache. */
  readonly cache: string;
}

export const aheadWorker: WorkerModule = {
  module: new URL(import.meta.url.endsWith('.ts') ? './ahead.ts' : './ahead.js', import.meta.url),
};

/** Vectors go only into the cache: vector files also have BM25, which counts the words of all documents. */
export function aheadItems(dataRoot: string, format: FileFormat): (itemId: string) => WorkItem | undefined {
  return (itemId) => {
    if (existsSync(embedOutput(dataRoot, itemId, format))) return undefined;
    const chunks = chunkOutput(dataRoot, itemId, format);
    return { itemId, inputs: { chunks }, outputs: {}, cfgHash: '', costHint: 1 };
  };
}

const toolsOf = oncePer(async ({ dense, cache }: AheadSettings) => ({
  engine: await openDenseEngine(dense),
  cache: new VectorCache(cache),
}));

/** Loads a local model before the first document arrives. */
export async function prepare(data: unknown): Promise<void> {
  const settings = data as AheadSettings;
  if (settings.dense.engine === 'openai-compatible') return;
  const { engine } = await toolsOf(settings);
  await engine.embed(['ready'], 'passage');
}

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
