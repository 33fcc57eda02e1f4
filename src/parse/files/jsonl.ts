import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

import { AppError, commitPart, partPath, readJsonl } from '../../base/index.ts';
import type { Row, RowReader, RowWriter, TableSchema } from './schema.ts';

const BUFFERED_CHARACTERS = 1 << 20;

/** Writes one JSON object per line; what Parquet says once about the file is in every line. */
export async function openJsonlWriter(path: string, schema: TableSchema): Promise<RowWriter> {
  await mkdir(dirname(path), { recursive: true });
  const part = partPath(path);
  return new JsonlRowWriter(path, part, await open(part, 'wx'), schema);
}

class JsonlRowWriter implements RowWriter {
  readonly #path: string;
  readonly #part: string;
  readonly #file: FileHandle;
  readonly #schema: TableSchema;
  #buffer = '';
  #count = 0;
  #finished = false;

  constructor(path: string, part: string, file: FileHandle, schema: TableSchema) {
    this.#path = path;
    this.#part = part;
    this.#file = file;
    this.#schema = schema;
  }

  async write(row: Row): Promise<void> {
    const values = Object.entries(row).map(([name, value]) => [
      name,
      ArrayBuffer.isView(value) ? numbers(value) : value,
    ]);
    this.#buffer += `${JSON.stringify({ ...this.#schema.metadata, ...Object.fromEntries(values) })}\n`;
    this.#count += 1;
    if (this.#buffer.length > BUFFERED_CHARACTERS) await this.#flush();
  }

  async finish(): Promise<{ readonly rows: number }> {
    await this.#flush();
    await this.#file.sync();
    await this.#file.close();
    this.#finished = true;
    await commitPart(this.#part, this.#path);
    return { rows: this.#count };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#finished) return;
    this.#finished = true;
    await this.#file.close();
    await rm(this.#part, { force: true });
  }

  async #flush(): Promise<void> {
    const text = this.#buffer;
    this.#buffer = '';
    await this.#file.writeFile(text);
  }
}

function numbers(view: ArrayBufferView): number[] {
  return [...(view as Float32Array)];
}

/** Opens a file of JSON lines; its first line tells what it holds. */
export async function openJsonlReader(path: string): Promise<RowReader> {
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
