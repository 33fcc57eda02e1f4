import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, rm } from 'node:fs/promises';
import { openAsBlob } from 'node:fs';
import { dirname } from 'node:path';

import { tableFromIPC } from 'apache-arrow';
import type { RecordBatch as WasmBatch, WriterProperties } from 'parquet-wasm';
import {
  Compression,
  EnabledStatistics,
  ParquetFile,
  Table as WasmTable,
  transformParquetStream,
  WriterPropertiesBuilder,
} from 'parquet-wasm';

import { AppError, commitPart, partPath } from '../../base/index.ts';
import { encodeBatch } from './arrow-parquet.ts';
import type { Row, RowReader, RowWriter, TableSchema } from './schema.ts';

/** Rows handed over at a time, and rows in a group: what is in memory at once. */
const BATCH_ROWS = 1024;
const GROUP_ROWS = 8192;

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
    .setKeyValueMetadata(new Map(Object.entries(schema.metadata)));
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

/** Opens a Parquet file for reading; rows come in batches, so that memory does not grow with the file. */
export async function openParquetReader(path: string): Promise<RowReader> {
  let file: ParquetFile;
  try {
    file = await ParquetFile.fromFile(await openAsBlob(path));
  } catch (cause) {
    throw new AppError('FILE_UNREADABLE', `${path} is not a Parquet file that can be read`, {
      hint: 'run the stage again with --force',
      cause,
    });
  }
  const metadata = file.metadata().fileMetadata().keyValueMetadata() as Map<string, string>;
  const columns = tableFromIPC(file.schema().intoIPCStream()).schema.fields.map(({ name }) => name);
  return {
    metadata: Object.fromEntries(metadata),
    columns,
    async *rows() {
      const batches = await file.stream({ batchSize: BATCH_ROWS });
      for await (const batch of batches as ReadableStream<WasmBatch>) {
        for (const row of tableFromIPC(batch.intoIPCStream())) yield plainRow(row.toJSON() as Row);
      }
    },
  };
}

/** Arrow's own containers as arrays and plain objects. */
function plainRow(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)]));
}

function plain(value: unknown): unknown {
  if (value === null) return undefined;
  if (typeof value !== 'object') return value;
  if (ArrayBuffer.isView(value)) return value;
  if ('toArray' in value && typeof value.toArray === 'function') {
    const items = (value as { toArray(): unknown }).toArray();
    // Arrow knows half floats only by their bits; nothing else here has 16 of them.
    if (items instanceof Uint16Array) return new Float16Array(items.slice().buffer);
    return ArrayBuffer.isView(items) ? items : Array.from(items as Iterable<unknown>, plain);
  }
  return 'toJSON' in value && typeof value.toJSON === 'function' ? (value as { toJSON(): unknown }).toJSON() : value;
}
