import { join } from 'node:path';
import { statSync } from 'node:fs';

import { canonicalJson, sha256 } from '../../base/index.ts';
import type { ParsedDocument } from '../document.ts';
import type { FileFormat } from '../files/open.ts';
import { formatOf } from '../files/open.ts';
import type { ChunkOptions } from './chunk.ts';
import { CHUNK_SCHEMA, writeChunks } from './chunk.ts';
import { chunkDocument } from './chunker.ts';
import type { Tokenizer } from './tokenizer.ts';
import { openTokenizer } from './tokenizer.ts';
import type { StageItems, StagePlan, WorkerModule, WorkItem } from '../../stage/index.ts';
import { blocksPath, parsedDocuments } from '../doctags/stage.ts';

export interface ChunkSettings extends ChunkOptions {
  readonly tokenizer: string;
}

/** Raised when the same settings give different chunks. */
const CHUNKER_VERSION = 3;
const FOLDER = 'ChunkedDocTagFiles';

export function chunkConfigHash(options: ChunkOptions, tokenizer: Tokenizer, format: FileFormat): string {
  const { maxTokens, minTokens, overlapTokens } = options;
  const made = { schema: CHUNK_SCHEMA, version: CHUNKER_VERSION, tokenizer: tokenizer.identity, format };
  return sha256(canonicalJson({ ...made, maxTokens, minTokens, overlapTokens }));
}

/** Where the chunks of a document are, in a data folder. */
export function chunkOutput(dataRoot: string, item: string, format: FileFormat): string {
  return join(dataRoot, FOLDER, `${item}.${format}`);
}

export async function chunkItem(item: {
  readonly id: string;
  readonly document: Pick<ParsedDocument, 'blocks' | 'metadata'>;
  readonly output: string;
  readonly tokenizer: Tokenizer;
  readonly options: ChunkOptions;
}) {
  const chunks = chunkDocument(item.id, item.document, item.tokenizer, item.options);
  await writeChunks(item.output, chunks, item.tokenizer);
  const tokens = chunks.map((chunk) => chunk.tokens).sort((a, b) => a - b);
  return {
    chunk_count: chunks.length,
    tokens_p50: percentile(tokens, 0.5),
    tokens_p95: percentile(tokens, 0.95),
    chunks_format: formatOf(item.output),
  };
}

/** Nearest rank; 0 of nothing. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

export const chunkWorker: WorkerModule = {
  module: new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url),
};

export async function chunkPlan(
  dataRoot: string,
  settings: ChunkSettings,
  format: FileFormat,
): Promise<StagePlan & { readonly items: WorkItem[] }> {
  const { item } = await chunkItems(dataRoot, settings, format);
  const items = parsedDocuments(dataRoot).map(item);
  return { stageName: 'chunk', items, totalItems: items.length };
}

export async function chunkItems(dataRoot: string, settings: ChunkSettings, format: FileFormat): Promise<StageItems> {
  const cfgHash = chunkConfigHash(settings, await openTokenizer(settings.tokenizer), format);
  const item = (itemId: string): WorkItem => {
    const blocks = blocksPath(dataRoot, itemId);
    return {
      itemId,
      inputs: { blocks },
      outputs: { chunks: chunkOutput(dataRoot, itemId, format) },
      cfgHash,
      costHint: statSync(blocks, { throwIfNoEntry: false })?.size ?? 0,
    };
  };
  return { cfgHash, item };
}
