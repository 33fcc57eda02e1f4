import { readFile } from 'node:fs/promises';

import type { Data, Vector } from 'apache-arrow';
import {
  Struct,
  Table,
  DataType,
  makeVector,
  tableFromIPC,
  Field,
  FixedSizeList,
  Float16,
  Float32,
  Int32,
  Int8,
  List,
  makeData,
  RecordBatch,
  Schema,
  tableToIPC,
  Utf8,
} from 'apache-arrow';
import type { RecordBatch as WasmBatch, WriterProperties } from 'parquet-wasm';
import {
  Compression,
  EnabledStatistics,
  readParquet,
  readSchema,
  Table as WasmTable,
  transformParquetStream,
  WriterPropertiesBuilder,
} from 'parquet-wasm';

import { AppError, canonicalJson } from '../../base/index.ts';
import type { PartFile, Row, RowReader, RowWriter, TableSchema, ColumnType } from './open.ts';
import { openPart } from './open.ts';
import type { Region } from '../document.ts';

/** Rows handed over at a time, and rows in a group: what is in memory at once. */
const BATCH_ROWS = 1024;
const GROUP_ROWS = 8192;
/** All that is said about a file is under one key: several would be written in an order that changes from run to run. */
const METADATA_KEY = 'docstokg';

/** Writes Parquet group by group; memory does not grow with the file. */
export async function openParquetWriter(path: string, schema: TableSchema): Promise<RowWriter> {
  return new ParquetWriter(await openPart(path), schema);
}

class ParquetWriter implements RowWriter {
  readonly #part: PartFile;
  readonly #schema: TableSchema;
  readonly #batches = new TransformStream<WasmBatch, WasmBatch>();
  readonly #input = this.#batches.writable.getWriter();
  readonly #written: Promise<void>;
  #rows: Row[] = [];
  #count = 0;

  constructor(part: PartFile, schema: TableSchema) {
    this.#part = part;
    this.#schema = schema;
    this.#written = this.#write();
    // `finish` awaits it; until then a failure must not count as unhandled.
    this.#written.catch(() => undefined);
  }

