import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

import type { StagePlan, WorkerModule, WorkItem } from '../../stage/index.ts';
import { DOCTAGS_FOLDER } from '../doctags/stage.ts';
import type { FileFormat } from '../files/open.ts';
import { chunkConfigHash, chunkOutput } from './stage.ts';
import { openTokenizer } from './tokenizer.ts';
import type { ChunkSettings } from './worker.ts';

/** The worker of the stage, by name, as a thread needs it. */
export const chunkWorker: WorkerModule = {
  module: new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url),
};

/** Every document that the DocTags stage has written, in the order of their names. */
export async function chunkPlan(
  dataRoot: string,
  settings: ChunkSettings,
  format: FileFormat,
): Promise<StagePlan & { readonly items: WorkItem[] }> {
  const item = await chunkItems(dataRoot, settings, format);
  const items = globSync('*.jsonl', { cwd: join(dataRoot, DOCTAGS_FOLDER) })
    .sort()
    .map((name) => item(name.replace(/\.jsonl$/, '')));
  return { stageName: 'chunk', items, totalItems: items.length };
}

/** Makes items out of documents that the DocTags stage has written, by their ids. */
export async function chunkItems(
  dataRoot: string,
  settings: ChunkSettings,
  format: FileFormat,
): Promise<(itemId: string) => WorkItem> {
  const cfgHash = chunkConfigHash(settings, await openTokenizer(settings.tokenizer), format);
  return (itemId) => {
    const blocks = join(dataRoot, DOCTAGS_FOLDER, `${itemId}.jsonl`);
    return {
      itemId,
      inputs: { blocks },
      outputs: { chunks: chunkOutput(dataRoot, itemId, format) },
      cfgHash,
      costHint: statSync(blocks, { throwIfNoEntry: false })?.size ?? 0,
    };
  };
}
