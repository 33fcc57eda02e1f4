import { KERNEL_BYTES } from './kernel-bytes.ts';

/** A row holds a multiple of so many numbers; shorter vectors are filled up with zeros. */
export const ROW_MULTIPLE = 32;

/** Inner products of a query with rows that lie one after the other in memory. All places are byte offsets. */
export interface ScanKernel {
  /** float32 rows. */
  scanFloats(query: number, rows: number, rowsEnd: number, rowBytes: number, out: number): void;
  /** int8 rows with a scale each; the query is given as 16-bit integers, which saves widening it for every row. */
  scanBytes(query: number, rows: number, rowsEnd: number, rowBytes: number, out: number, scales: number): void;
  /** In how many bits each of the codes differs from the query's; written to `out` as 16-bit integers. */
  scanCodes(query: number, codes: number, codesEnd: number, codeBytes: number, out: number): void;
}

/** A code holds a multiple of so many bytes. */
export const CODE_MULTIPLE = 16;

/** Memory that WebAssembly and typed arrays share. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

/** What is used of WebAssembly; the compiler's library has it only together with a browser's. */
const webAssembly = (
  globalThis as unknown as {
    WebAssembly: {
      Memory: new (size: { initial: number }) => WasmMemory;
      Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
      Instance: new (module: object, imports: { env: { memory: WasmMemory } }) => { exports: object };
    };
  }
).WebAssembly;

/** Memory of so many pages of 64 KiB. */
export function createMemory(pages: number): WasmMemory {
  return new webAssembly.Memory({ initial: pages });
}

/** Compiles the kernels, whose source is kernel.wat, for a memory. */
export function createKernel(memory: WasmMemory): ScanKernel {
  const module = new webAssembly.Module(Uint8Array.from(Buffer.from(KERNEL_BYTES, 'base64')));
  return new webAssembly.Instance(module, { env: { memory } }).exports as ScanKernel;
}