  async write(row: Row): Promise<void> {
    this.#rows.push(row);
    if (this.#rows.length >= BATCH_ROWS) await this.#hand();
  }

  async finish(): Promise<{ readonly rows: number }> {
    // An empty batch writes the columns of a file without rows.
    if (this.#rows.length > 0 || this.#count === 0) await this.#hand();
    await this.#race(this.#input.close());
    await this.#written;
    await this.#part.commit();
    return { rows: this.#count };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.abort().catch(() => undefined);
    await this.#written.catch(() => undefined);
    await this.#part[Symbol.asyncDispose]();
  }

  async #hand(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    this.#count += rows.length;
    const table = WasmTable.fromIPCStream(encodeBatch(this.#schema, rows));
    const batches = table.recordBatches();
    table.free();
    for (const batch of batches) await this.#race(this.#input.write(batch));
  }

  /** A failed write of the file would leave the stream waiting for ever. */
  async #race(step: Promise<unknown>): Promise<void> {
    await Promise.race([step, this.#written.then(() => step)]);
  }

  async #write(): Promise<void> {
    const bytes = await transformParquetStream(this.#batches.readable, writerProperties(this.#schema));
    for await (const piece of bytes as ReadableStream<Uint8Array>) await this.#part.file.writeFile(piece);
  }
}

/**
 * Vectors do not compress. Settings of single columns reach only plain columns, not elements of lists, so files with
 * vectors are uncompressed except for some columns.
 */
function writerProperties(schema: TableSchema): WriterProperties {
  const columns = Object.entries(schema.columns);
  const properties = new WriterPropertiesBuilder()
    .setMaxRowGroupSize(GROUP_ROWS)
    .setKeyValueMetadata(new Map([[METADATA_KEY, canonicalJson(schema.metadata)]]));
  if (!columns.some(([, type]) => typeof type === 'object')) return properties.setCompression(Compression.ZSTD).build();
  return columns
    .filter(([, type]) => type === 'string' || type === 'integer')
    .reduce(
      (each, [name]) => each.setColumnCompression(name, Compression.ZSTD).setColumnDictionaryEnabled(name, true),
      properties
        .setCompression(Compression.UNCOMPRESSED)
        .setDictionaryEnabled(false)
        .setStatisticsEnabled(EnabledStatistics.None),
    )
    .build();
}

/**
 * Opens a Parquet file; rows come in groups. Only synchronous calls are used: a damaged file makes them throw, but ends
 * the process in the package's streams.
 */
export async function openParquetReader(path: string): Promise<RowReader> {
  const bytes = await readFile(path);
  const { metadata, fields } = guarded(path, () => tableFromIPC(readSchema(bytes).intoIPCStream()).schema);
  return {
    metadata: guarded(path, () => JSON.parse(metadata.get(METADATA_KEY) ?? '{}') as Record<string, string>),
    columns: fields.map(({ name }) => name),
    rows: (wanted) => rowsIn(path, bytes, wanted),
  };
}

async function* rowsIn(path: string, bytes: Uint8Array, wanted: readonly string[] | undefined): AsyncGenerator<Row> {
  const columns = wanted && { columns: [...wanted] };
  for (let offset = 0; ; offset += GROUP_ROWS) {
    const rows = guarded(path, () =>
      rowsOf(tableFromIPC(readParquet(bytes, { ...columns, offset, limit: GROUP_ROWS }).intoIPCStream())),
    );
    yield* rows;
    if (rows.length < GROUP_ROWS) return;
  }
}

function guarded<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): AppError {
  return new AppError('FILE_UNREADABLE', `${path} is not a readable Parquet file`, {
    hint: 'the next docstokg run or docparse recreates it',
    cause,
  });
}

/** Rows of a table. Columns are turned into plain values one after the other: row by row, Arrow makes an object per cell. */
function rowsOf(table: Table): Row[] {
  const columns = table.schema.fields.map(({ name }, at) => [name, valuesOf(table.getChildAt(at))] as const);
  return Array.from({ length: table.numRows }, (_, row) =>
    Object.fromEntries(columns.map(([name, values]) => [name, values[row]])),
  );
}

function valuesOf(column: Vector | null): unknown[] {
  return (column?.data ?? []).flatMap((data) => valuesOfData(data));
}

function valuesOfData(data: Data): unknown[] {
  const [child] = data.children;
  if (DataType.isList(data.type) && child) {
    const items = DataType.isStruct(child.type) ? structs(child) : undefined;
    const values = items ?? (DataType.isUtf8(child.type) ? valuesOfData(child) : numbers(child));
    return Array.from({ length: data.length }, (_, row) =>
      values.slice(data.valueOffsets[row], data.valueOffsets[row + 1]),
    );
  }
  if (DataType.isFixedSizeList(data.type) && child) {
    const values = numbers(child);
    const width = data.type.listSize;
    return Array.from({ length: data.length }, (_, row) => values.slice(row * width, (row + 1) * width));
  }
  const vector = makeVector(data);
  return Array.from({ length: data.length }, (_, row) => (vector.get(row) as unknown) ?? undefined);
}

function numbers(data: Data): Float32Array | Float16Array | Int32Array | Int8Array {
  const values = (data.values as Int32Array).subarray(data.offset, data.offset + data.length);
  // Arrow returns half floats as bits.
  return DataType.isFloat(data.type) && values instanceof Uint16Array
    ? new Float16Array((values as Uint16Array).slice().buffer)
    : values;
}

function structs(data: Data): Record<string, number>[] {
  const columns = (data.type as Struct).children.map(
    ({ name }, at) => [name, numbers(data.children[at] as Data)] as const,
  );
  return Array.from({ length: data.length }, (_, row) =>
    Object.fromEntries(columns.map(([name, values]) => [name, values[row] ?? 0])),
  );
}

const REGION_FIELDS = [
  new Field('page', new Int32(), false),
  ...['left', 'top', 'right', 'bottom'].map((name) => new Field(name, new Float32(), false)),
];

/** Rows as an Arrow stream, column by column straight into typed arrays: building values one by one takes ten times as long. */
function encodeBatch(schema: TableSchema, rows: readonly Row[]): Uint8Array {
  const names = Object.entries(schema.columns);
  const fields = names.map(([name, type]) => new Field(name, arrowType(type), type === 'integer'));
  const children = names.map(([name, type]) =>
    columnData(
      type,
      rows.map((row) => row[name]),
    ),
  );
  const arrow = new Schema(fields);
  const data = makeData({ type: new Struct(fields), length: rows.length, nullCount: 0, children });
  return tableToIPC(new Table(arrow, [new RecordBatch(arrow, data)]), 'stream');
}

function arrowType(type: ColumnType): DataType {
  switch (type) {
    case 'string':
      return new Utf8();
    case 'integer':
      return new Int32();
    case 'float':
      return new Float32();
    case 'strings':
      return new List(new Field('element', new Utf8(), false));
    case 'integers':
      return new List(new Field('element', new Int32(), false));
    case 'floats':
      return new List(new Field('element', new Float32(), false));
    case 'regions':
      return new List(new Field('element', new Struct(REGION_FIELDS), false));
    default:
      return new FixedSizeList(type.dimensions, new Field('element', elementType(type.vector), false));
  }
}

function elementType(type: 'float32' | 'float16' | 'int8'): Float32 | Float16 | Int8 {
  return type === 'float32' ? new Float32() : type === 'float16' ? new Float16() : new Int8();
}

function columnData(type: ColumnType, values: readonly unknown[]): Data {
  switch (type) {
    case 'string':
      return strings(values as readonly string[]);
    case 'integer':
      return integers(values as readonly (number | undefined)[]);
    case 'float':
      return makeData({ type: new Float32(), data: Float32Array.from(values as readonly number[]) });
    case 'strings':
      return list(type, values as readonly (readonly string[])[], (all) => strings(all));
    case 'integers':
      return list(type, values as readonly Iterable<number>[], (all) =>
        makeData({ type: new Int32(), data: Int32Array.from(all) }),
      );
    case 'floats':
      return list(type, values as readonly Iterable<number>[], (all) =>
        makeData({ type: new Float32(), data: Float32Array.from(all) }),
      );
    case 'regions':
      return list(type, values as readonly (readonly Region[])[], regions);
    default:
      return vectors(type, values as readonly (Float32Array | Int8Array)[]);
  }
}

function strings(values: readonly string[]): Data {
  const offsets = new Int32Array(values.length + 1);
  const parts = values.map((value) => Buffer.from(value, 'utf8'));
  for (const [at, part] of parts.entries()) offsets[at + 1] = (offsets[at] ?? 0) + part.length;
  return makeData({ type: new Utf8(), valueOffsets: offsets, data: Buffer.concat(parts) });
}

function integers(values: readonly (number | undefined)[]): Data {
  const data = new Int32Array(values.length);
  const valid = new Uint8Array(Math.ceil(values.length / 64) * 8);
  let nullCount = 0;
  for (const [at, value] of values.entries()) {
    if (value === undefined) nullCount += 1;
    else {
      data[at] = value;
      valid[at >> 3] = (valid[at >> 3] ?? 0) | (1 << (at & 7));
    }
  }
  return makeData({ type: new Int32(), data, nullCount, ...(nullCount > 0 && { nullBitmap: valid }) });
}

function list<T>(type: ColumnType, values: readonly Iterable<T>[], child: (all: T[]) => Data): Data {
  const offsets = new Int32Array(values.length + 1);
  const all: T[] = [];
  for (const [at, value] of values.entries()) {
    for (const each of value) all.push(each);
    offsets[at + 1] = all.length;
  }
  return makeData({ type: arrowType(type) as List, valueOffsets: offsets, child: child(all) });
}

function regions(all: readonly Region[]): Data {
  const numbers = (pick: (region: Region) => number): Data =>
    makeData({ type: new Float32(), data: Float32Array.from(all, pick) });
  return makeData({
    type: new Struct(REGION_FIELDS),
    length: all.length,
    nullCount: 0,
    children: [
      makeData({ type: new Int32(), data: Int32Array.from(all, ({ page }) => page) }),
      numbers(({ box }) => box.left),
      numbers(({ box }) => box.top),
      numbers(({ box }) => box.right),
      numbers(({ box }) => box.bottom),
    ],
  });
}

function vectors(
  type: { readonly vector: 'float32' | 'float16' | 'int8'; readonly dimensions: number },
  values: readonly (Float32Array | Int8Array)[],
): Data {
  const length = values.length * type.dimensions;
  const all =
    type.vector === 'float32'
      ? new Float32Array(length)
      : type.vector === 'int8'
        ? new Int8Array(length)
        : new Float16Array(length);
  for (const [at, value] of values.entries()) all.set(value, at * type.dimensions);
  const child =
    all instanceof Float32Array
      ? makeData({ type: new Float32(), data: all })
      : all instanceof Int8Array
        ? makeData({ type: new Int8(), data: all })
        : makeData({ type: new Float16(), data: new Uint16Array(all.buffer) });
  return makeData({ type: arrowType(type) as FixedSizeList, length: values.length, nullCount: 0, child });
}
