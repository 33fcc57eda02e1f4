import type { SegmentFile } from './segment-file.ts';

/** Code lengths are multiples of this many bytes; the rest is zero. */
const CODE_MULTIPLE = 16;

/** The inner product up to the shorter length. */
export function dot(a: Float32Array, b: Float32Array): number {
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

/** The distance of passages that are not to be found. */
export const HIDDEN = 0xffff;

/** The codes of a segment's passages in memory. Passages with near codes are read from the file and compared exactly. */
export class CodeIndex {
  readonly #centroid: Float32Array;
  readonly #memory: WasmMemory;
  readonly #kernel: ScanKernel;
  readonly #distances: Uint16Array;
  readonly #codeBytes: number;
  readonly #codesAt: number;

  constructor(file: SegmentFile, centroid: Float32Array, passages: number) {
    this.#centroid = centroid;
    this.#codeBytes = codeBytes(centroid.length);
    const bytes = passages * this.#codeBytes;
    // Memory layout: the code of the query, the distances, the codes.
    const distancesAt = aligned(this.#codeBytes);
    this.#codesAt = distancesAt + aligned(passages * 2);
    this.#memory = createMemory(Math.ceil((this.#codesAt + bytes) / PAGE));
    this.#kernel = createKernel(this.#memory);
    file.into('codes', new Uint8Array(this.#memory.buffer, this.#codesAt, bytes));
    this.#distances = new Uint16Array(this.#memory.buffer, distancesAt, passages);
  }

  /** The number of bits in which each passage's code differs from a query's. The next call overwrites the result. */
  scan(query: Float32Array): Uint16Array {
    const distances = this.#distances;
    if (distances.length === 0) return distances;
    const target = new Uint8Array(this.#memory.buffer, 0, this.#codeBytes).fill(0);
    writeCode(query, this.#centroid, target);
    const end = this.#codesAt + distances.length * this.#codeBytes;
    this.#kernel.scanCodes(0, this.#codesAt, end, this.#codeBytes, distances.byteOffset);
    return distances;
  }
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}

const PAGE = 65_536;

export interface ScanKernel {
  /** Writes the number of bits in which each code differs from the query's to `out` as 16-bit integers. */
  scanCodes(query: number, codes: number, codesEnd: number, codeBytes: number, out: number): void;
}

interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

/** TypeScript declares WebAssembly only in the DOM library. */
const webAssembly = (
  globalThis as unknown as {
    WebAssembly: {
      Memory: new (size: { initial: number }) => WasmMemory;
      Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
      Instance: new (module: object, imports: { env: { memory: WasmMemory } }) => { exports: object };
    };
  }
).WebAssembly;

export function createMemory(pages: number): WasmMemory {
  return new webAssembly.Memory({ initial: pages });
}

export function createKernel(memory: WasmMemory): ScanKernel {
  const module = new webAssembly.Module(Uint8Array.from(Buffer.from(KERNEL_BYTES, 'base64')));
  return new webAssembly.Instance(module, { env: { memory } }).exports as ScanKernel;
}

/** Built from kernel.wat by `npm run wasm`. */
export const KERNEL_BYTES =
  'AGFzbQEAAAABCQFgBX9/f39/AAIPAQNlbnYGbWVtb3J5AgAAAwIBAAcNAQlzY2FuQ29kZXMAAAqLAQGIAQICfwF7A0AgACEFIAEg' +
  'A2ohBv0MAAAAAAAAAAAAAAAAAAAAACEHA0AgByAB/QAEACAF/QAEAP1R/WL9biEHIAVBEGohBSABQRBqIQEgASAGSQ0ACyAH/X39' +
  'fyEHIAQgB/0bACAH/RsBaiAH/RsCaiAH/RsDajsBACAEQQJqIQQgASACSQ0ACws=';
