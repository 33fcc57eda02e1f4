import { AppError } from '../../base/index.ts';
import type { ScanKernel, WasmMemory } from './kernel.ts';
import { createKernel, createMemory, ROW_MULTIPLE } from './kernel.ts';
import type { SegmentFile } from './segment-file.ts';

/** The layout of vectors in a file: centroid, first row of each passage, scales (int8 only), rows. */
export interface DenseLayout {
  readonly passages: number;
  readonly rows: number;
  readonly dimensions: number;
  readonly dtype: 'float32' | 'int8';
}

/** Sizes in bytes of the parts of the file, in file order. */
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

/** Vectors in memory for exact search: a query is compared with all of them. */
export class DenseIndex {
  readonly layout: DenseLayout;
  readonly #memory: WasmMemory;
  readonly #kernel: ScanKernel;
  /** Output buffer of the kernel; never returned. */
  readonly #products: Float32Array;
  readonly #starts: Uint32Array;
  readonly #centroid: Float32Array;
  readonly #sizes: ReturnType<typeof denseSizes>;
  readonly #file: number;
  /** Whether every passage has exactly one row. */
  readonly #plain: boolean;

  /** Reads the vectors of a segment directly into the kernel's memory. */
  constructor(file: SegmentFile, layout: DenseLayout) {
    this.#sizes = denseSizes(layout);
    const { total, centroid } = this.#sizes;
    if (file.bytesOf('dense') !== total) {
      throw new AppError('INDEX_DAMAGED', `${file.path} does not contain ${layout.rows} vectors`, {
        hint: 'remove the Index folder; it will be rebuilt',
      });
    }
    this.layout = layout;
    // Memory layout: the query, the products, then the file.
    const productsAt = aligned(centroid);
    this.#file = productsAt + aligned(layout.rows * 4);
    const pages = Math.ceil((this.#file + total) / PAGE);
    if (pages > PAGE) {
      throw new AppError('INDEX_TOO_LARGE', `${layout.rows} vectors exceed the 4 GB limit of a search`, {
        hint: 'build the index with int8 vectors, or search parts of the collection',
      });
    }
    this.#memory = createMemory(pages);
    this.#kernel = createKernel(this.#memory);
    const { buffer } = this.#memory;
    file.into('dense', new Uint8Array(buffer, this.#file, total));
    this.#products = new Float32Array(buffer, productsAt, layout.rows);
    this.#centroid = new Float32Array(buffer, this.#file, centroid / 4);
    this.#starts = new Uint32Array(buffer, this.#file + centroid, layout.passages + 1);
    this.#plain = isPlain(this.#starts);
  }

  /** The score of every passage: that of its best row. A passage without vectors gets `unrelated`. */
  score(query: Float32Array, unrelated: number): Float32Array {
    const { rows, passages } = this.layout;
    if (rows > 0) this.#scan(query);
    if (this.#plain) return this.#products.slice();
    const scores = new Float32Array(passages);
    for (let passage = 0; passage < passages; passage += 1) {
      let best = -Infinity;
      for (let row = this.#starts[passage] as number; row < (this.#starts[passage + 1] as number); row += 1)
        best = Math.max(best, this.#products[row] as number);
      scores[passage] = best === -Infinity ? unrelated : best;
    }
    return scores;
  }

  /** The mean of all rows. */
  get centroid(): Float32Array {
    return this.#centroid;
  }

  /** Writes the inner products of a query with all rows. */
  #scan(query: Float32Array): void {
    const { rowBytes, centroid, starts, scales } = this.#sizes;
    const { buffer } = this.#memory;
    const first = this.#file + centroid + starts + scales;
    const end = first + this.layout.rows * rowBytes;
    const out = this.#products.byteOffset;
    if (this.layout.dtype === 'float32') {
      new Float32Array(buffer, 0, rowBytes / 4).fill(0).set(query);
      this.#kernel.scanFloats(0, first, end, rowBytes, out);
      return;
    }
    const scale = largest(query) / 127 || 1;
    const integers = new Int16Array(buffer, 0, rowBytes).fill(0);
    for (let at = 0; at < query.length; at += 1) integers[at] = Math.round((query[at] ?? 0) / scale);
    this.#kernel.scanBytes(0, first, end, rowBytes, out, this.#file + centroid + starts);
    for (let at = 0; at < this.#products.length; at += 1) this.#products[at] = (this.#products[at] as number) * scale;
  }

  vectors(passage: number): Float32Array[] {
    const from = this.#starts[passage] ?? 0;
    const to = this.#starts[passage + 1] ?? from;
    return Array.from({ length: to - from }, (_, at) => this.#row(from + at));
  }

  #row(row: number): Float32Array {
    const { rowBytes, centroid, starts, scales } = this.#sizes;
    const at = this.#file + centroid + starts + scales + row * rowBytes;
    const { buffer } = this.#memory;
    if (this.layout.dtype === 'float32') return new Float32Array(buffer, at, this.layout.dimensions);
    const [scale = 1] = new Float32Array(buffer, this.#file + centroid + starts + row * 4, 1);
    return Float32Array.from(new Int8Array(buffer, at, this.layout.dimensions), (value) => value * scale);
  }
}

function isPlain(starts: Uint32Array): boolean {
  for (let passage = 0; passage < starts.length; passage += 1) if (starts[passage] !== passage) return false;
  return true;
}

/** The inner product up to the shorter length. */
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
