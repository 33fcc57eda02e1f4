import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, globSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, sep } from 'node:path';
import type { StatementSync } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

import * as z from 'zod';

import {
  AppError,
  packageVersion,
  parseJsonl,
  parseYaml,
  partPath,
  commitPart,
  writeFileAtomic,
} from '../../base/index.ts';
import type { RowBatch } from '../../parse/index.ts';
import { readForeignParquet } from '../../parse/index.ts';
import type { BooleanQuery, QueriedWork } from '../../works/index.ts';
import { parseBooleanQuery, parseOpenAlexRecord } from '../../works/index.ts';

/** A search that can be published with a review: boolean words, and limits. */
export const discoveryQuery = z.strictObject({
  query: z
    .string()
    .min(1)
    .describe('Words, "phrases", beginn*, AND, OR, NOT, NEAR/5, brackets, title:, abstract:, author:, venue:.'),
  from: z.int().min(1000).max(3000).optional().describe('First year of publication.'),
  to: z.int().min(1000).max(3000).optional().describe('Last year of publication.'),
  type: z
    .array(z.string())
    .optional()
    .describe('Types of OpenAlex: article, review, preprint, book-chapter, dissertation, …'),
  language: z.array(z.string()).optional().describe('Languages as two letters; a work without one is left out.'),
  open_access: z.boolean().optional().describe('true: only works with an open copy.'),
  retracted: z.enum(['include', 'exclude']).default('include').describe('Whether retracted works are left out.'),
  note: z.string().optional().describe('What the search is for; not used.'),
});
export type DiscoveryQuery = z.output<typeof discoveryQuery>;

/** What was searched and found: enough to search again and compare. */
const discoveryAccount = z.object({
  query: discoveryQuery,
  /** Files of the snapshot, their bytes, and a hash of their names and sizes. */
  snapshot: z.object({ files: z.int(), bytes: z.int(), sha256: z.string() }),
  /** Rows read, lines that are no JSON, and works found. */
  rows: z.int(),
  unreadable: z.int(),
  works: z.int(),
  /** sha256 of the OpenAlex ids of the works, sorted, one per line. */
  ids_sha256: z.string(),
  program: z.string(),
});
export type DiscoveryAccount = z.output<typeof discoveryAccount>;

export interface DiscoverOptions {
  /** A folder with the works of an OpenAlex snapshot: Parquet, or JSON lines, also gzipped. */
  readonly snapshot: string;
  readonly query: DiscoveryQuery;
  /** Where the works are written, as JSON lines; the account goes to the same name with `.account.json`. */
  readonly out: string;
  /** Called after each file, and every 100,000 rows. */
  readonly tell?: (state: { readonly rows: number; readonly works: number; readonly file: string }) => void;
}

/** Reads a query file (YAML or JSON), or the query in the account of an earlier search. */
export async function readDiscoveryQuery(path: string): Promise<DiscoveryQuery> {
  const value = await readYaml(path);
  const account = discoveryAccount.safeParse(value);
  return account.success ? account.data.query : checked(discoveryQuery, value, path);
}

/** Reads the account of an earlier search. */
export async function readDiscoveryAccount(path: string): Promise<DiscoveryAccount> {
  return checked(discoveryAccount, await readYaml(path), path);
}

async function readYaml(path: string): Promise<unknown> {
  try {
    return parseYaml(await readFile(path, 'utf8'), { maxAliasCount: 0 });
  } catch (cause) {
    throw new AppError('USAGE_QUERY', `${path} is not a readable YAML or JSON file`, { hint: HINT, cause });
  }
}

function checked<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
  const { data, error } = schema.safeParse(value);
  if (data !== undefined) return data;
  const [issue] = error?.issues ?? [];
  const place = issue?.path.join('.') ?? '';
  throw new AppError('USAGE_QUERY', `${path}: ${place === '' ? '' : `${place}: `}${issue?.message ?? 'invalid'}`, {
    hint: HINT,
  });
}

const HINT = 'docs/guides/repeatable-search.md has examples';

/**
 * The works of a snapshot that match a query, in the order of their ids: the same works from the same files. Memory does
 * not grow with the snapshot or the result.
 */
