import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { Data, Struct, Table, Vector } from 'apache-arrow';
import { DataType, makeVector, tableFromIPC } from 'apache-arrow';
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

import { AppError, canonicalJson, commitPart, partPath } from '../../base/index.ts';
import { encodeBatch } from './arrow-parquet.ts';
import type { Row, RowReader, RowWriter, TableSchema } from './schema.ts';

/** Rows handed over at a time, and rows in a group: what is in memory at once. */
const BATCH_ROWS = 1024;
const GROUP_ROWS = 8192;
/** One document's rows; a larger file was not written by a stage. */
const MAX_FILE_BYTES = 1 << 30;
/** All that is said about a file stands under one key: several would be written in an order that changes from run to run. */
const METADATA_KEY = 'docstokg';

/** Writes Parquet group by group; memory does not grow with the file. */
export async function openParquetWriter(path: string, schema: TableSchema): Promise<RowWriter> {
  await mkdir(dirname(path), { recursive: true });
  const part = partPath(path);
  return new ParquetWriter(path, part, await open(part, 'wx'), schema);
}

class ParquetWriter implements RowWriter {
  readonly #path: string;
  readonly #part: string;
  readonly #file: FileHandle;
  readonly #schema: TableSchema;
  readonly #batches: TransformStream<WasmBatch, WasmBatch>;
  readonly #input: WritableStreamDefaultWriter<WasmBatch>;
  readonly #written: Promise<void>;
  #rows: Row[] = [];
  #count = 0;
  #finished = false;

  constructor(path: string, part: string, file: FileHandle, schema: TableSchema) {
    this.#path = path;
    this.#part = part;
    this.#file = file;
    this.#schema = schema;
    this.#batches = new TransformStream<WasmBatch, WasmBatch>();
    this.#input = this.#batches.writable.getWriter();
    this.#written = this.#write();
    // Whoever waits for it hears of its failure; until then it must not count as unheard.
    this.#written.catch(() => undefined);
  }

  async write(row: Row): Promise<void> {
    this.#rows.push(row);
    if (this.#rows.length >= BATCH_ROWS) await this.#hand();
  }

  async finish(): Promise<{ readonly rows: number }> {
    // A file without rows still has columns, which one empty batch tells.
    if (this.#rows.length > 0 || this.#count === 0) await this.#hand();
    await this.#race(this.#input.close());
    await this.#written;
    await this.#file.sync();
    await this.#file.close();
    this.#finished = true;
    await commitPart(this.#part, this.#path);
    return { rows: this.#count };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#finished) return;
    this.#finished = true;
    await this.#input.abort().catch(() => undefined);
    await this.#written.catch(() => undefined);
    await this.#file.close();
    await rm(this.#part, { force: true });
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
    for await (const piece of bytes as ReadableStream<Uint8Array>) await this.#file.writeFile(piece);
  }
}

/**
 * Vectors neither repeat nor compress: packing them costs time and gains nothing. Settings for a single column only reach
 * plain columns, not the elements of lists, so in a file with vectors packing is the exception.
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
 * Opens a Parquet file for reading; rows are decoded group by group. The file is handed over as bytes and not as a stream:
 * the decoder panics on some damaged files, and a panic in its asynchronous reader ends the process instead of the call.
 */
export async function openParquetReader(path: string): Promise<RowReader> {
  const bytes = await readBounded(path);
  const { metadata, fields } = decoded(path, () => tableFromIPC(readSchema(bytes).intoIPCStream()).schema);
  return {
    metadata: decoded(path, () => JSON.parse(metadata.get(METADATA_KEY) ?? '{}') as Record<string, string>),
    columns: fields.map(({ name }) => name),
    rows: (wanted) => rowsIn(path, bytes, wanted),
  };
}

async function readBounded(path: string): Promise<Uint8Array> {
  const { size } = await stat(path);
  if (size > MAX_FILE_BYTES) throw unreadable(path, new Error(`it has ${size} bytes, more than ${MAX_FILE_BYTES}`));
  return await readFile(path);
}

async function* rowsIn(path: string, bytes: Uint8Array, wanted: readonly string[] | undefined): AsyncGenerator<Row> {
  const columns = wanted && { columns: [...wanted] };
  for (let offset = 0; ; offset += GROUP_ROWS) {
    const rows = decoded(path, () =>
      rowsOf(
        tableFromIPC(
          readParquet(bytes, { batchSize: BATCH_ROWS, limit: GROUP_ROWS, offset, ...columns }).intoIPCStream(),
        ),
      ),
    );
    yield* rows;
    if (rows.length < GROUP_ROWS) return;
  }
}

/** Everything that a damaged file makes the decoder throw, a WebAssembly trap included, names the file. */
function decoded<T>(path: string, decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): AppError {
  return new AppError('FILE_UNREADABLE', `${path} is not a Parquet file that can be read`, {
    hint: 'the next docstokg run or docparse makes it anew',
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
  // Arrow knows half floats only by their bits.
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
