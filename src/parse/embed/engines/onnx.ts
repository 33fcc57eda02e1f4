import { AppError } from '../../../base/index.ts';
import type { DenseEngine, Role } from '../engine.ts';
import { withPrefix, normalise } from '../engine.ts';
import type { ModelFolder } from './model-folder.ts';
import { encodeBatch, openModelFolder, fetchModel, isModelUrl } from './model-folder.ts';

/** A model in a local folder. */
export interface FolderOptions {
  /** A folder, or the address of one (https://…). */
  readonly folder: string;
  /** Where models that are named by their address are saved. */
  readonly modelsFolder?: string;
  readonly threads: number;
  /** Texts at once. Quantised models make a vector depend on its batch: leave it at 1 for them. */
  readonly batchSize: number;
  /** 0 takes what the folder says. */
  readonly maxTokens: number;
  readonly normalise: boolean;
  /** Put before every text of that role, as models like E5 want it. */
  readonly prefixes: Readonly<Record<Role, string>>;
}

/** Runs a sentence encoder from a local folder; pooling and length are read from its own files. */
export async function openFolderEngine(options: FolderOptions, signal?: AbortSignal): Promise<DenseEngine> {
  const folder = isModelUrl(options.folder)
    ? await fetchModel(options.folder, options.modelsFolder ?? 'Models', signal)
    : options.folder;
  const model = await openModelFolder(folder, options);
  const embed = async (texts: readonly string[]): Promise<Float32Array[]> => {
    const { feeds, lengths, width } = encodeBatch(model, texts);
    const results = await model.session.run(feeds);
    const pooled = results['sentence_embedding'];
    const states = pooled ?? results['last_hidden_state'] ?? results['token_embeddings'] ?? first(model, results);
    const size = states.shape.at(-1) ?? 0;
    return lengths.map((length, row) => {
      const vector =
        states.shape.length === 2
          ? states.data.slice(row * size, (row + 1) * size)
          : pool(states.data.subarray(row * width * size, (row + 1) * width * size), {
              length,
              size,
              pooling: model.pooling,
            });
      return options.normalise ? normalise(vector) : vector;
    });
  };
  const [probe] = await embed(['dimensions']);
  return {
    model: { ...model.identity, revision: withPrefix(model.identity.revision, options.prefixes) },
    dimensions: probe?.length ?? 0,
    batchSize: options.batchSize,
    concurrency: 1,
    async embed(texts, role, signal) {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += options.batchSize) {
        signal?.throwIfAborted();
        const batch = texts.slice(at, at + options.batchSize).map((text) => options.prefixes[role] + text);
        vectors.push(...(await embed(batch)));
      }
      return vectors;
    },
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  };
}

function first<T>(model: ModelFolder, results: Readonly<Record<string, T>>): T {
  const output = results[model.session.outputs[0] ?? ''];
  if (output) return output;
  throw new AppError('MODEL_UNREADABLE', 'the model has no outputs', { hint: 'export it as a sentence encoder' });
}

function pool(
  states: Float32Array,
  { length, size, pooling }: { readonly length: number; readonly size: number; readonly pooling: 'mean' | 'cls' },
): Float32Array {
  if (pooling === 'cls') return states.slice(0, size);
  const vector = new Float32Array(size);
  for (let at = 0; at < length * size; at += 1) vector[at % size] = (vector[at % size] ?? 0) + (states[at] ?? 0);
  return vector.map((value) => value / length);
}