export async function discoverWorks(options: DiscoverOptions, signal?: AbortSignal): Promise<DiscoveryAccount> {
  const { snapshot, query, out, tell } = options;
  const files = snapshotFiles(snapshot);
  const wanted = matcherOf(query);
  const scratch = await mkdtemp(join(tmpdir(), 'docstokg-discover-'));
  try {
    using found = new FoundWorks(join(scratch, 'found.sqlite'));
    let rows = 0;
    let unreadable = 0;
    const skip = (): void => void (unreadable += 1);
    for (const { path, name } of files) {
      for await (const batch of batchesOf(path, wanted.columns, skip)) {
        signal?.throwIfAborted();
        const places = batch.rows.flatMap((row, at) => (wanted.matches(row) ? [at] : []));
        if (places.length > 0) {
          const whole = await batch.more(RECORD_COLUMNS);
          for (const at of places) found.add(plainRow({ ...batch.rows[at], ...whole[at] }));
        }
        if (Math.floor(rows / TOLD_EVERY) !== Math.floor((rows + batch.rows.length) / TOLD_EVERY))
          tell?.({ rows: rows + batch.rows.length, works: found.count, file: name });
        rows += batch.rows.length;
      }
      tell?.({ rows, works: found.count, file: name });
    }
    const ids = createHash('sha256');
    const part = partPath(out);
    await pipeline(
      function* lines() {
        for (const { id, line } of found.inOrder()) {
          ids.update(`W${id}\n`);
          yield `${line}\n`;
        }
      },
      createWriteStream(part, { flush: true }),
    );
    await commitPart(part, out);
    const account: DiscoveryAccount = {
      query,
      snapshot: summaryOf(files),
      rows,
      unreadable,
      works: found.count,
      ids_sha256: ids.digest('hex'),
      program: `docstokg ${packageVersion()}`,
    };
    await writeFileAtomic(accountPath(out), `${JSON.stringify(account, undefined, 2)}\n`);
    return account;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The account of a list of works: `works.jsonl` has `works.account.json`. */
export function accountPath(out: string): string {
  return `${out.replace(/\.jsonl$/, '')}.account.json`;
}

const TOLD_EVERY = 100_000;

interface SnapshotFile {
  readonly path: string;
  /** Below the folder, with slashes. */
  readonly name: string;
  readonly bytes: number;
}

function snapshotFiles(folder: string): readonly SnapshotFile[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new AppError('USAGE_SNAPSHOT', `${folder} is not a folder`, {
      hint: 'download one: aws s3 sync --no-sign-request s3://openalex/data/parquet/works FOLDER',
    });
  const files = globSync('**/*.{parquet,gz,jsonl}', { cwd: folder })
    .sort()
    .map((file) => ({ path: join(folder, file), name: file.split(sep).join('/') }))
    .map((file) => ({ ...file, bytes: statSync(file.path).size }));
  if (files.length > 0) return files;
  throw new AppError('USAGE_SNAPSHOT', `${folder} has no .parquet, .gz or .jsonl files`, {
    hint: 'give the folder of the works: data/parquet/works or data/jsonl/works of the snapshot',
  });
}

function summaryOf(files: readonly SnapshotFile[]): DiscoveryAccount['snapshot'] {
  const hash = createHash('sha256');
  for (const { name, bytes } of files) hash.update(`${name} ${bytes}\n`);
  return { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), sha256: hash.digest('hex') };
}

type Row = Readonly<Record<string, unknown>>;

/** What a record is made of. */
const RECORD_COLUMNS = [
  'id',
  'doi',
  'ids',
  'title',
  'display_name',
  'publication_year',
  'publication_date',
  'type',
  'language',
  'authorships',
  'primary_location',
  'open_access',
  'is_retracted',
  'abstract_inverted_index',
  'updated_date',
] as const;

interface Matcher {
  readonly columns: readonly string[];
  matches(row: Row): boolean;
}

function matcherOf(query: DiscoveryQuery): Matcher {
  const words = parseBooleanQuery(query.query);
  const { from = -Infinity, to = Infinity, type, language, open_access: open, retracted } = query;
  const columns = [
    'id',
    'title',
    'display_name',
    'abstract_inverted_index',
    ...(query.from === undefined && query.to === undefined ? [] : ['publication_year']),
    ...(type ? ['type'] : []),
    ...(language ? ['language'] : []),
    ...(open ? ['open_access'] : []),
    ...(retracted === 'exclude' ? ['is_retracted'] : []),
    ...(words.fields.has('author') ? ['authorships'] : []),
    ...(words.fields.has('venue') ? ['primary_location'] : []),
  ];
  return {
    columns,
    matches(row) {
      const year = Number(row['publication_year'] ?? Number.NaN);
      if ((from !== -Infinity || to !== Infinity) && !(year >= from && year <= to)) return false;
      if (type && !type.includes(String(row['type']))) return false;
      if (language && !language.includes(String(row['language']))) return false;
      if (open && fieldOf(row['open_access'], 'is_oa') !== true) return false;
      if (retracted === 'exclude' && row['is_retracted'] === true) return false;
      const title = textOf(row['title'] ?? row['display_name']);
      return mayMatch(words, title, row['abstract_inverted_index']) && words.matches(queriedWork(row, title));
    },
  };
}

/** False only where no needed word can be in title or abstract, by their letters alone; most works end here. */
function mayMatch({ needsOneOf }: BooleanQuery, title: string, abstract: unknown): boolean {
  if (!needsOneOf || (abstract !== null && abstract !== undefined && typeof abstract !== 'string')) return true;
  const letters = `${title} ${abstract ?? ''}`.toLowerCase();
  // Accents and escapes hide letters.
  return /[^\0-\x7f]|\\u/.test(letters) || needsOneOf.some((word) => letters.includes(word));
}

function queriedWork(row: Row, title: string): QueriedWork {
  return {
    title,
    abstract: () => abstractOf(row['abstract_inverted_index']),
    author: () =>
      listOf(row['authorships'])
        .map((each) => textOf(fieldOf(fieldOf(each, 'author'), 'display_name') ?? fieldOf(each, 'raw_author_name')))
        .join(' ; '),
    venue: () => textOf(fieldOf(fieldOf(row['primary_location'], 'source'), 'display_name')),
  };
}

/** The words of an abstract in their order. */
function abstractOf(stored: unknown): string {
  const words: string[] = [];
  for (const [word, places] of Object.entries(invertedIndex(stored)))
    for (const place of places) if (place >= 0 && place < MOST_WORDS) words[place] = word;
  return words.join(' ');
}

const MOST_WORDS = 100_000;

/** An abstract as OpenAlex stores it: each word with its places; as JSON, as an object, or as a map of Parquet. */
function invertedIndex(stored: unknown): Readonly<Record<string, readonly number[]>> {
  let value = stored;
  if (typeof value === 'string') {
    try {
      value = JSON.parse(value);
    } catch {
      return {};
    }
  }
  // Older files wrap it.
  value = fieldOf(value, 'InvertedIndex') ?? value;
  if (value === null || typeof value !== 'object') return {};
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? value.map((each) => [textOf(fieldOf(each, 'key')), fieldOf(each, 'value')] as const)
    : Object.entries(value);
  return Object.fromEntries(entries.map(([word, places]) => [word, listOf(places).map(Number)]));
}

function fieldOf(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' ? (value as Row)[name] : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A row as OpenAlex's API would answer it. */
function plainRow(row: Row): Row {
  const plain = JSON.parse(
    JSON.stringify(row, (_key, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
  ) as Record<string, unknown>;
  return { ...plain, abstract_inverted_index: invertedIndex(plain['abstract_inverted_index']) };
}

/** Works that were found, on disk, by their number. */
class FoundWorks implements Disposable {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    this.#database.exec(
      'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE TABLE found (id INTEGER PRIMARY KEY, updated TEXT NOT NULL, line TEXT NOT NULL) STRICT',
    );
    this.#insert = this.#database.prepare(
      `INSERT INTO found VALUES (:id, :updated, :line)
       ON CONFLICT (id) DO UPDATE SET updated = excluded.updated, line = excluded.line
       WHERE (excluded.updated, excluded.line) > (updated, line)`,
    );
  }

  /** A work in two files counts once, as it was updated last. */
  add(row: Row): void {
    const record = parseOpenAlexRecord(row, '');
    const id = /W(\d{1,15})$/.exec(record?.id ?? '')?.[1];
    if (!record || id === undefined) return;
    const line = {
      openalex: `W${id}`,
      doi: record.ids.doi,
      title: record.title,
      authors: record.authors.map(({ name }) => name).join('; '),
      year: row['publication_year'] ?? null,
      venue: record.venue,
      type: record.type,
      language: record.language,
      abstract: record.abstract,
    };
    const updated = textOf(row['updated_date']);
    this.#insert.run({ id: Number(id), updated, line: JSON.stringify(line) });
  }

  get count(): number {
    return (this.#database.prepare('SELECT count(*) AS count FROM found').get() as { count: number }).count;
  }

  inOrder(): Iterable<{ readonly id: number; readonly line: string }> {
    return this.#database.prepare('SELECT id, line FROM found ORDER BY id').iterate() as Iterable<{
      readonly id: number;
      readonly line: string;
    }>;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

async function* batchesOf(path: string, columns: readonly string[], skip: () => void): AsyncGenerator<RowBatch> {
  if (path.endsWith('.parquet')) return yield* readForeignParquet(path, columns);
  let rows: Row[] = [];
  for await (const row of jsonRows(path, skip)) {
    rows.push(row);
    if (rows.length < JSON_BATCH) continue;
    yield inMemory(rows);
    rows = [];
  }
  if (rows.length > 0) yield inMemory(rows);
}

const JSON_BATCH = 1_000;

function inMemory(rows: readonly Row[]): RowBatch {
  return { rows, more: () => Promise.resolve(rows) };
}

async function* jsonRows(path: string, skip: () => void): AsyncGenerator<Row> {
  const bytes = createReadStream(path);
  const lines = path.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  bytes.on('error', (error) => lines.destroy(error));
  try {
    for await (const line of parseJsonl(lines, { tornTail: 'keep' })) {
      if (line.kind === 'good' && line.value !== null && typeof line.value === 'object') yield line.value as Row;
      else skip();
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('FILE_UNREADABLE', `${basename(path)} cannot be unpacked`, {
      hint: 'download the file again',
      cause,
    });
  }
}
