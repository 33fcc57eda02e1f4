import { AppError } from '../../base/index.ts';
import type { DenseEngine } from './engine.ts';
import type { FolderOptions } from './engines/onnx.ts';
import type { ServerOptions } from './engines/openai-compatible.ts';

export type DenseSettings =
  | { readonly engine: 'embedded'; readonly precision: 'int8' | 'fp32'; readonly threads: number }
  | ({ readonly engine: 'onnx' } & FolderOptions)
  | ({ readonly engine: 'openai-compatible' } & ServerOptions);

export async function openDenseEngine(settings: DenseSettings, signal?: AbortSignal): Promise<DenseEngine> {
  if (settings.engine === 'embedded') return (await import('./engines/embedded.ts')).openEmbeddedEngine(settings);
  if (settings.engine === 'onnx') return (await import('./engines/onnx.ts')).openFolderEngine(settings, signal);
  return (await import('./engines/openai-compatible.ts')).openServerEngine(settings, signal);
}

/** Codes of errors that say that an optional package is not installed, or not made for this platform. */
const NOT_INSTALLED: ReadonlySet<string> = new Set(['MODEL_NOT_INSTALLED']);

/** An engine, or why there is none on this machine: then words alone can be searched, and the message says so. */
export type MaybeEngine =
  | { readonly kind: 'engine'; readonly engine: DenseEngine }
  | { readonly kind: 'missing'; readonly reason: AppError };

/** Opens a dense engine where its packages are installed; any other fault is still an error. */
export async function openDenseEngineIfInstalled(settings: DenseSettings, signal?: AbortSignal): Promise<MaybeEngine> {
  try {
    return { kind: 'engine', engine: await openDenseEngine(settings, signal) };
  } catch (error) {
    if (error instanceof AppError && NOT_INSTALLED.has(error.code)) return { kind: 'missing', reason: error };
    throw error;
  }
}
