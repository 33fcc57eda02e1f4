import { availableParallelism } from 'node:os';

import { modelTokenizerPath, openJsonTokenizer } from '../../chunk/tokenizer.ts';
import { encodeEach, normalise } from '../engine.ts';
import { feedsOf, openOnnxSession } from './onnx.ts';
import { loadRuntime } from './runtime.ts';

/** Turns texts into vectors of length 1: the mean of a BERT's last layer. */
export interface TextEncoder extends AsyncDisposable {
  /** Whether it runs as native code, or else as WebAssembly. */
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
  readonly maxTokens: number;
  /** 0 means one per core. */
  readonly threads: number;
}

/** Opens a model in onnxruntime; it loads at the first text. */
export async function openTextEncoder(model: TextEncoderModel): Promise<TextEncoder> {
  const tokenizerPath = modelTokenizerPath();
  const { kind } = await loadRuntime(model.threads === 0 ? availableParallelism() : model.threads);
  let loaded: Promise<Loaded> | undefined;
  const load = (): Promise<Loaded> => (loaded ??= loadModel(model, tokenizerPath));
  return {
    isNative: kind === 'native',
    encode: async (texts, signal) => encodeEach(texts, (await load()).encode, signal),
    async [Symbol.asyncDispose]() {
      await (await loaded)?.[Symbol.asyncDispose]();
    },
  };
}

interface Loaded extends AsyncDisposable {
  readonly encode: (text: string) => Promise<Float32Array>;
}

async function loadModel(model: TextEncoderModel, tokenizerPath: string): Promise<Loaded> {
  const { graph, weightsName, maxTokens, threads } = model;
  const [data, tokenizer] = await Promise.all([model.weights(), openJsonTokenizer(tokenizerPath)]);
  const session = await openOnnxSession(graph, threads, [{ path: weightsName, data }]);
  const encode = async (text: string): Promise<Float32Array> => {
    const { embedding } = await session.run(feedsOf({ session, tokenizer, maxTokens }, text));
    return normalise(Float32Array.from(embedding?.data ?? []));
  };
  return { encode, [Symbol.asyncDispose]: () => session[Symbol.asyncDispose]() };
}
