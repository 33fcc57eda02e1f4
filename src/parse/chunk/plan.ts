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
  const cfgHash = chunkConfigHash(settings, await openTokenizer(settings.tokenizer), format);
  const folder = join(dataRoot, DOCTAGS_FOLDER);
  const items = globSync('*.jsonl', { cwd: folder })
    .sort()
    .map((name): WorkItem => {
      const itemId = name.replace(/\.jsonl$/, '');
      const blocks = join(folder, name);
      return {
        itemId,
        inputs: { blocks },
        outputs: { chunks: chunkOutput(dataRoot, itemId, format) },
        cfgHash,
        costHint: statSync(blocks).size,
      };
    });
  return { stageName: 'chunk', items, totalItems: items.length };
}
