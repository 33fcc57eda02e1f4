import { AppError, sha256File, readJsonl } from '../../base/index.ts';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { openPart } from './part-file.ts';
import type { ColumnType, Row, RowReader, RowWriter, TableSchema } from './table-file.ts';

/** A file's rows, each as its columns are said to be; the first that is not ends the reading, named by file and row. */
export async function* checkedRows(
  path: string,
  reader: RowReader,
  columns: TableSchema['columns'],
  wanted: readonly string[] = Object.keys(columns),
): AsyncGenerator<Row> {
  const checks = Object.entries(columns)
    .filter(([name]) => wanted.includes(name))
    .map(([name, type]) => [name, ...kindOf(type)] as const);
  let at = 0;
  for await (const row of reader.rows(wanted)) {
    at += 1;
    const bad = checks.find(([name, , fits]) => !fits(row[name]));
    if (bad)
      throw new AppError('FILE_UNREADABLE', `${path}, row ${at}: ${bad[0]} is not ${bad[1]}`, {
        hint: 'run the stage again with --force',
      });
    yield row;
  }
}

/** What a column holds, in words, and whether a value is that. */
function kindOf(type: ColumnType): readonly [wording: string, fits: (value: unknown) => boolean] {
  if (typeof type !== 'object') return KINDS[type];
  const { dimensions } = type;
  return [`a vector of ${dimensions} numbers`, (value) => isNumbers(value) && value.length === dimensions];
}

const KINDS: Readonly<Record<Extract<ColumnType, string>, ReturnType<typeof kindOf>>> = {
  string: ['a text', (value) => typeof value === 'string'],
  integer: ['a whole number', (value) => value === undefined || value === null || Number.isSafeInteger(value)],
  float: ['a number', (value) => typeof value === 'number'],
  strings: ['a list of texts', (value) => Array.isArray(value) && value.every((each) => typeof each === 'string')],
  integers: ['a list of numbers', isNumbers],
  floats: ['a list of numbers', isNumbers],
  regions: ['a list of regions', (value) => Array.isArray(value) && value.every(isRegion)],
};

/** Typed arrays hold nothing else; an array of JSON might. */
function isNumbers(value: unknown): value is { readonly length: number } {
  return (
    (ArrayBuffer.isView(value) && 'length' in value) ||
    (Array.isArray(value) && value.every((each) => typeof each === 'number'))
  );
}

const SIDES = ['left', 'top', 'right', 'bottom'] as const;

/** A region with a box, as in JSON, or with its coordinates beside the page, as in Parquet. */
function isRegion(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const region = value as Readonly<Record<string, unknown>>;
  const box = (region['box'] ?? region) as Readonly<Record<string, unknown>>;
  return typeof region['page'] === 'number' && SIDES.every((side) => typeof box[side] === 'number');
}

export type FileFormat = 'parquet' | 'jsonl';

export function formatOf(path: string): FileFormat {
  // A file in the making carries the mark of its run behind its name.
  const name = basename(path);
  return name.lastIndexOf('.jsonl') > name.lastIndexOf('.parquet') ? 'jsonl' : 'parquet';
}

export async function openRowWriter(path: string, schema: TableSchema): Promise<RowWriter> {
  if (formatOf(path) === 'jsonl') return openJsonlWriter(path, schema);
  const { openParquetWriter } = await import('./parquet.ts');
  return openParquetWriter(path, schema);
}

/**
 * Opens a file of rows. One that turns out to be damaged loses its fingerprint, so that the next run makes it again.
 */
export async function openRowReader(path: string): Promise<RowReader> {
  try {
    await checkBytes(path);
    const isLines = formatOf(path) === 'jsonl';
    const reader = isLines ? await openJsonlReader(path) : await (await import('./parquet.ts')).openParquetReader(path);
    return { ...reader, rows: (columns) => distrustedRows(path, reader.rows(columns)) };
  } catch (error) {
    distrust(path, error);
    throw error;
  }
}

async function* distrustedRows(path: string, rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  try {
    yield* rows;
  } catch (error) {
    distrust(path, error);
    throw error;
  }
}

function distrust(path: string, error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'FILE_UNREADABLE') return;
  try {
    rmSync(fingerprintOf(path), { force: true });
  } catch {
    // A read-only archive is not rebuilt; the read error is still reported.
  }
}

/** Checks size and hash against the fingerprint: a damaged file may still be readable. */
async function checkBytes(path: string): Promise<void> {
  const made = madeWith(path);
  if (made === undefined || !existsSync(path)) return;
  const [size, , sha256] = made;
  const found = statSync(path).size;
  if (found === size && (await sha256File(path)) === sha256) return;
  // Asked again: it may have been made again between the two looks.
  if (JSON.stringify(madeWith(path)) !== JSON.stringify(made)) return;
  const why = found === size ? 'its bytes were changed' : `it has ${found} bytes instead of ${size}`;
  throw new AppError('FILE_UNREADABLE', `${path} is damaged: ${why}`, {
    hint: 'the next docstokg run or docparse recreates it',
  });
}

/** Size, time and hash of the file when it was made. */
function madeWith(path: string): readonly [number, number, string] | undefined {
  try {
    const { outputs } = JSON.parse(readFileSync(fingerprintOf(path), 'utf8')) as { outputs?: unknown[] };
    const [size, at, sha256] = [outputs?.[0]].flat();
    const isMark = typeof size === 'number' && typeof at === 'number' && typeof sha256 === 'string';
    return isMark ? [size, at, sha256] : undefined;
  } catch {
    // Without a fingerprint nothing is known of it, and the next run makes it again anyway.
    return undefined;
  }
}

function fingerprintOf(path: string): string {
  return `${path}.fp.json`;
}

const BUFFERED_CHARACTERS = 1 << 20;

/** Writes one JSON object per line, each with the metadata that Parquet has once per file. */
async function openJsonlWriter(path: string, schema: TableSchema): Promise<RowWriter> {
  const part = await openPart(path);
  let buffer = '';
  const flush = async (): Promise<void> => {
    const text = buffer;
    buffer = '';
    await part.file.writeFile(text);
  };
  return {
    async write(row) {
      const values = Object.entries(row).map(([name, value]) => [
        name,
        ArrayBuffer.isView(value) ? Array.from(value as Float32Array) : value,
      ]);
      buffer += `${JSON.stringify({ ...schema.metadata, ...Object.fromEntries(values) })}\n`;
      if (buffer.length > BUFFERED_CHARACTERS) await flush();
    },
    async finish() {
      await flush();
      await part.commit();
    },
    [Symbol.asyncDispose]: () => part[Symbol.asyncDispose](),
  };
}

/** Opens a file of JSON lines; the first line has the metadata. */
async function openJsonlReader(path: string): Promise<RowReader> {
  let first: Readonly<Record<string, unknown>> = {};
  for await (const row of rowsOf(path)) {
    first = row;
    break;
  }
  return {
    metadata: Object.fromEntries(
      Object.entries(first).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ),
    columns: Object.keys(first),
    rows: () => rowsOf(path),
  };
}

async function* rowsOf(path: string): AsyncGenerator<Row> {
  for await (const line of readJsonl(path)) {
    if (line.kind === 'bad' || typeof line.value !== 'object' || line.value === null) {
      throw new AppError('FILE_UNREADABLE', `${path} has no JSON object on line ${line.line}`, {
        hint: 'the next docstokg run or docparse recreates it',
      });
    }
    yield line.value as Row;
  }
}
