import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { AppError, sha256File } from '../../../base/index.ts';
import type { EncodingTokenizer } from '../../chunk/tokenizer.ts';
import { openJsonTokenizer } from '../../chunk/tokenizers/hugging-face.ts';
import type { ModelIdentity } from '../engine.ts';
import type { IntegerTensor, OnnxSession } from './onnx-runtime.ts';
import { openOnnxSession } from './onnx-runtime.ts';

/** A model in a folder, as people export it: model.onnx (or onnx/model.onnx), tokenizer.json, small JSON files. */
export interface ModelFolder extends AsyncDisposable {
  readonly identity: ModelIdentity;
  readonly session: OnnxSession;
  readonly tokenizer: EncodingTokenizer;
  readonly maxTokens: number;
  readonly pooling: 'mean' | 'cls';
}

export const MODEL_FILES = ['model.onnx', 'onnx/model.onnx', 'model_quantized.onnx', 'onnx/model_quantized.onnx'];
const DEFAULT_MAX_TOKENS = 512;

export async function openModelFolder(
  folder: string,
  options: { readonly threads: number; readonly maxTokens: number },
): Promise<ModelFolder> {
  const name = MODEL_FILES.find((each) => existsSync(join(folder, each)));
  if (!name) {
    throw new AppError('MODEL_MISSING', `${folder} contains no ONNX model`, {
      hint: `it must contain one of ${MODEL_FILES.join(', ')} and a tokenizer.json`,
    });
  }
  const file = join(folder, name);
  const [tokenizer, session, hash, sentence, pooling, config] = await Promise.all([
    openJsonTokenizer(folder),
    openOnnxSession(file, options.threads),
    sha256File(file),
    readJson(join(folder, 'sentence_bert_config.json')),
    readJson(join(folder, '1_Pooling', 'config.json')),
    readJson(join(folder, 'config.json')),
  ]);
  const said = [options.maxTokens, sentence['max_seq_length'], config['max_position_embeddings']];
  return {
    identity: { name: basename(folder), revision: hash.slice(0, 16), precision: 'onnx' },
    session,
    tokenizer,
    maxTokens: said.find((each): each is number => typeof each === 'number' && each > 0) ?? DEFAULT_MAX_TOKENS,
    pooling: pooling['pooling_mode_cls_token'] === true ? 'cls' : 'mean',
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

/** A batch as the model wants it: ids padded to the longest text, and which of them are real. */
export function encodeBatch(
  model: ModelFolder,
  texts: readonly string[],
): { readonly feeds: Record<string, IntegerTensor>; readonly lengths: readonly number[]; readonly width: number } {
  const encoded = texts.map((text) => model.tokenizer.encode(text, model.maxTokens));
  const lengths = encoded.map(({ length }) => length);
  const width = Math.max(1, ...lengths);
  const ids = new BigInt64Array(texts.length * width);
  const mask = new BigInt64Array(ids.length);
  for (const [row, each] of encoded.entries()) {
    for (const [at, id] of each.entries()) ids[row * width + at] = BigInt(id);
    mask.fill(1n, row * width, row * width + each.length);
  }
  const shape = [texts.length, width];
  const known: Readonly<Record<string, BigInt64Array>> = {
    input_ids: ids,
    attention_mask: mask,
    token_type_ids: new BigInt64Array(ids.length),
    position_ids: BigInt64Array.from(ids, (_, at) => BigInt(at % width)),
  };
  const feeds: Record<string, IntegerTensor> = {};
  for (const input of model.session.inputs) {
    const data = known[input];
    if (!data) {
      throw new AppError('MODEL_UNREADABLE', `unsupported model input: ${input} that is not known here`, {
        hint: 'export it as a text encoder with input_ids, attention_mask and token_type_ids',
      });
    }
    feeds[input] = { data, shape };
  }
  return { feeds, lengths, width };
}

async function readJson(path: string): Promise<Readonly<Record<string, unknown>>> {
  if (!existsSync(path)) return {};
  return JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
}
