import type { DenseEngine, SparseEngine } from './engine.ts';
import type { FolderOptions } from './engines/onnx.ts';
import type { ServerOptions } from './engines/openai-compatible.ts';

/** Which dense engine to use, and how. */
export type DenseSettings =
  | { readonly engine: 'embedded'; readonly precision: 'int8' | 'fp32'; readonly threads: number }
  | ({ readonly engine: 'onnx' } & FolderOptions)
  | ({ readonly engine: 'openai-compatible' } & ServerOptions);

/** Opens a dense engine; what it needs is loaded only now. */
export async function openDenseEngine(settings: DenseSettings, signal?: AbortSignal): Promise<DenseEngine> {
  switch (settings.engine) {
    case 'embedded': {
      const { openEmbeddedEngine } = await import('./engines/embedded.ts');
      return openEmbeddedEngine(settings);
    }
    case 'onnx': {
      const { openFolderEngine } = await import('./engines/onnx.ts');
      return openFolderEngine(settings);
    }
    case 'openai-compatible':
      break;
  }
  const { openServerEngine } = await import('./engines/openai-compatible.ts');
  return openServerEngine(settings, signal);
}

/** Opens SPLADE from a local folder. */
export async function openSpladeEngine(options: FolderOptions): Promise<SparseEngine> {
  const { openSplade } = await import('./engines/splade.ts');
  return openSplade(options);
}
