import { AppError } from '../../base/index.ts';

/** What a column holds. Only integers may be absent in a row. */
export type ColumnType =
  | 'string'
  | 'integer'
  | 'float'
  | 'strings'
  | 'integers'
  | 'floats'
  /** Where something is: page, left, top, right, bottom. */
  | 'regions'
  | { readonly vector: 'float32' | 'float16' | 'int8'; readonly dimensions: number };

/** How the rows of a file look, and what is said about the file as a whole. */
export interface TableSchema {
  /** Its `schema` names the kind of file and the version of its columns. */
  readonly metadata: { readonly schema: string } & Readonly<Record<string, string>>;
  readonly columns: Readonly<Record<string, ColumnType>>;
}

/** One row, by column name; vectors are typed arrays. */
export type Row = Readonly<Record<string, unknown>>;

/** Takes rows and writes a file; the file has its name only when it is complete. */
export interface RowWriter extends AsyncDisposable {
  write(row: Row): Promise<void>;
  /** Completes the file; disposing of a writer that was not finished removes what it wrote. */
  finish(): Promise<{ readonly rows: number }>;
}

/** A file's rows, and what it says about itself. */
export interface RowReader {
  readonly metadata: Readonly<Record<string, string>>;
  readonly columns: readonly string[];
  /** All rows; with `columns`, only those need to be there. */
  rows(columns?: readonly string[]): AsyncGenerator<Row>;
}

/** A file's rows, each as its columns are said to be; the first that is not ends the reading, named by file and row. */
export async function* checkedRows(
  path: string,
  reader: RowReader,
  columns: TableSchema['columns'],
  wanted: readonly string[] = Object.keys(columns),
): AsyncGenerator<Row> {
  const checks = Object.entries(columns).filter(([name]) => wanted.includes(name));
  let at = 0;
  for await (const row of reader.rows(wanted)) {
    at += 1;
    const bad = checks.find(([name, type]) => !fits(row[name], type));
    if (bad) {
      throw new AppError('FILE_UNREADABLE', `${path}, row ${at}: ${bad[0]} is not ${wording(bad[1])}`, {
        hint: 'run the stage again with --force',
      });
    }
    yield row;
  }
}

function fits(value: unknown, type: ColumnType): boolean {
  if (typeof type === 'object') return isNumbers(value) && value.length === type.dimensions;
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'integer':
      return value === undefined || value === null || Number.isSafeInteger(value);
    case 'float':
      return typeof value === 'number';
    case 'strings':
      return Array.isArray(value) && value.every((each) => typeof each === 'string');
    case 'integers':
    case 'floats':
      return isNumbers(value);
    case 'regions':
      return Array.isArray(value) && value.every(isRegion);
  }
}

/** Typed arrays hold nothing else; an array of JSON might. */
function isNumbers(value: unknown): value is { readonly length: number } {
  return (
    (ArrayBuffer.isView(value) && 'length' in value) ||
    (Array.isArray(value) && value.every((each) => typeof each === 'number'))
  );
}

const SIDES = ['left', 'top', 'right', 'bottom'] as const;

/** As JSON has it, with a box, or flat as Parquet has it. */
function isRegion(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const region = value as Readonly<Record<string, unknown>>;
  const box = (region['box'] ?? region) as Readonly<Record<string, unknown>>;
  return typeof region['page'] === 'number' && SIDES.every((side) => typeof box[side] === 'number');
}

function wording(type: ColumnType): string {
  if (typeof type === 'object') return `a vector of ${type.dimensions} numbers`;
  return {
    string: 'a text',
    integer: 'a whole number',
    float: 'a number',
    strings: 'a list of texts',
    integers: 'a list of numbers',
    floats: 'a list of numbers',
    regions: 'a list of regions',
  }[type];
}
