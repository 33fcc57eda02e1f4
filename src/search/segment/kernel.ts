/** Row lengths are multiples of this; shorter vectors are padded with zeros. */
export const ROW_MULTIPLE = 32;

/** Inner products of a query with consecutive rows in memory. All arguments are byte offsets. */
export interface ScanKernel {
  /** float32 rows. */
  scanFloats(query: number, rows: number, rowsEnd: number, rowBytes: number, out: number): void;
  /** int8 rows with one scale each; the query is 16-bit integers, so that it is not widened for every row. */
  scanBytes(query: number, rows: number, rowsEnd: number, rowBytes: number, out: number, scales: number): void;
}

/** Memory that WebAssembly and typed arrays share. */
export interface WasmMemory {
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

/** Compiles the kernels (source: kernel.wat) for a memory. */
export function createKernel(memory: WasmMemory): ScanKernel {
  const module = new webAssembly.Module(Uint8Array.from(Buffer.from(KERNEL_BYTES, 'base64')));
  return new webAssembly.Instance(module, { env: { memory } }).exports as ScanKernel;
}

/** The scan kernels as a WebAssembly module, built from kernel.wat by `npm run wasm`. */
export const KERNEL_BYTES =
  'AGFzbQEAAAABEgJgBX9/f39/AGAGf39/f39/AAIPAQNlbnYGbWVtb3J5AgAAAwMCAAEHGgIKc2NhbkZsb2F0cwAACXNjYW5CeXRl' +
  'cwABCrgEApMCAgJ/BHsDQCAAIQUgASADaiEG/QwAAAAAAAAAAAAAAAAAAAAAIQf9DAAAAAAAAAAAAAAAAAAAAAAhCP0MAAAAAAAA' +
  'AAAAAAAAAAAAACEJ/QwAAAAAAAAAAAAAAAAAAAAAIQoDQCAHIAH9AAQAIAX9AAQA/eYB/eQBIQcgCCAB/QAEECAF/QAEEP3mAf3k' +
  'ASEIIAkgAf0ABCAgBf0ABCD95gH95AEhCSAKIAH9AAQwIAX9AAQw/eYB/eQBIQogBUHAAGohBSABQcAAaiEBIAEgBkkNAAsgByAI' +
  '/eQBIAkgCv3kAf3kASEHIAQgB/0fACAH/R8BkiAH/R8CkiAH/R8DkjgCACAEQQRqIQQgASACSQ0ACwugAgICfwR7A0AgACEGIAEg' +
  'A2ohB/0MAAAAAAAAAAAAAAAAAAAAACEI/QwAAAAAAAAAAAAAAAAAAAAAIQn9DAAAAAAAAAAAAAAAAAAAAAAhCv0MAAAAAAAAAAAA' +
  'AAAAAAAAACELA0AgCCAB/QEDACAG/QAEAP26Af2uASEIIAkgAf0BAwggBv0ABBD9ugH9rgEhCSAKIAH9AQMQIAb9AAQg/boB/a4B' +
  'IQogCyAB/QEDGCAG/QAEMP26Af2uASELIAZBwABqIQYgAUEgaiEBIAEgB0kNAAsgCCAJ/a4BIAogC/2uAf2uASEIIAQgCP0bACAI' +
  '/RsBaiAI/RsCaiAI/RsDarIgBSoCAJQ4AgAgBUEEaiEFIARBBGohBCABIAJJDQALCw==';
