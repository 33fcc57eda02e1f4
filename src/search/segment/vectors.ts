import type { SegmentFile } from './segment-file.ts';

/** The layout of vectors in a file: centroid, first row of each passage, scales (int8 only), rows. */
export interface DenseLayout {
  readonly passages: number;
  readonly rows: number;
  readonly dimensions: number;
  readonly dtype: 'float32' | 'int8';
}

/** Row lengths are multiples of this many numbers, code lengths of this many bytes; the rest is zero. */
const ROW_MULTIPLE = 32;
const CODE_MULTIPLE = 16;

/** Sizes in bytes of the parts of the file, in file order. */
export function denseSizes({ passages, rows, dimensions, dtype }: DenseLayout) {
  const width = Math.ceil(dimensions / ROW_MULTIPLE) * ROW_MULTIPLE;
  return {
    centroid: width * 4,
    starts: aligned((passages + 1) * 4),
    scales: dtype === 'int8' ? aligned(rows * 4) : 0,
    rowBytes: dtype === 'int8' ? width : width * 4,
  };
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}

/** The inner product up to the shorter length. */
export function dot(a: Float32Array | Int8Array, b: Float32Array): number {
  const length = Math.min(a.length, b.length);
  let sum = 0;
  for (let at = 0; at < length; at += 1) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

/** Bytes of a code: one bit per dimension, set if the value is above the mean of all vectors. */
export function codeBytes(dimensions: number): number {
  return Math.ceil(dimensions / (8 * CODE_MULTIPLE)) * CODE_MULTIPLE;
}

export function writeCode(vector: Float32Array, centre: Float32Array, target: Uint8Array): void {
  for (let at = 0; at < vector.length; at += 1) {
    if ((vector[at] as number) > (centre[at] ?? 0)) target[at >> 3] = (target[at >> 3] as number) | (1 << (at & 7));
  }
}

/** The distance of rows that are not to be found. */
export const HIDDEN = 0xffff;

/**
 * The vectors of a segment: one bit per dimension in memory, the full vectors in the file. Rows with near codes are read
 * and compared exactly.
 */
export class VectorIndex {
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
  readonly #rowBytes: number;
  readonly #rowsAt: number;
  /** The row read last. */
  readonly #row: Uint8Array<ArrayBuffer>;
  readonly #values: Float32Array<ArrayBuffer> | Int8Array<ArrayBuffer>;

  constructor(file: SegmentFile, layout: DenseLayout) {
    this.#file = file;
    this.layout = layout;
    const { centroid, starts, scales, rowBytes } = denseSizes(layout);
    this.#rowBytes = rowBytes;
    this.#row = new Uint8Array(rowBytes);
    this.#values =
      layout.dtype === 'float32'
        ? new Float32Array(this.#row.buffer, 0, layout.dimensions)
        : new Int8Array(this.#row.buffer, 0, layout.dimensions);
    this.#rowsAt = centroid + starts + scales;
    file.checkRange('dense', this.#rowsAt, layout.rows * rowBytes);
    const head = new Uint8Array(this.#rowsAt);
    file.into('dense', head);
    this.centroid = new Float32Array(head.buffer, 0, centroid / 4);
    this.#starts = new Uint32Array(head.buffer, centroid, layout.passages + 1);
    this.#scales = new Float32Array(head.buffer, centroid + starts, layout.dtype === 'int8' ? layout.rows : 0);
    this.#codeBytes = codeBytes(layout.dimensions);
    const bytes = layout.rows * this.#codeBytes;
    // Memory layout: the code of the query, the distances, the codes.
    const distancesAt = aligned(this.#codeBytes);
    this.#codesAt = distancesAt + aligned(layout.rows * 2);
    this.#memory = createMemory(Math.ceil((this.#codesAt + bytes) / PAGE));
    this.#kernel = createKernel(this.#memory);
    file.into('codes', new Uint8Array(this.#memory.buffer, this.#codesAt, bytes));
    this.#distances = new Uint16Array(this.#memory.buffer, distancesAt, layout.rows);
  }

  /**
   * The number of bits in which each row differs from a query, counted per distance in `histogram`; `HIDDEN` for the rows
   * of hidden passages. The next call overwrites the result.
   */
  scan(query: Float32Array, hidden: Uint32Array, histogram: Uint32Array): Uint16Array {
    const distances = this.#distances;
    if (distances.length === 0) return distances;
    const target = new Uint8Array(this.#memory.buffer, 0, this.#codeBytes).fill(0);
    writeCode(query, this.centroid, target);
    const end = this.#codesAt + distances.length * this.#codeBytes;
    this.#kernel.scanCodes(0, this.#codesAt, end, this.#codeBytes, distances.byteOffset);
    for (const passage of hidden) distances.fill(HIDDEN, this.#starts[passage], this.#starts[passage + 1]);
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

  has(passage: number): boolean {
    return (this.#starts[passage + 1] ?? 0) > (this.#starts[passage] ?? 0);
  }

  /** The similarity of a passage's best vector to a query; undefined if it has none. */
  similarity(passage: number, query: Float32Array): number | undefined {
    let best: number | undefined;
    for (const scale of this.#rows(passage)) best = Math.max(best ?? -Infinity, scale * dot(this.#values, query));
    return best;
  }

  /** Reads a passage's rows into `#values` one after the other; yields what these must be multiplied by. */
  *#rows(passage: number): Generator<number> {
    const to = this.#starts[passage + 1] ?? 0;
    for (let row = this.#starts[passage] ?? to; row < to; row += 1) {
      this.#file.into('dense', this.#row, this.#rowsAt + row * this.#rowBytes);
      yield this.#scales[row] ?? 1;
    }
  }
}

const PAGE = 65_536;

export interface ScanKernel {
  /** Writes the number of bits in which each code differs from the query's to `out` as 16-bit integers. */
  scanCodes(query: number, codes: number, codesEnd: number, codeBytes: number, out: number): void;
}

/** Memory that WebAssembly and typed arrays share. */
interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

/** The part of WebAssembly that is used; TypeScript declares it only in the DOM library. */
const webAssembly = (
  globalThis as unknown as {
    WebAssembly: {
      Memory: new (size: { initial: number }) => WasmMemory;
      Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
      Instance: new (module: object, imports: { env: { memory: WasmMemory } }) => { exports: object };
    };
  }
).WebAssembly;

/** Memory of this many 64 KiB pages. */
export function createMemory(pages: number): WasmMemory {
  return new webAssembly.Memory({ initial: pages });
}

/** Compiles the kernel (source: kernel.wat) for a memory. */
export function createKernel(memory: WasmMemory): ScanKernel {
  const module = new webAssembly.Module(Uint8Array.from(Buffer.from(KERNEL_BYTES, 'base64')));
  return new webAssembly.Instance(module, { env: { memory } }).exports as ScanKernel;
}

/** The scan kernel as a WebAssembly module, built from kernel.wat by `npm run wasm`. */
export const KERNEL_BYTES =
  'AGFzbQEAAAABCQFgBX9/f39/AAIPAQNlbnYGbWVtb3J5AgAAAwIBAAcNAQlzY2FuQ29kZXMAAAqLAQGIAQICfwF7A0AgACEFIAEg' +
  'A2ohBv0MAAAAAAAAAAAAAAAAAAAAACEHA0AgByAB/QAEACAF/QAEAP1R/WL9biEHIAVBEGohBSABQRBqIQEgASAGSQ0ACyAH/X39' +
  'fyEHIAQgB/0bACAH/RsBaiAH/RsCaiAH/RsDajsBACAEQQJqIQQgASACSQ0ACws=';
