/** Row lengths are multiples of this; shorter vectors are padded with zeros. */
export const ROW_MULTIPLE = 32;

/** Inner products of a query with consecutive rows in memory. All arguments are byte offsets. */
export interface ScanKernel {
  scanFloats(query: number, rows: number, rowsEnd: number, rowBytes: number, out: number): void;
  /** int8 rows with one scale each; the query is 16-bit integers, so that it is not widened for every row. */
  scanBytes(query: number, rows: number, rowsEnd: number, rowBytes: number, out: number, scales: number): void;
  /** Writes the number of bits in which each code differs from the query's to `out` as 16-bit integers. */
  scanCodes(query: number, codes: number, codesEnd: number, codeBytes: number, out: number): void;
}

/** Code lengths are multiples of this many bytes. */
export const CODE_MULTIPLE = 16;

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
  'AGFzbQEAAAABEgJgBX9/f39/AGAGf39/f39/AAIPAQNlbnYGbWVtb3J5AgAAAwQDAAEAByYDCnNjYW5GbG9hdHMAAAlzY2FuQnl0' +
  'ZXMAAQlzY2FuQ29kZXMAAgrCBQOTAgICfwR7A0AgACEFIAEgA2ohBv0MAAAAAAAAAAAAAAAAAAAAACEH/QwAAAAAAAAAAAAAAAAA' +
  'AAAAIQj9DAAAAAAAAAAAAAAAAAAAAAAhCf0MAAAAAAAAAAAAAAAAAAAAACEKA0AgByAB/QAEACAF/QAEAP3mAf3kASEHIAggAf0A' +
  'BBAgBf0ABBD95gH95AEhCCAJIAH9AAQgIAX9AAQg/eYB/eQBIQkgCiAB/QAEMCAF/QAEMP3mAf3kASEKIAVBwABqIQUgAUHAAGoh' +
  'ASABIAZJDQALIAcgCP3kASAJIAr95AH95AEhByAEIAf9HwAgB/0fAZIgB/0fApIgB/0fA5I4AgAgBEEEaiEEIAEgAkkNAAsLoAIC' +
  'An8EewNAIAAhBiABIANqIQf9DAAAAAAAAAAAAAAAAAAAAAAhCP0MAAAAAAAAAAAAAAAAAAAAACEJ/QwAAAAAAAAAAAAAAAAAAAAA' +
  'IQr9DAAAAAAAAAAAAAAAAAAAAAAhCwNAIAggAf0BAwAgBv0ABAD9ugH9rgEhCCAJIAH9AQMIIAb9AAQQ/boB/a4BIQkgCiAB/QED' +
  'ECAG/QAEIP26Af2uASEKIAsgAf0BAxggBv0ABDD9ugH9rgEhCyAGQcAAaiEGIAFBIGohASABIAdJDQALIAggCf2uASAKIAv9rgH9' +
  'rgEhCCAEIAj9GwAgCP0bAWogCP0bAmogCP0bA2qyIAUqAgCUOAIAIAVBBGohBSAEQQRqIQQgASACSQ0ACwuIAQICfwF7A0AgACEF' +
  'IAEgA2ohBv0MAAAAAAAAAAAAAAAAAAAAACEHA0AgByAB/QAEACAF/QAEAP1R/WL9biEHIAVBEGohBSABQRBqIQEgASAGSQ0ACyAH' +
  '/X39fyEHIAQgB/0bACAH/RsBaiAH/RsCaiAH/RsDajsBACAEQQJqIQQgASACSQ0ACws=';
