import { AppError } from '../../base/index.ts';
import type { Region } from '../document.ts';
import { checkedRows } from '../files/schema.ts';
import { openRowReader, openRowWriter } from '../files/open.ts';
import type { Row, TableSchema } from '../files/schema.ts';
import type { Chunk } from './chunk.ts';
import { CHUNK_SCHEMA } from './chunk.ts';

const COLUMNS = {
  chunk_id: 'string',
  doc_id: 'string',
  chunk_index: 'integer',
  text: 'string',
  context: 'string',
  token_count: 'integer',
  flow_start: 'integer',
  flow_end: 'integer',
  repeated_chars: 'integer',
  title: 'string',
  headings: 'strings',
  kinds: 'strings',
  blocks: 'integers',
  page_first: 'integer',
  page_last: 'integer',
  regions: 'regions',
} as const satisfies TableSchema['columns'];

/** Writes a document's chunks; the file name decides the format. */
export async function writeChunks(
  path: string,
  chunks: Iterable<Chunk>,
  tokenizer: { readonly identity: string },
): Promise<void> {
  const metadata = { schema: CHUNK_SCHEMA, tokenizer: tokenizer.identity };
  await using writer = await openRowWriter(path, { metadata, columns: COLUMNS });
  for (const chunk of chunks) await writer.write(toRow(chunk));
  await writer.finish();
}

function toRow(chunk: Chunk): Record<keyof typeof COLUMNS, unknown> {
  const pages = chunk.regions.map(({ page }) => page);
  return {
    chunk_id: chunk.id,
    doc_id: chunk.document,
    chunk_index: chunk.index,
    text: chunk.text,
    context: chunk.context,
    token_count: chunk.tokens,
    flow_start: chunk.start,
    flow_end: chunk.end,
    repeated_chars: chunk.repeated,
    title: chunk.title,
    headings: chunk.headings,
    kinds: chunk.kinds,
    blocks: chunk.blocks,
    page_first: pages.length > 0 ? pages.reduce((a, b) => Math.min(a, b)) : undefined,
    page_last: pages.length > 0 ? pages.reduce((a, b) => Math.max(a, b)) : undefined,
    regions: chunk.regions,
  };
}

/** Reads chunks, one after the other. */
export async function* readChunks(path: string): AsyncGenerator<Chunk> {
  for await (const row of chunkRows(path)) yield fromRow(row);
}

/** What of a chunk is needed to embed it. */
export type ChunkText = Pick<Chunk, 'id' | 'document' | 'index' | 'text' | 'context'>;

/** Reads only what is needed to embed chunks. */
export async function* readChunkTexts(path: string): AsyncGenerator<ChunkText> {
  for await (const row of chunkRows(path, ['chunk_id', 'doc_id', 'chunk_index', 'text', 'context'])) {
    yield {
      id: row['chunk_id'] as string,
      document: row['doc_id'] as string,
      index: row['chunk_index'] as number,
      text: row['text'] as string,
      context: row['context'] as string,
    };
  }
}

/** What of a chunk is needed to find it and to show it; `page` is the first that it is on. */
export type ChunkPassage = Pick<
  Chunk,
  'id' | 'document' | 'index' | 'text' | 'context' | 'title' | 'headings' | 'kinds' | 'regions'
> & {
  readonly page: number | undefined;
};

/** Reads only what is needed to find chunks and to show them. */
export async function* readChunkPassages(path: string): AsyncGenerator<ChunkPassage> {
  const columns = [
    'chunk_id',
    'doc_id',
    'chunk_index',
    'text',
    'context',
    'title',
    'headings',
    'kinds',
    'page_first',
    'regions',
  ] as const;
  for await (const row of chunkRows(path, columns)) {
    yield {
      id: row['chunk_id'] as string,
      document: row['doc_id'] as string,
      index: row['chunk_index'] as number,
      text: row['text'] as string,
      context: row['context'] as string,
      title: row['title'] as string,
      headings: row['headings'] as string[],
      kinds: row['kinds'] as string[],
      regions: regionsOf(row),
      page: (row['page_first'] as number | null | undefined) ?? undefined,
    };
  }
}

async function* chunkRows(path: string, columns?: readonly (keyof typeof COLUMNS)[]): AsyncGenerator<Row> {
  const reader = await openRowReader(path);
  const { schema } = reader.metadata;
  // A JSONL file without lines has nothing to say about itself.
  if (schema === undefined && reader.columns.length === 0) return;
  if (schema !== CHUNK_SCHEMA) {
    throw new AppError('CHUNK_SCHEMA', `${path} holds ${schema ?? 'something unknown'}, not ${CHUNK_SCHEMA}`, {
      hint: 'run docparse chunk again',
    });
  }
  yield* checkedRows(path, reader, COLUMNS, columns);
}

function fromRow(row: Row): Chunk {
  return {
    id: row['chunk_id'] as string,
    document: row['doc_id'] as string,
    index: row['chunk_index'] as number,
    text: row['text'] as string,
    repeated: row['repeated_chars'] as number,
    context: row['context'] as string,
    tokens: row['token_count'] as number,
    start: row['flow_start'] as number,
    end: row['flow_end'] as number,
    title: row['title'] as string,
    headings: row['headings'] as string[],
    kinds: row['kinds'] as string[],
    blocks: [...(row['blocks'] as Iterable<number>)],
    regions: regionsOf(row),
  };
}

function regionsOf(row: Row): Region[] {
  return (row['regions'] as (Region | FlatRegion)[]).map((region) => ('box' in region ? region : nested(region)));
}

/** Parquet keeps a region flat. */
interface FlatRegion {
  readonly page: number;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

function nested({ page, left, top, right, bottom }: FlatRegion): Region {
  return { page, box: { left, top, right, bottom } };
}

/** What is wrong with a file of chunks; nothing when it can be relied on. */
export async function validateChunks(path: string, maxTokens?: number): Promise<string[]> {
  const faults: string[] = [];
  const ids = new Set<string>();
  let at = 0;
  let index = 0;
  for await (const chunk of readChunks(path)) {
    const fault = (what: string): void => void faults.push(`chunk ${chunk.index} (${chunk.id}): ${what}`);
    if (ids.has(chunk.id)) fault('its id occurs twice');
    if (chunk.index !== index) fault(`stands in place ${index}`);
    if (chunk.start !== at) fault(`begins at ${chunk.start}, the one before ended at ${at}`);
    if (chunk.end <= chunk.start) fault('covers nothing');
    if (chunk.text.trim() === '') fault('has no text');
    if (maxTokens !== undefined && chunk.tokens > maxTokens)
      fault(`has ${chunk.tokens} tokens, more than ${maxTokens}`);
    ids.add(chunk.id);
    at = chunk.end;
    index += 1;
  }
  return faults;
}
