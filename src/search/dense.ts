import { closeSync, openSync, readSync, statSync } from 'node:fs';

import { AppError } from '../base/index.ts';
import type { ScanKernel } from './kernel.ts';
import { createKernel, ROW_MULTIPLE } from './kernel.ts';
import type { WasmMemory } from './wasm.ts';
import { createMemory } from './wasm.ts';

/** How vectors lie in a file: centroid, first row of each passage, scales (int8 only), rows. */
export interface DenseLayout {
  readonly passages: number;
  readonly rows: number;
  readonly dimensions: number;
  readonly dtype: 'float32' | 'int8';
}

/** Sizes in bytes of the parts of the file, in their order. */
export function denseSizes(layout: DenseLayout): {
  readonly rowBytes: number;
  readonly centroid: number;
  readonly starts: number;
  readonly scales: number;
  readonly total: number;
} {
  const width = Math.ceil(layout.dimensions / ROW_MULTIPLE) * ROW_MULTIPLE;
  const rowBytes = layout.dtype === 'int8' ? width : width * 4;
  const centroid = width * 4;
  const starts = aligned((layout.passages + 1) * 4);
  const scales = layout.dtype === 'int8' ? aligned(layout.rows * 4) : 0;
  return { rowBytes, centroid, starts, scales, total: centroid + starts + scales + layout.rows * rowBytes };
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}

const PAGE = 65_536;

/** Vectors in memory that a query is compared with, all of them: an exact search. */
export class DenseIndex {
  readonly layout: DenseLayout;
  readonly #memory: WasmMemory;
  readonly #kernel: ScanKernel;
  readonly #scores: Float32Array;
  readonly #starts: Uint32Array;
  readonly #centroid: Float32Array;
  readonly #file: number;
  /** Every passage has exactly one row, so that rows are passages. */
  readonly #plain: boolean;

  /** Reads the file straight into the kernel's memory. */
  constructor(path: string, layout: DenseLayout) {
    const { total, centroid } = denseSizes(layout);
    if (statSync(path).size !== total) {
      throw new AppError('INDEX_DAMAGED', `${path} does not hold ${layout.rows} vectors`, {
        hint: 'build the index again',
      });
    }
    this.layout = layout;
    // The query comes first, then the scores, then the file.
    const scoresAt = aligned(centroid);
    this.#file = scoresAt + aligned(layout.rows * 4);
    const pages = Math.ceil((this.#file + total) / PAGE);
    if (pages > PAGE) {
      throw new AppError('INDEX_TOO_LARGE', `${layout.rows} vectors do not fit the 4 GB a search can hold`, {
        hint: 'build the index with int8 vectors, or search parts of the collection',
      });
    }
    this.#memory = createMemory(pages);
    this.#kernel = createKernel(this.#memory);
    const { buffer } = this.#memory;
    readInto(path, new Uint8Array(buffer, this.#file, total));
    this.#scores = new Float32Array(buffer, scoresAt, layout.rows);
    this.#centroid = new Float32Array(buffer, this.#file, centroid / 4);
    this.#starts = new Uint32Array(buffer, this.#file + centroid, layout.passages + 1);
    this.#plain = this.#starts.every((row, passage) => row === passage);
  }

  /**
   * The score of every passage: that of its best row. A passage without vectors scores what an unrelated one would. The
   * next scan may overwrite the scores.
   */
  score(query: Float32Array): { readonly scores: Float32Array; readonly unrelated: number } {
    const unrelated = this.unrelated(query);
    const rows = this.scan(query);
    if (this.#plain) return { scores: rows, unrelated };
    const scores = new Float32Array(this.layout.passages);
    for (let passage = 0; passage < scores.length; passage += 1) {
      let best = -Infinity;
      for (let row = this.#starts[passage] ?? 0; row < (this.#starts[passage + 1] ?? 0); row += 1) {
        best = Math.max(best, rows[row] ?? best);
      }
      scores[passage] = best === -Infinity ? unrelated : best;
    }
    return { scores, unrelated };
  }

  /** The mean score of all rows, which is what a passage without relation to the query may expect. */
  unrelated(query: Float32Array): number {
    return dot(query, this.#centroid);
  }

  /** The bare scan: inner products of all rows, in memory that the next scan overwrites. */
  scan(query: Float32Array): Float32Array {
    const { rowBytes, centroid, starts, scales } = denseSizes(this.layout);
    const rows = this.#file + centroid + starts + scales;
    const end = rows + this.layout.rows * rowBytes;
    const { buffer } = this.#memory;
    if (this.layout.rows === 0) return this.#scores;
    if (this.layout.dtype === 'float32') {
      new Float32Array(buffer, 0, rowBytes / 4).fill(0).set(query);
      this.#kernel.scanFloats(0, rows, end, rowBytes, this.#scores.byteOffset);
      return this.#scores;
    }
    const scale = largest(query) / 127 || 1;
    const integers = new Int16Array(buffer, 0, rowBytes).fill(0);
    for (let at = 0; at < query.length; at += 1) integers[at] = Math.round((query[at] ?? 0) / scale);
    this.#kernel.scanBytes(0, rows, end, rowBytes, this.#scores.byteOffset, this.#file + centroid + starts);
    for (let at = 0; at < this.#scores.length; at += 1) this.#scores[at] = (this.#scores[at] ?? 0) * scale;
    return this.#scores;
  }

  /** A passage's vectors. */
  vectors(passage: number): Float32Array[] {
    const from = this.#starts[passage] ?? 0;
    const to = this.#starts[passage + 1] ?? from;
    return Array.from({ length: to - from }, (_, at) => this.#row(from + at));
  }

  #row(row: number): Float32Array {
    const { rowBytes, centroid, starts, scales } = denseSizes(this.layout);
    const at = this.#file + centroid + starts + scales + row * rowBytes;
    const { buffer } = this.#memory;
    if (this.layout.dtype === 'float32') return new Float32Array(buffer, at, this.layout.dimensions);
    const [scale = 1] = new Float32Array(buffer, this.#file + centroid + starts + row * 4, 1);
    return Float32Array.from(new Int8Array(buffer, at, this.layout.dimensions), (value) => value * scale);
  }
}

/** Inner product; the shorter length counts. */
export function dot(a: Float32Array, b: Float32Array): number {
  const length = Math.min(a.length, b.length);
  let sum = 0;
  for (let at = 0; at < length; at += 1) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

function largest(vector: Float32Array): number {
  let most = 0;
  for (const value of vector) most = Math.max(most, Math.abs(value));
  return most;
}

function readInto(path: string, target: Uint8Array): void {
  const descriptor = openSync(path, 'r');
  try {
    for (let at = 0; at < target.length;) {
      const read = readSync(descriptor, target, at, Math.min(target.length - at, 1 << 28), at);
      if (read === 0) throw new AppError('INDEX_DAMAGED', `${path} ended early`, { hint: 'build the index again' });
      at += read;
    }
  } finally {
    closeSync(descriptor);
  }
}
