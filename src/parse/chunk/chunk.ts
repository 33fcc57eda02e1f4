import type { Region } from '../document.ts';
import { AppError } from '../../base/index.ts';
import type { ColumnType, Row, TableSchema } from '../files/table-file.ts';
import { checkedRows, openRowReader, openRowWriter } from '../files/open.ts';

export const CHUNK_SCHEMA = 'docstokg/chunk/1';

/** A passage of a document that is embedded and found as one. */
export interface Chunk {
  /** Stable: the same document, text and context give the same id. */
  readonly id: string;
  /** The id of its document. */
  readonly document: string;
  /** Its index in the document, from 0. */
  readonly index: number;
  /** The shown text: first `repeated` characters from elsewhere (overlap, table header), then the chunk's own text. */
  readonly text: string;
  /** How many characters at the start of the text are from elsewhere. */
  readonly repeated: number;
  /** Document title and headings above the chunk that are not in its text; one per line. */
  readonly context: string;
  /** Tokens of context and text, including the model's special tokens. */
  readonly tokens: number;
  /** The range of the chunk's own text in the flow. The ranges of a document's chunks cover the flow without gaps. */
  readonly start: number;
  /** Where the range ends. */
  readonly end: number;
  /** The title of the document. */
  readonly title: string;
  /** Headings from the outermost to the innermost that cover the chunk. */
  readonly headings: readonly string[];
  /** The kinds of the blocks it overlaps. */
  readonly kinds: readonly string[];
  /** `order` of the blocks it overlaps. */
  readonly blocks: readonly number[];
  /** The regions of those blocks; empty for inputs without pages. */
  readonly regions: readonly Region[];
  /**
   * Where in the text a page begins: an offset, then the page, in turns. Inside a paragraph that is broken over pages the
   * offset is estimated by the area of its pieces. Empty for inputs without pages.
   */
  readonly pageStarts: readonly number[];
}

/** The page of a place in a text with such page starts. */
export function pageAt(pageStarts: readonly number[], at: number): number | undefined {
  let found: number | undefined;
  for (let pair = 0; pair + 1 < pageStarts.length && (pageStarts[pair] ?? 0) <= at; pair += 2)
    found = pageStarts[pair + 1];
  return found;
}

/** What is embedded, indexed and counted: the context, a line break, the text. */
export function embeddedText(chunk: { readonly context: string; readonly text: string }): string {
  return chunk.context === '' ? chunk.text : `${chunk.context}\n${chunk.text}`;
}

export interface ChunkOptions {
  /** Most tokens per chunk, including context and special tokens. */
  readonly maxTokens: number;
  /** Smaller chunks are merged with a peer if the result fits. */
  readonly minTokens: number;
  /** Tokens from the end of a chunk that are repeated at the start of the next one in the same section. */
  readonly overlapTokens: number;
}

const FIELDS = {
  id: ['chunk_id', 'string'],
  document: ['doc_id', 'string'],
  index: ['chunk_index', 'integer'],
  text: ['text', 'string'],
  context: ['context', 'string'],
  tokens: ['token_count', 'integer'],
  start: ['flow_start', 'integer'],
  end: ['flow_end', 'integer'],
  repeated: ['repeated_chars', 'integer'],
  title: ['title', 'string'],
  headings: ['headings', 'strings'],
  kinds: ['kinds', 'strings'],
  blocks: ['blocks', 'integers'],
  regions: ['regions', 'regions'],
  pageStarts: ['page_starts', 'integers'],
} as const satisfies Record<keyof Chunk, readonly [column: string, type: ColumnType]>;

const { regions, ...others } = FIELDS;
const COLUMNS: TableSchema['columns'] = Object.fromEntries([
  ...Object.values(others),
  ['page_first', 'integer'],
  ['page_last', 'integer'],
  regions,
]);

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

function toRow(chunk: Chunk): Row {
  const row: Record<string, unknown> = {};
  for (const [field, [column]] of Object.entries(FIELDS)) row[column] = chunk[field as keyof Chunk];
  const pages = chunk.regions.map(({ page }) => page);
  row['page_first'] = pages.length > 0 ? pages.reduce((a, b) => Math.min(a, b)) : undefined;
  row['page_last'] = pages.length > 0 ? pages.reduce((a, b) => Math.max(a, b)) : undefined;
  return row;
}

/** The chunks of a file, in the order of the document. */
export function readChunks(path: string): AsyncGenerator<Chunk> {
  return readFields(path, Object.keys(FIELDS) as (keyof Chunk)[]);
}

const EMBEDDED = ['id', 'document', 'index', 'text', 'context'] as const;
export type ChunkText = Pick<Chunk, (typeof EMBEDDED)[number]>;

export function readChunkTexts(path: string): AsyncGenerator<ChunkText> {
  return readFields(path, EMBEDDED);
}

/** The fields of a chunk needed to find and show it; `page` is its first page. */
const SHOWN = [...EMBEDDED, 'title', 'headings', 'kinds', 'regions', 'pageStarts'] as const;
export type ChunkPassage = Pick<Chunk, (typeof SHOWN)[number]> & { readonly page: number | undefined };

export async function* readChunkPassages(path: string): AsyncGenerator<ChunkPassage> {
  for await (const chunk of readFields(path, SHOWN)) {
    const page = Math.min(...chunk.regions.map((region) => region.page));
    yield { ...chunk, page: Number.isFinite(page) ? page : undefined };
  }
}

async function* readFields<Field extends keyof Chunk>(
  path: string,
  fields: readonly Field[],
): AsyncGenerator<Pick<Chunk, Field>> {
  const reader = await openRowReader(path);
  const { schema } = reader.metadata;
  // An empty JSONL file has no schema.
  if (schema === undefined && reader.columns.length === 0) return;
  if (schema !== CHUNK_SCHEMA) {
    throw new AppError('CHUNK_SCHEMA', `${path} holds ${schema ?? 'something unknown'}, not ${CHUNK_SCHEMA}`, {
      hint: 'run docparse chunk again',
    });
  }
  // The first files of the format have no page starts.
  const known = fields.filter((field) => field !== 'pageStarts' || reader.columns.includes(FIELDS[field][0]));
  const columns = known.map((field) => FIELDS[field][0]);
  for await (const row of checkedRows(path, reader, COLUMNS, columns)) {
    const chunk: Partial<Record<keyof Chunk, unknown>> = {};
    for (const field of known) chunk[field] = row[FIELDS[field][0]];
    if (fields.includes('pageStarts' as Field)) chunk.pageStarts = [...((chunk.pageStarts ?? []) as Iterable<number>)];
    if (chunk.blocks) chunk.blocks = [...(chunk.blocks as Iterable<number>)];
    if (chunk.regions) chunk.regions = (chunk.regions as (Region | FlatRegion)[]).map(nested);
    yield chunk as Pick<Chunk, Field>;
  }
}

/** Parquet stores a region flat. */
type FlatRegion = Omit<Region, 'box'> & Region['box'];

function nested(region: Region | FlatRegion): Region {
  if ('box' in region) return region;
  const { page, ...box } = region;
  return { page, box };
}

export async function validateChunks(path: string, maxTokens?: number): Promise<string[]> {
  const faults: string[] = [];
  const ids = new Set<string>();
  let at = 0;
  let index = 0;
  for await (const chunk of readChunks(path)) {
    const fault = (what: string): void => void faults.push(`chunk ${chunk.index} (${chunk.id}): ${what}`);
    if (ids.has(chunk.id)) fault('its id occurs twice');
    if (chunk.index !== index) fault(`is at position ${index}`);
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
