import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { modelTokenizerPath, openJsonTokenizer } from '../../chunk/tokenizer.ts';
import { encodeEach, normalise } from '../engine.ts';
import { feedsOf, requireRuntime, openOnnxSession } from './onnx.ts';

/** Turns texts into vectors of length 1: the mean of a BERT's last layer. */
export interface TextEncoder extends AsyncDisposable {
  /** Whether it runs in onnxruntime, or else in WebAssembly. */
  readonly isNative: boolean;
  encode(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>;
}

/** A model of the size and vocabulary of all-MiniLM-L6-v2, whose tokenizer it uses. */
export interface TextEncoderModel {
  /** The ONNX graph, which names its weights by their place in a file called `weightsName`. */
  readonly graph: string;
  readonly weightsName: string;
  /** The bytes of that file. */
  readonly weights: () => Promise<Uint8Array>;
  /** A safetensors file in half precision with the names of a BERT, for WebAssembly. */
  readonly halfWeights: () => Promise<{ readonly path: string } | { readonly bytes: Uint8Array }>;
  readonly maxTokens: number;
  readonly dimensions: number;
  /** 0 means one per core. */
  readonly threads: number;
}

/** Opens a model in onnxruntime, else in WebAssembly; it loads at the first text. */
export async function openTextEncoder(model: TextEncoderModel): Promise<TextEncoder> {
  const tokenizerPath = modelTokenizerPath();
  const isNative = await requireRuntime().then(
    () => true,
    async (fault: unknown) => {
      if (await hasWasmRuntime()) return false;
      throw fault;
    },
  );
  let loaded: Promise<Loaded> | undefined;
  const load = (): Promise<Loaded> =>
    (loaded ??= isNative ? loadNative(model, tokenizerPath) : loadWasm(model, tokenizerPath));
  return {
    isNative,
    encode: async (texts, signal) => encodeEach(texts, (await load()).encode, signal),
    async [Symbol.asyncDispose]() {
      await (await loaded)?.[Symbol.asyncDispose]();
    },
  };
}

interface Loaded extends AsyncDisposable {
  readonly encode: (text: string) => Promise<Float32Array>;
}

async function loadNative(model: TextEncoderModel, tokenizerPath: string): Promise<Loaded> {
  const { graph, weightsName, maxTokens, threads } = model;
  const [data, tokenizer] = await Promise.all([model.weights(), openJsonTokenizer(tokenizerPath)]);
  const session = await openOnnxSession(graph, threads, [{ path: weightsName, data }]);
  const encode = async (text: string): Promise<Float32Array> => {
    const { embedding } = await session.run(feedsOf({ session, tokenizer, maxTokens }, text));
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

async function loadWasm(model: TextEncoderModel, tokenizerPath: string): Promise<Loaded> {
  const { createEmbedder } = await import('@lat.md/embed');
  await using opened = new AsyncDisposableStack();
  const weights = await model.halfWeights();
  let weightsPath: string;
  if ('path' in weights) weightsPath = weights.path;
  else {
    // The engine reads its weights from a file.
    const folder = await mkdtemp(join(tmpdir(), 'docstokg-model-'));
    opened.defer(() => rm(folder, { recursive: true, force: true }));
    weightsPath = join(folder, 'model.fp16.safetensors');
    await writeFile(weightsPath, weights.bytes);
  }
  const embedder = await createEmbedder({
    model: {
      id: 'minilm-l6-v2',
      dimensions: model.dimensions,
      maxTokens: model.maxTokens,
      pooling: 'mean',
      normalize: true,
      weightsPath,
      tokenizerPath,
      configPath: join(dirname(tokenizerPath), 'config.json'),
    },
  });
  const kept = opened.move();
  return {
    encode: async (text) => Float32Array.from((await embedder.embed([text]))[0] ?? []),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
