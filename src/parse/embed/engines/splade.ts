import { AppError } from '../../../base/index.ts';
import type { SparseEngine, SparseVector } from '../engine.ts';
import { encodeBatch, openModelFolder } from './model-folder.ts';
import type { FolderOptions } from './onnx.ts';

/**
 * SPLADE from a local folder: a masked-language model whose logits, cut at zero and damped by log(1 + x), are taken at
 * their highest over the text. Indices are the tokens of its vocabulary.
 */
export async function openSplade(options: FolderOptions): Promise<SparseEngine> {
  const model = await openModelFolder(options.folder, options);
  return {
    model: model.identity,
    async embed(texts, role, signal) {
      const vectors: SparseVector[] = [];
      for (let from = 0; from < texts.length; from += options.batchSize) {
        signal?.throwIfAborted();
        const batch = texts.slice(from, from + options.batchSize).map((text) => options.prefixes[role] + text);
        const { feeds, lengths, width } = encodeBatch(model, batch);
        const results = await model.session.run(feeds);
        const logits = results['logits'] ?? results[model.session.outputs[0] ?? ''];
        const size = logits?.shape.at(-1) ?? 0;
        if (logits?.shape.length !== 3) {
          throw new AppError('MODEL_UNREADABLE', `${options.folder} does not return logits per token`, {
            hint: 'export the model for masked language modelling',
          });
        }
        for (const [row, length] of lengths.entries()) {
          vectors.push(activations(logits.data.subarray(row * width * size, (row * width + length) * size), size));
        }
      }
      return vectors;
    },
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  };
}

function activations(logits: Float32Array, size: number): SparseVector {
  const most = new Float32Array(size);
  for (let at = 0; at < logits.length; at += 1) {
    const value = logits[at] ?? 0;
    if (value > (most[at % size] ?? 0)) most[at % size] = value;
  }
  const indices = Uint32Array.from(most.keys().filter((at) => (most[at] ?? 0) > 0));
  return { indices, values: Float32Array.from(indices, (at) => Math.log1p(most[at] ?? 0)) };
}
