import type { DenseLayout } from './dense.ts';
import { denseSizes, dot } from './dense.ts';
import type { ScanKernel, WasmMemory } from './kernel.ts';
import { CODE_MULTIPLE, createKernel, createMemory } from './kernel.ts';
import type { SegmentFile } from './segment-file.ts';

const PAGE = 65_536;

/** Bytes of a code: one bit per dimension, set if the value is above the mean of all vectors. */
export function codeBytes(dimensions: number): number {
  return Math.ceil(dimensions / (8 * CODE_MULTIPLE)) * CODE_MULTIPLE;
}

export function writeCode(vector: Float32Array, centre: Float32Array, target: Uint8Array): void {
  for (let at = 0; at < vector.length; at += 1) {
    if ((vector[at] as number) > (centre[at] ?? 0)) target[at >> 3] = (target[at >> 3] as number) | (1 << (at & 7));
  }
}

/**
 * The vectors of a large segment: one bit per dimension in memory, the full vectors in the file. Rows with near codes
 * are read and compared exactly.
 */
export class CodedIndex {
  readonly layout: DenseLayout;
  readonly centroid: Float32Array;
  readonly #file: SegmentFile;
  readonly #memory: WasmMemory;
  readonly #kernel: ScanKernel;
  readonly #starts: Uint32Array;
  readonly #scales: Float32Array;
  readonly #distances: Uint16Array;
  readonly #codeBytes: number;
  readonly #codesAt: number;
  readonly #sizes: ReturnType<typeof denseSizes>;

  constructor(file: SegmentFile, layout: DenseLayout) {
    this.#file = file;
    this.layout = layout;
    this.#sizes = denseSizes(layout);
    const { centroid, starts, scales } = this.#sizes;
    const head = new Uint8Array(centroid + starts + scales);
    file.into('dense', head);
    this.centroid = new Float32Array(head.buffer, 0, centroid / 4);
    this.#starts = new Uint32Array(head.buffer, centroid, layout.passages + 1);
    this.#scales = new Float32Array(head.buffer, centroid + starts, layout.dtype === 'int8' ? layout.rows : 0);
    this.#codeBytes = codeBytes(layout.dimensions);
    const bytes = layout.rows * this.#codeBytes;
    const distancesAt = Math.ceil(this.#codeBytes / 64) * 64;
    this.#codesAt = distancesAt + Math.ceil((layout.rows * 2) / 64) * 64;
    this.#memory = createMemory(Math.ceil((this.#codesAt + bytes) / PAGE));
    this.#kernel = createKernel(this.#memory);
    file.into('codes', new Uint8Array(this.#memory.buffer, this.#codesAt, bytes));
    this.#distances = new Uint16Array(this.#memory.buffer, distancesAt, layout.rows);
  }

  /**
   * The number of bits in which each row differs from a query, counted per distance in `histogram`. The next call
   * overwrites the result.
   */
  scan(query: Float32Array, histogram: Uint32Array): Uint16Array {
    const distances = this.#distances;
    if (distances.length === 0) return distances;
    const target = new Uint8Array(this.#memory.buffer, 0, this.#codeBytes).fill(0);
    writeCode(query, this.centroid, target);
    const end = this.#codesAt + distances.length * this.#codeBytes;
    this.#kernel.scanCodes(0, this.#codesAt, end, this.#codeBytes, distances.byteOffset);
    for (let row = 0; row < distances.length; row += 1) {
      const distance = distances[row] as number;
      histogram[distance] = (histogram[distance] as number) + 1;
    }
    return distances;
  }

  passageOf(row: number): number {
    let [low, high] = [0, this.layout.passages - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] as number) <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The exact score of a passage: that of its best row; `unrelated` if it has none. */
  score(passage: number, query: Float32Array, unrelated: number): number {
    let best = -Infinity;
    for (const vector of this.vectors(passage)) best = Math.max(best, dot(vector, query));
    return best === -Infinity ? unrelated : best;
  }

  /** A passage's vectors, read from the file. */
  vectors(passage: number): Float32Array[] {
    const from = this.#starts[passage] ?? 0;
    const to = this.#starts[passage + 1] ?? from;
    return Array.from({ length: to - from }, (_, at) => this.#row(from + at));
  }

  #row(row: number): Float32Array {
    const { rowBytes, centroid, starts, scales } = this.#sizes;
    const bytes = new Uint8Array(rowBytes);
    this.#file.into('dense', bytes, centroid + starts + scales + row * rowBytes);
    const { dimensions, dtype } = this.layout;
    if (dtype === 'float32') return new Float32Array(bytes.buffer, 0, dimensions);
    const scale = this.#scales[row] as number;
    const integers = new Int8Array(bytes.buffer, 0, dimensions);
    const vector = new Float32Array(dimensions);
    for (let at = 0; at < dimensions; at += 1) vector[at] = (integers[at] as number) * scale;
    return vector;
  }
}
