import { join } from 'node:path';

import { AppError, systemClock } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import type {
  ChunkSettings,
  DenseEngine,
  DenseSettings,
  DoctagsSettings,
  EmbedEngines,
  SparseEngine,
} from '../parse/index.ts';
import { locateTesseract, ocrLanguages, openCorpusBm25, openDenseEngineIfInstalled } from '../parse/index.ts';
import type { Runtime } from '../harvest/index.ts';

/** The configured settings of the DocTags stage. */
export function doctagsSettings({ parse, keys }: Config): DoctagsSettings {
  const remote = {
    baseUrl: parse.engine_url,
    requestTimeoutMs: parse.engine_timeout_s * 1_000,
    ...(keys.engine !== '' && { apiKey: keys.engine }),
  };
  if (parse.engine !== 'embedded' && parse.engine_url === '') {
    throw new AppError('CONFIG_INVALID', `parse.engine_url is required when parse.engine is ${parse.engine}`, {
      hint: 'set parse.engine_url to the URL of the server',
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
            }
          : { kind: 'docling-serve', ...remote },
    maxPages: parse.max_pages,
    maxFileBytes: parse.max_file_mb * 1_000_000,
    ...ocrSettings(parse),
    markdown: parse.markdown,
    json: parse.docling_json,
    html: parse.html,
  };
}

/** How scans are read: by the embedded engine if installed, else by the tesseract program. */
function ocrSettings(parse: Config['parse']): Pick<DoctagsSettings, 'ocr'> {
  if (parse.ocr === 'off') return {};
  const common = {
    languages: parse.ocr_languages,
    timeoutMs: 60_000,
    ...(parse.ocr === 'force' && { force: true }),
  };
  if (parse.ocr_engine !== 'tesseract' && ocrLanguages().length > 0) return { ocr: { engine: 'embedded', ...common } };
  // Workers have no PATH, so the program is looked up here.
  const command = parse.ocr_engine === 'embedded' ? undefined : locateTesseract();
  if (command !== undefined) return { ocr: { engine: 'tesseract', command, ...common } };
  if (parse.ocr === 'auto' && parse.ocr_engine === 'auto') return {};
  throw new AppError('OCR_NOT_INSTALLED', `no OCR engine is installed (parse.ocr_engine: ${parse.ocr_engine})`, {
    hint: 'npm install tesseract.js-core @tesseract.js-data/eng, or install tesseract',
  });
}

/** The configured settings of the chunk stage. */
export function chunkSettings({ parse }: Config): ChunkSettings {
  return {
    tokenizer: parse.tokenizer,
    maxTokens: parse.max_tokens,
    minTokens: parse.min_tokens,
    overlapTokens: parse.overlap_tokens,
  };
}

/** The configured dense engine; undefined if none is wanted. */
export function denseSettings({ parse, keys, stage }: Config): DenseSettings | undefined {
  const prefixes = { query: parse.query_prefix, passage: parse.passage_prefix };
  switch (parse.dense) {
    case 'none':
      return undefined;
    case 'embedded':
      return { engine: 'embedded', precision: parse.precision, threads: parse.threads };
    case 'onnx':
      return {
        engine: 'onnx',
        folder: parse.embed_model,
        modelsFolder: join(parse.data_root, 'Models'),
        threads: parse.threads,
        prefixes,
      };
    case 'openai-compatible':
      return {
        engine: 'openai-compatible',
        url: parse.embed_url,
        model: parse.embed_model,
        revision: parse.embed_revision,
        apiKey: keys.embeddings === '' ? undefined : keys.embeddings,
        dimensions: parse.embed_dimensions,
        batchSize: parse.batch_size,
        concurrency: parse.concurrency,
        timeoutMs: parse.embed_timeout_s * 1000,
        retries: parse.embed_retries,
        retryBackoffMs: 1_000,
        longestWaitMs: 300_000,
        ...(stage.timeout_s !== null && stage.timeout_s > 0 && { probeMs: stage.timeout_s * 1000 }),
        normalise: true,
        prefixes,
        clock: systemClock,
      };
  }
}

/** Opens the engines that make vectors. */
export async function openEmbedEngines(config: Config, runtime: Runtime): Promise<EmbedEngines> {
  return { dense: await openDense(config, runtime), sparse: await openSparse(config) };
}

/** Opens the dense engine; if the model is not installed, warns and continues with lexical search only. */
export async function openDense(config: Config, runtime: Runtime): Promise<DenseEngine | undefined> {
  const settings = denseSettings(config);
  const opened = settings && (await openDenseEngineIfInstalled(settings));
  if (opened?.kind === 'missing')
    runtime.log(
      'warn',
      `${opened.reason.message}: no dense vectors are made, search goes by words alone (${opened.reason.hint ?? ''})`,
    );
  if (opened?.kind === 'engine' && opened.engine.notice !== undefined) runtime.log('warn', opened.engine.notice);
  return opened?.kind === 'engine' ? opened.engine : undefined;
}

/** Opens the sparse engine; the first time, BM25 counts the words of all chunks. */
export async function openSparse({ parse }: Config): Promise<SparseEngine | undefined> {
  return parse.sparse === 'none' ? undefined : openCorpusBm25(parse.data_root, parse.format);
}
