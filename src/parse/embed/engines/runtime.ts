import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A tensor of onnxruntime: its element type, its numbers and its shape. */
export interface RuntimeTensor {
  readonly type: string;
  readonly data: unknown;
  readonly dims: readonly number[];
}

/** A loaded model. */
export interface RuntimeSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Readonly<Record<string, RuntimeTensor>>): Promise<Readonly<Record<string, RuntimeTensor>>>;
  release(): Promise<void>;
}

/** Options of a session that are used here, in onnxruntime's words. */
export interface SessionOptions {
  readonly intraOpNumThreads: number;
  readonly interOpNumThreads: number;
  readonly executionProviders: readonly ('cpu' | 'wasm')[];
  readonly logSeverityLevel: 0 | 1 | 2 | 3 | 4;
  readonly extra: Record<string, unknown>;
  readonly externalData: readonly { readonly path: string; readonly data: Uint8Array }[];
}

/** What is used of onnxruntime; its native and its WebAssembly build offer the same. */
interface Runtime {
  readonly InferenceSession: { create(model: string | Uint8Array, options: SessionOptions): Promise<RuntimeSession> };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, shape: readonly number[]) => RuntimeTensor;
}

/** onnxruntime as native code or as WebAssembly. */
export interface LoadedRuntime {
  readonly kind: 'native' | 'wasm';
  readonly runtime: Runtime;
}

/**
 * Native code where onnxruntime-node is installed and runs on this platform, else the WebAssembly that we ship, with
 * the number of threads of the first call.
 */
export async function loadRuntime(threads: number): Promise<LoadedRuntime> {
  try {
    return { kind: 'native', runtime: await import('onnxruntime-node') };
  } catch {
    return { kind: 'wasm', runtime: await loadWasm(threads) };
  }
}

/** The files of onnxruntime-web that are needed: its entry for Node, and the WebAssembly with what starts it. */
export const WASM_FILES = {
  entry: 'ort.node.min.mjs',
  module: 'ort-wasm-simd-threaded.mjs',
  binary: 'ort-wasm-simd-threaded.wasm',
} as const;

/** The folder of WASM_FILES: that of the package in a clone, a copy beside this file in the package we publish. */
export function wasmFolder(): string {
  return import.meta.url.endsWith('.ts')
    ? dirname(fileURLToPath(import.meta.resolve(`onnxruntime-web/${WASM_FILES.binary}`)))
    : join(import.meta.dirname, 'onnxruntime-web');
}

interface WasmRuntime extends Runtime {
  readonly env: {
    logLevel?: string;
    readonly wasm: { numThreads?: number; wasmBinary?: Uint8Array; wasmPaths?: { readonly mjs: string } };
  };
}

async function loadWasm(threads: number): Promise<Runtime> {
  const [entry, module] = [WASM_FILES.entry, WASM_FILES.module].map((name) => pathToFileURL(join(wasmFolder(), name)));
  const runtime = (await import(entry?.href ?? '')) as WasmRuntime;
  const { env } = runtime;
  if (env.wasm.wasmBinary === undefined) {
    env.logLevel = 'error';
    env.wasm.numThreads = threads;
    env.wasm.wasmPaths = { mjs: module?.href ?? '' };
    env.wasm.wasmBinary = await readFile(join(wasmFolder(), WASM_FILES.binary));
  }
  return runtime;
}
