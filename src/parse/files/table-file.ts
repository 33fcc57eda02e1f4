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
  finish(): Promise<void>;
}

export interface RowReader {
  readonly metadata: Readonly<Record<string, string>>;
  readonly columns: readonly string[];
  /** All rows; with `columns`, others may be missing. */
  rows(columns?: readonly string[]): AsyncGenerator<Row>;
}
