import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { AppError, errorInfo, sha256, writeFileAtomic } from '../../../base/index.ts';
import { MODEL_FILES } from './model-folder.ts';

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
