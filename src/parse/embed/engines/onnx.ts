import { availableParallelism } from 'node:os';
import { AppError, sha256File, fieldsOf, sha256, writeFileAtomic } from '../../../base/index.ts';
import type { HttpClient, HttpResult, OpenSink, ProxySettings } from '../../../http/index.ts';
import type { DenseEngine, Role, ModelIdentity } from '../engine.ts';
import { encodeEach, withPrefix, normalise } from '../engine.ts';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { EncodingTokenizer } from '../../chunk/tokenizer.ts';
import { openJsonTokenizer } from '../../chunk/tokenizer.ts';
import type { PartFile } from '../../files/part-file.ts';
import { openPart } from '../../files/part-file.ts';
import type { RuntimeSession, RuntimeTensor, SessionOptions } from './runtime.ts';
import { loadRuntime } from './runtime.ts';

/** What is used of onnxruntime: a model that maps named tensors to named tensors. */
export interface OnnxSession extends AsyncDisposable {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  run(feeds: Readonly<Record<string, IntegerTensor>>): Promise<Readonly<Record<string, FloatTensor>>>;
}

interface IntegerTensor {
  readonly data: BigInt64Array;
  readonly shape: readonly number[];
}

interface FloatTensor {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

/**
 * `threads` 0 means one per usable core; `externalData` are weights that are not beside the model.
 */
export async function openOnnxSession(
  file: string,
  threads: number,
  externalData: readonly { readonly path: string; readonly data: Uint8Array }[] = [],
): Promise<OnnxSession> {
  // onnxruntime would count all cores of the machine, even if a container may use only some of them.
  const count = threads === 0 ? availableParallelism() : threads;
  const { kind, runtime } = await loadRuntime(count);
  const options: SessionOptions = {
    intraOpNumThreads: count,
    interOpNumThreads: 1,
    executionProviders: [kind === 'native' ? 'cpu' : 'wasm'],
    // 3 = errors only: the runtime's warnings are about choices that cannot be made here.
    logSeverityLevel: 3,
    // Threads that wait by spinning burn the other core for nothing.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
    externalData: kind === 'native' ? externalData : [...externalData, ...(await weightsBeside(file))],
  };
  let session: RuntimeSession;
  try {
    session = await runtime.InferenceSession.create(kind === 'native' ? file : await readFile(file), options);
  } catch (cause) {
    throw new AppError('MODEL_UNREADABLE', `onnxruntime cannot load ${file}`, {
      hint: 'check that it is a complete ONNX model with float32 outputs',
      cause,
    });
  }
  return {
    inputs: session.inputNames,
    outputs: session.outputNames,
    async run(feeds) {
      const tensors = Object.fromEntries(
        Object.entries(feeds).map(([name, { data, shape }]) => [name, new runtime.Tensor('int64', data, shape)]),
      );
      const results = await session.run(tensors);
      return Object.fromEntries(Object.entries(results).map(([name, tensor]) => [name, floats(name, tensor)]));
    },
    async [Symbol.asyncDispose]() {
      await session.release();
    },
  };
}

/** Weights that a large model keeps beside its graph; WebAssembly opens no files. */
async function weightsBeside(file: string): Promise<SessionOptions['externalData']> {
  const path = `${file}_data`;
  return existsSync(path) ? [{ path: basename(path), data: await readFile(path) }] : [];
}

function floats(name: string, tensor: RuntimeTensor): FloatTensor {
  if (!(tensor.data instanceof Float32Array)) {
    throw new AppError('MODEL_UNREADABLE', `output ${name} of the model is ${tensor.type}, not float32`, {
      hint: 'export the model with float32 outputs',
    });
  }
  return { data: tensor.data, shape: tensor.dims };
}

export interface FolderOptions {
  /** A folder, or the address of one (https://…). */
  readonly folder: string;
  /** Where models that are named by their address are saved. */
  readonly modelsFolder?: string;
  readonly threads: number;
  readonly proxy?: ProxySettings | undefined;
  /** Put before every text of that role, as models like E5 want it. */
  readonly prefixes: Readonly<Record<Role, string>>;
}

export async function openFolderEngine(options: FolderOptions, signal?: AbortSignal): Promise<DenseEngine> {
  const folder = isModelUrl(options.folder) ? await fetchModel(options, signal) : options.folder;
  const model = await openModelFolder(folder, options.threads);
  const embed = async (text: string): Promise<Float32Array> => {
    const results = await model.session.run(feedsOf(model, text));
    const states =
      results['sentence_embedding'] ??
      results['last_hidden_state'] ??
      results['token_embeddings'] ??
      results[model.session.outputs[0] ?? ''];
    if (!states)
      throw new AppError('MODEL_UNREADABLE', 'the model has no outputs', { hint: 'export it as a sentence encoder' });
    return normalise(states.shape.length === 2 ? states.data.slice() : pool(states, model.pooling));
  };
  const { length: dimensions } = await embed('dimensions');
  return {
    model: { ...model.identity, revision: withPrefix(model.identity.revision, options.prefixes) },
    dimensions,
    batchSize: 1,
    concurrency: 1,
    embed: (texts, role, signal) => encodeEach(texts, (text) => embed(options.prefixes[role] + text), signal),
    [Symbol.asyncDispose]: () => model.session[Symbol.asyncDispose](),
  };
}

function pool({ data, shape }: FloatTensor, pooling: ModelFolder['pooling']): Float32Array {
  const size = shape.at(-1) ?? 1;
  if (pooling === 'cls') return data.slice(0, size);
  const vector = new Float32Array(size);
  data.forEach((value, at) => (vector[at % size] = (vector[at % size] ?? 0) + value));
  const tokens = data.length / size;
  return vector.map((value) => value / tokens);
}

/** A model in a folder, as people export it: model.onnx (or onnx/model.onnx), tokenizer.json, small JSON files. */
interface ModelFolder {
  readonly identity: ModelIdentity;
  readonly session: OnnxSession;
  readonly tokenizer: EncodingTokenizer;
  readonly maxTokens: number;
  readonly pooling: 'mean' | 'cls';
}

const MODEL_FILES = ['model.onnx', 'onnx/model.onnx', 'model_quantized.onnx', 'onnx/model_quantized.onnx'];
const DEFAULT_MAX_TOKENS = 512;

async function openModelFolder(folder: string, threads: number): Promise<ModelFolder> {
  const name = MODEL_FILES.find((each) => existsSync(join(folder, each)));
  if (!name)
    throw new AppError('MODEL_MISSING', `${folder} contains no ONNX model`, {
      hint: `it must contain one of ${MODEL_FILES.join(', ')} and a tokenizer.json`,
    });
  const file = join(folder, name);
  const [tokenizer, session, hash] = await Promise.all([
    openJsonTokenizer(folder),
    openOnnxSession(file, threads),
    sha256File(file),
  ]);
  const said = [
    settingsIn(join(folder, 'sentence_bert_config.json'))['max_seq_length'],
    settingsIn(join(folder, 'config.json'))['max_position_embeddings'],
  ];
  return {
    identity: { name: basename(folder), revision: hash.slice(0, 16), precision: 'onnx' },
    session,
    tokenizer,
    maxTokens: said.find((each): each is number => typeof each === 'number' && each > 0) ?? DEFAULT_MAX_TOKENS,
    pooling: settingsIn(join(folder, '1_Pooling', 'config.json'))['pooling_mode_cls_token'] === true ? 'cls' : 'mean',
  };
}

/** Settings in a file of the model; none if the file is missing. A damaged one would give wrong vectors. */
function settingsIn(path: string): Readonly<Record<string, unknown>> {
  if (!existsSync(path)) return {};
  try {
    return fieldsOf(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new AppError('MODEL_UNREADABLE', `${path} is not JSON`, { cause: error });
  }
}

export function feedsOf(
  model: Pick<ModelFolder, 'session' | 'tokenizer' | 'maxTokens'>,
  text: string,
): Record<string, IntegerTensor> {
  const ids = BigInt64Array.from(model.tokenizer.encode(text, model.maxTokens), BigInt);
  const known: Readonly<Record<string, BigInt64Array>> = {
    input_ids: ids,
    attention_mask: ids.map(() => 1n),
    token_type_ids: ids.map(() => 0n),
    position_ids: ids.map((_, at) => BigInt(at)),
  };
  return Object.fromEntries(
    model.session.inputs.map((input) => {
      const data = known[input];
      if (!data)
        throw new AppError('MODEL_UNREADABLE', `the model has an unsupported input: ${input}`, {
          hint: 'export it as a text encoder with input_ids, attention_mask and token_type_ids',
        });
      return [input, { data, shape: [1, ids.length] }];
    }),
  );
}

/** Files of a model besides the model itself; only the tokenizer must be there. */
const OTHER_FILES = ['config.json', 'sentence_bert_config.json', '1_Pooling/config.json', 'tokenizer_config.json'];
/** Model pages redirect to the servers of their files. */
const FETCHING = { timeoutMs: 60_000, totalMs: Infinity, retries: 3, maxBytes: 4e9, maxRedirects: 10 };
/** Written last: a folder without it was left unfinished. */
const COMPLETE = 'complete.json';

function isModelUrl(model: string): boolean {
  return /^https?:\/\//i.test(model);
}

/** Fetches a model on first use; a model page at huggingface.co means the files of its main branch. */
async function fetchModel(options: FolderOptions, signal?: AbortSignal): Promise<string> {
  const { folder: address, modelsFolder: into = 'Models', proxy } = options;
  const base = filesOf(address);
  const name = base.pathname.split('/').filter((part) => part !== '' && part !== 'resolve' && part !== 'main');
  const named = name
    .slice(-2)
    .join('-')
    .replaceAll(/[^\w.-]+/g, '-');
  const folder = join(into, `${named}-${sha256(base.href).slice(0, 8)}`);
  if (existsSync(join(folder, COMPLETE))) return folder;
  const { createServerClient } = await import('../../../http/index.ts');
  await using client = createServerClient({ url: base, proxy, ...FETCHING });
  const fetchFile = (file: string): Promise<boolean> =>
    fetchModelFile(client, new URL(file, base), join(folder, file), signal);
  if (!(await fetchFile('tokenizer.json')))
    throw new AppError('MODEL_MISSING', `${base.href} has no tokenizer.json`, {
      hint: 'give the address of the folder with model.onnx and tokenizer.json',
    });
  let model: string | undefined;
  for (const file of MODEL_FILES) if (model === undefined && (await fetchFile(file))) model = file;
  if (model === undefined)
    throw new AppError('MODEL_MISSING', `${base.href} holds no ONNX model`, {
      hint: `it should have one of ${MODEL_FILES.join(', ')}`,
    });
  // Large models keep their weights beside the graph.
  for (const file of [...OTHER_FILES, `${model}_data`]) await fetchFile(file);
  await writeFileAtomic(join(folder, COMPLETE), `${JSON.stringify({ url: base.href, model })}\n`);
  return folder;
}

function filesOf(address: string): URL {
  const url = new URL(address.endsWith('/') ? address : `${address}/`);
  const page = /^\/[^/]+\/[^/]+\/$/.exec(url.pathname);
  return url.hostname === 'huggingface.co' && page ? new URL('resolve/main/', url) : url;
}

/** Fetches one file; false when the server does not have it. */
async function fetchModelFile(client: HttpClient, url: URL, path: string, signal?: AbortSignal): Promise<boolean> {
  let part: PartFile | undefined;
  try {
    const sink: OpenSink = async () => {
      part = await openPart(path);
      const { file } = part;
      return { write: (chunk) => file.writeFile(chunk) };
    };
    const result = await client.send({ url, sink }, signal);
    const status = result.kind === 'response' ? result.response.status : undefined;
    if (status === 404 || status === 403) return false;
    if (part === undefined || status === undefined || status >= 300) throw unfetched(url, result);
    await part.commit();
    return true;
  } finally {
    await part?.[Symbol.asyncDispose]();
  }
}

function unfetched({ href }: URL, result: HttpResult): AppError {
  if (result.kind === 'refused' && result.reason === 'body-too-large')
    return new AppError('MODEL_UNREADABLE', `${href} is larger than 4 GB`);
  if ('response' in result) return new AppError('MODEL_UNREADABLE', `${href} answered ${result.response.status}`);
  const why = result.kind === 'later' ? result.reason : result.message;
  return new AppError('MODEL_UNREADABLE', `${href} cannot be fetched: ${why}`);
}
