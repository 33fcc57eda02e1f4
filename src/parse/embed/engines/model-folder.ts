import { existsSync, createWriteStream } from 'node:fs';
import { readFile, mkdir, rename, rm } from 'node:fs/promises';
import { basename, join, dirname } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { AppError, sha256File, errorInfo, sha256, writeFileAtomic } from '../../../base/index.ts';
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

const MODEL_FILES = ['model.onnx', 'onnx/model.onnx', 'model_quantized.onnx', 'onnx/model_quantized.onnx'];
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

/** Files of a model besides the model itself; only the tokenizer must be there. */
const OTHER_FILES = ['config.json', 'sentence_bert_config.json', '1_Pooling/config.json', 'tokenizer_config.json'];
const LARGEST_FILE_BYTES = 4e9;
/** Written last: a folder without it was left unfinished. */
const COMPLETE = 'complete.json';

/** Whether a model is named by its address rather than by a folder. */
export function isModelUrl(model: string): boolean {
  return /^https?:\/\//i.test(model);
}

/**
 * The folder with the model of that address, which is fetched the first time. The address is that of the files' folder; a page of a
 * model at huggingface.co stands for the files of its main branch.
 */
export async function fetchModel(address: string, into: string, signal?: AbortSignal): Promise<string> {
  const base = filesOf(address);
  const name = base.pathname.split('/').filter((part) => part !== '' && part !== 'resolve' && part !== 'main');
  const folder = join(
    into,
    `${name
      .slice(-2)
      .join('-')
      .replaceAll(/[^\w.-]+/g, '-')}-${sha256(base.href).slice(0, 8)}`,
  );
  if (existsSync(join(folder, COMPLETE))) return folder;
  if (!(await fetchFile(base, 'tokenizer.json', folder, signal)))
    throw new AppError('MODEL_MISSING', `${base.href} has no tokenizer.json`, {
      hint: 'give the address of the folder with model.onnx and tokenizer.json',
    });
  let model: string | undefined;
  for (const file of MODEL_FILES) {
    if (!(await fetchFile(base, file, folder, signal))) continue;
    model = file;
    break;
  }
  if (model === undefined)
    throw new AppError('MODEL_MISSING', `${base.href} holds no ONNX model`, {
      hint: `it should have one of ${MODEL_FILES.join(', ')}`,
    });
  // Large models keep their weights beside the graph.
  for (const file of [...OTHER_FILES, `${model}_data`]) await fetchFile(base, file, folder, signal);
  await writeFileAtomic(join(folder, COMPLETE), `${JSON.stringify({ url: base.href, model })}\n`);
  return folder;
}

function filesOf(address: string): URL {
  const url = new URL(address.endsWith('/') ? address : `${address}/`);
  const page = /^\/[^/]+\/[^/]+\/$/.exec(url.pathname);
  return url.hostname === 'huggingface.co' && page ? new URL('resolve/main/', url) : url;
}

/** Fetches one file; false when the server does not have it. */
async function fetchFile(base: URL, file: string, folder: string, signal: AbortSignal | undefined): Promise<boolean> {
  const url = new URL(file, base);
  const path = join(folder, file);
  const part = `${path}.part`;
  try {
    const response = await fetch(url, { ...(signal && { signal }) });
    if (response.status === 404 || response.status === 403) {
      await response.body?.cancel();
      return false;
    }
    if (!response.ok || !response.body)
      throw new AppError('MODEL_UNREADABLE', `${url.href} answered ${response.status}`);
    await mkdir(dirname(path), { recursive: true });
    let bytes = 0;
    const bounded = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length;
        done(
          bytes > LARGEST_FILE_BYTES ? new AppError('MODEL_UNREADABLE', `${url.href} is larger than 4 GB`) : null,
          chunk,
        );
      },
    });
    await pipeline(Readable.fromWeb(response.body), bounded, createWriteStream(part, { flush: true }));
    await rename(part, path);
    return true;
  } catch (error) {
    await rm(part, { force: true });
    if (signal?.aborted || error instanceof AppError) throw error;
    throw new AppError('MODEL_UNREADABLE', `${url.href} cannot be fetched: ${errorInfo(error).message}`, {
      cause: error,
    });
  }
}
