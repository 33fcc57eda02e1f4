import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { AppError, syncFolder, writeFileAtomic } from '../base/index.ts';
import type { ModelIdentity } from '../parse/index.ts';
import { ANALYSIS, quantiseVector } from '../parse/index.ts';
import type { DenseLayout } from './dense.ts';
import { denseSizes } from './dense.ts';
import { LexicalWriter } from './lexical.ts';
import type { IndexManifest } from './manifest.ts';
import { INDEX_SCHEMA, MANIFEST_NAME } from './manifest.ts';
import type { IndexedPassage } from './passage.ts';

const BUFFER_BYTES = 1 << 20;

/** How an index is built; without `dense` it searches by words alone. */
export interface BuildOptions {
  /** Names what the passages are made of, so that a later look can tell whether that has changed. */
  readonly source?: string;
  readonly dense?: {
    readonly model: ModelIdentity;
    readonly dimensions: number;
    readonly dtype: 'float32' | 'int8';
  };
}

/**
 * Writes an index into a folder. The old one stays in force until the new one is complete; a build that breaks off
 * leaves files that the next build removes.
 */
export async function buildIndex(
  folder: string,
  passages: AsyncIterable<IndexedPassage> | Iterable<IndexedPassage>,
  options: BuildOptions = {},
): Promise<IndexManifest> {
  await mkdir(folder, { recursive: true });
  const build = randomBytes(4).toString('hex');
  const files = {
    passages: `passages-${build}.bin`,
    offsets: `offsets-${build}.bin`,
    lexical: `lexical-${build}.bin`,
    dense: options.dense ? `dense-${build}.bin` : null,
  };
  const lexical = new LexicalWriter();
  const offsets: number[] = [0];
  const rowsPart = `rows-${build}.part`;
  let dense: DenseLayout | undefined;
  {
    await using records = await BufferedFile.create(join(folder, files.passages));
    await using rows = options.dense && new DenseRows(await BufferedFile.create(join(folder, rowsPart)), options.dense);
    for await (const { vectors, searchText, ...passage } of passages) {
      lexical.add(searchText ?? passage.text, passage.title);
      await records.write(Buffer.from(JSON.stringify(passage), 'utf8'));
      offsets.push(records.size);
      await rows?.add(vectors);
    }
    await records.sync();
    dense = await rows?.finish(join(folder, files.dense ?? ''));
  }
  await rm(join(folder, rowsPart), { force: true });
  await writeSynced(join(folder, files.offsets), new Uint8Array(Float64Array.from(offsets).buffer));
  await writeSynced(join(folder, files.lexical), lexical.finish());
  const manifest: IndexManifest = {
    schema: INDEX_SCHEMA,
    analysis: ANALYSIS,
    passages: offsets.length - 1,
    ...(options.source !== undefined && { source: options.source }),
    files,
    dense: options.dense && dense ? { ...dense, model: options.dense.model } : null,
  };
  await syncFolder(folder);
  await writeFileAtomic(join(folder, MANIFEST_NAME), JSON.stringify(manifest, undefined, 2));
  await removeOthers(folder, build);
  return manifest;
}

/** Vectors on their way to disk: their number is only known at the end, and it decides where they begin. */
class DenseRows implements AsyncDisposable {
  readonly #file: BufferedFile;
  readonly #options: NonNullable<BuildOptions['dense']>;
  readonly #starts: number[] = [0];
  readonly #scales: number[] = [];
  readonly #sum: Float64Array;
  readonly #rowBytes: number;
  #rows = 0;

  constructor(file: BufferedFile, options: NonNullable<BuildOptions['dense']>) {
    this.#file = file;
    this.#options = options;
    this.#sum = new Float64Array(options.dimensions);
    this.#rowBytes = denseSizes({ ...options, passages: 0, rows: 0 }).rowBytes;
  }

  async add(vectors: readonly Float32Array[]): Promise<void> {
    const { dimensions, dtype } = this.#options;
    for (const vector of vectors) {
      if (vector.length !== dimensions) {
        throw new AppError('INDEX_DIMENSIONS', `a vector has ${vector.length} numbers, the index ${dimensions}`, {
          hint: 'embed everything with the same model',
        });
      }
      for (let at = 0; at < dimensions; at += 1) this.#sum[at] = (this.#sum[at] ?? 0) + (vector[at] ?? 0);
      const row = new Uint8Array(this.#rowBytes);
      if (dtype === 'float32') new Float32Array(row.buffer).set(vector);
      else {
        const { data, scale } = quantiseVector(vector);
        new Int8Array(row.buffer).set(data);
        this.#scales.push(scale);
      }
      await this.#file.write(row);
      this.#rows += 1;
    }
    this.#starts.push(this.#rows);
  }

  /** Writes the file as the search reads it. */
  async finish(path: string): Promise<DenseLayout> {
    const { dimensions, dtype } = this.#options;
    const layout = { passages: this.#starts.length - 1, rows: this.#rows, dimensions, dtype };
    const sizes = denseSizes(layout);
    const head = new ArrayBuffer(sizes.centroid + sizes.starts + sizes.scales);
    new Float32Array(head).set(Float32Array.from(this.#sum, (value) => value / Math.max(1, this.#rows)));
    new Uint32Array(head, sizes.centroid).set(this.#starts);
    if (dtype === 'int8') new Float32Array(head, sizes.centroid + sizes.starts).set(this.#scales);
    await using target = await BufferedFile.create(path);
    await target.write(new Uint8Array(head));
    for await (const piece of this.#file.readBack()) await target.write(piece);
    await target.sync();
    return layout;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#file[Symbol.asyncDispose]();
  }
}

/** A file written from the start in large pieces. */
class BufferedFile implements AsyncDisposable {
  readonly #handle: FileHandle;
  #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #used = 0;
  size = 0;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async create(path: string): Promise<BufferedFile> {
    return new BufferedFile(await open(path, 'w+'));
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.size += bytes.length;
    if (this.#used + bytes.length > BUFFER_BYTES) await this.#flush();
    if (bytes.length > BUFFER_BYTES) await this.#handle.writeFile(bytes);
    else {
      this.#buffer.set(bytes, this.#used);
      this.#used += bytes.length;
    }
  }

  async sync(): Promise<void> {
    await this.#flush();
    await this.#handle.sync();
  }

  async *readBack(): AsyncGenerator<Uint8Array> {
    await this.#flush();
    const block = Buffer.allocUnsafe(BUFFER_BYTES);
    for (let at = 0; at < this.size;) {
      const { bytesRead } = await this.#handle.read(block, 0, block.length, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield block.subarray(0, bytesRead);
    }
  }

  async #flush(): Promise<void> {
    if (this.#used > 0) await this.#handle.writeFile(this.#buffer.subarray(0, this.#used));
    this.#used = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  await using file = await BufferedFile.create(path);
  await file.write(bytes);
  await file.sync();
}

async function removeOthers(folder: string, build: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, other] = /^(?:passages|offsets|lexical|dense|rows)-([0-9a-f]{8})\.(?:bin|part)$/.exec(name) ?? [];
    if (other !== undefined && other !== build) await rm(join(folder, name), { force: true });
  }
}
