import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { AppError, installCommand, packageRoot, sha256 } from '../../../base/index.ts';
import type { DenseEngine, Precision } from '../engine.ts';
import { embeddedModel, WEIGHTS_SHA256 } from '../engine.ts';
import { openTextEncoder } from './text-encoder.ts';

/** The length the model was trained for; what is longer is cut, and chunks are made not to be. */
const EMBEDDED_MAX_TOKENS = 256;

const EMBEDDED_DIMENSIONS = 384;

/** One text at a time: a vector depends on its text alone. Without onnxruntime-node, on WebAssembly. */
export async function openEmbeddedEngine(options: {
  readonly precision: Precision;
  readonly threads: number;
}): Promise<DenseEngine> {
  const folder = join(packageRoot(), 'models');
  const path = join(folder, 'embedder.safetensors');
  if (!existsSync(path))
    throw new AppError('MODEL_NOT_INSTALLED', `${path} is missing`, { hint: 'install docstokg again' });
  const found = sha256(await readFile(path));
  if (found !== WEIGHTS_SHA256)
    throw new AppError('MODEL_CHANGED', `${path} has another hash (${found.slice(0, 12)}…)`, {
      hint: 'install docstokg again',
    });
  const encoder = await openTextEncoder({
    // The graph names its weights by their place in this file (scripts/model-graph.ts).
    graph: join(folder, `embedder-${options.precision}.onnx`),
    weightsName: basename(path),
    weights: () => readFile(path),
    maxTokens: EMBEDDED_MAX_TOKENS,
    threads: options.threads,
  });
  return {
    model: embeddedModel(options.precision),
    ...(!encoder.isNative && {
      notice: {
        message: 'it runs on WebAssembly, five times slower than native code',
        // Its install script would only download libraries for GPUs, from a host that proxies may refuse.
        remedy: installCommand(['onnxruntime-node'], ['--ignore-scripts']),
      },
    }),
    dimensions: EMBEDDED_DIMENSIONS,
    batchSize: 1,
    concurrency: 1,
    embed: (texts, _role, signal) => encoder.encode(texts, signal),
    [Symbol.asyncDispose]: () => encoder[Symbol.asyncDispose](),
  };
}
