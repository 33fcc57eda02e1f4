import { oncePer } from '../../base/index.ts';
import type { StageWorker } from '../../stage/index.ts';
import { readBlockLines } from '../doctags/formats/block-lines.ts';
import { chunkItem } from './stage.ts';
import { openTokenizer } from './tokenizer.ts';
import type { ChunkSettings } from './stage.ts';

const tokenizerOf = oncePer(({ tokenizer }: ChunkSettings) => openTokenizer(tokenizer));

export async function prepare(data: unknown): Promise<void> {
  await tokenizerOf(data as ChunkSettings);
}

const chunkOne: StageWorker = async (item, context) => {
  const settings = context.data as ChunkSettings;
  const manifest = await chunkItem({
    id: item.itemId,
    document: await readBlockLines(item.inputs['blocks'] ?? ''),
    output: item.outputs['chunks'] ?? '',
    tokenizer: await tokenizerOf(settings),
    options: settings,
  });
  return { status: 'success', manifest };
};
export default chunkOne;
