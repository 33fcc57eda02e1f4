import { join } from 'node:path';

import { AppError, systemClock } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import type { ChunkSettings, DenseSettings, DoctagsSettings, EmbedEngines } from '../parse/index.ts';
import { openCorpusBm25, openDenseEngineIfInstalled, openSpladeEngine } from '../parse/index.ts';
import type { Session } from './session.ts';

const NO_PREFIXES = { query: '', passage: '' };

/** How files are read, as the configuration says. */
export function doctagsSettings({ parse, keys }: Config): DoctagsSettings {
  const remote = {
    baseUrl: parse.engine_url,
    requestTimeoutMs: parse.engine_timeout_s * 1_000,
    ...(keys.engine !== '' && { apiKey: keys.engine }),
  };
  if (parse.engine !== 'embedded' && parse.engine_url === '') {
    throw new AppError('CONFIG_INVALID', `parse.engine_url is empty although parse.engine is ${parse.engine}`, {
      hint: 'set the address of the server',
    });
  }
  return {
    mode: parse.mode,
    engine:
      parse.engine === 'embedded'
        ? { kind: 'embedded' }
        : parse.engine === 'vlm'
          ? {
              kind: 'vlm',
              ...remote,
              model: parse.engine_model,
              prompt: parse.engine_prompt,
              dpi: parse.engine_dpi,
              maxTokens: parse.engine_max_tokens,
              concurrency: parse.engine_concurrency,
              attempts: parse.engine_attempts,
            }
          : { kind: 'docling-serve', ...remote },
    maxPages: parse.max_pages,
    maxFileBytes: parse.max_file_mb * 1_000_000,
    ...(parse.ocr === 'auto' && { ocr: { languages: parse.ocr_languages, timeoutMs: parse.ocr_timeout_s * 1_000 } }),
    markdown: parse.markdown,
    json: parse.docling_json,
    html: parse.html,
  };
}

/** How chunks are cut, as the configuration says. */
export function chunkSettings({ parse }: Config): ChunkSettings {
  return {
    tokenizer: parse.tokenizer,
    maxTokens: parse.max_tokens,
    minTokens: parse.min_tokens,
    overlapTokens: parse.overlap_tokens,
  };
}

/** Which dense engine is meant; undefined when none is wanted. */
function denseSettings({ parse, keys }: Config): DenseSettings | undefined {
  switch (parse.dense) {
    case 'none':
      return undefined;
    case 'embedded':
      return { engine: 'embedded', precision: parse.precision, threads: parse.threads };
    case 'onnx':
      return {
        engine: 'onnx',
        folder: parse.embed_model,
        threads: parse.threads,
        batchSize: 1,
        maxTokens: 0,
        normalise: true,
        prefixes: NO_PREFIXES,
      };
    case 'openai-compatible':
      return {
        engine: 'openai-compatible',
        url: parse.embed_url,
        model: parse.embed_model,
        revision: '',
        apiKey: keys.embeddings === '' ? undefined : keys.embeddings,
        dimensions: parse.embed_dimensions,
        batchSize: parse.batch_size,
        concurrency: parse.concurrency,
        timeoutMs: 120_000,
        retries: 5,
        retryBackoffMs: 1_000,
        longestWaitMs: 300_000,
        normalise: true,
        prefixes: NO_PREFIXES,
        clock: systemClock,
      };
  }
}

/** Opens the engines that make vectors; a model that is not installed is told, and words alone are left to search by. */
export async function openEmbedEngines(config: Config, session: Session): Promise<EmbedEngines> {
  const { parse } = config;
  const settings = denseSettings(config);
  const opened = settings && (await openDenseEngineIfInstalled(settings));
  if (opened?.kind === 'missing')
    session.log(
      'warn',
      `${opened.reason.message}: no dense vectors are made, search goes by words alone (${opened.reason.hint ?? ''})`,
    );
  const sparse =
    parse.sparse === 'none'
      ? undefined
      : parse.sparse === 'bm25'
        ? await openCorpusBm25(parse.data_root, parse.format)
        : await openSpladeEngine({
            folder: parse.splade_folder,
            threads: parse.threads,
            batchSize: 1,
            maxTokens: 0,
            normalise: false,
            prefixes: NO_PREFIXES,
          });
  return { dense: opened?.kind === 'engine' ? opened.engine : undefined, sparse };
}

/** Where the stages write their manifests. */
export function manifestFolder({ parse }: Config): string {
  return join(parse.data_root, 'Manifests');
}
