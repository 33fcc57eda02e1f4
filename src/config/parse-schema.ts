import * as z from 'zod';

import { flag, seconds } from './setting.ts';

/** How papers become structure, chunks and vectors. */
export const parseSchema = z.strictObject({
  data_root: z
    .string()
    .min(1)
    .default('Data')
    .describe('Folder for the files and manifests of the stages.')
    .meta(flag('--data-root <folder>', 'data-root')),
  mode: z
    .enum(['auto', 'pdf', 'html', 'xml'])
    .default('auto')
    .describe('Input format: auto detects it from the content of each file.')
    .meta(flag('--mode <mode>', 'doctags')),
  engine: z
    .enum(['embedded', 'docling-serve', 'vlm'])
    .default('embedded')
    .describe('PDF engine: the built-in one, a docling-serve server, or a vision model.')
    .meta(flag('--engine <engine>', 'doctags')),
  engine_url: z
    .string()
    .default('')
    .describe('URL of the docling-serve server, or of the model server up to and including /v1.')
    .meta(flag('--engine-url <url>', 'doctags')),
  engine_model: z
    .string()
    .default('ibm-granite/granite-docling-258M')
    .describe('Name of the vision model.')
    .meta(flag('--engine-model <name>', 'doctags')),
  engine_timeout_s: seconds(0)
    .default(90)
    .describe('Timeout of a request to the PDF engine server.')
    .meta(flag('--engine-timeout-s <s>', 'doctags')),
  engine_concurrency: z
    .int()
    .min(1)
    .max(64)
    .default(4)
    .describe('Maximum number of pages sent to the vision model concurrently.')
    .meta(flag('--engine-concurrency <n>', 'doctags')),
  engine_attempts: z.int().min(1).max(20).default(5).describe('Attempts per page when the vision model is busy.'),
  engine_prompt: z
    .string()
    .min(1)
    .default('Convert this page to docling.')
    .describe('Prompt for the vision model.')
    .meta(flag('--engine-prompt <text>', 'doctags')),
  engine_dpi: z
    .int()
    .min(36)
    .max(600)
    .default(144)
    .describe('Resolution of the page images sent to the vision model, in dots per inch.')
    .meta(flag('--engine-dpi <n>', 'doctags')),
  engine_max_tokens: z.int().min(64).default(4096).describe('Maximum tokens the vision model may generate per page.'),
  max_pages: z
    .int()
    .min(1)
    .default(5_000)
    .describe('Maximum number of pages; longer PDFs are rejected.')
    .meta(flag('--max-pages <n>', 'doctags')),
  max_file_mb: z.int().min(1).default(200).describe('Maximum file size in MB; larger files are rejected.'),
  ocr: z
    .enum(['off', 'auto', 'force'])
    .default('auto')
    .describe('OCR: off, auto (pages without text, if an engine is installed), or force (every page).')
    .meta(flag('--ocr <when>', 'doctags')),
  ocr_languages: z
    .string()
    .regex(/^[A-Za-z_]+(?:\+[A-Za-z_]+)*$/)
    .default('auto')
    .describe('Languages of scanned pages, as tesseract codes joined by +; auto detects them from the document.')
    .meta(flag('--ocr-languages <codes>', 'doctags')),
  ocr_engine: z
    .enum(['auto', 'embedded', 'tesseract'])
    .default('auto')
    .describe('OCR engine: embedded, the tesseract program, or auto (the first one installed).')
    .meta(flag('--ocr-engine <engine>', 'doctags')),
  ocr_timeout_s: seconds(0).default(60).describe('Timeout of the tesseract program for one page.'),
  markdown: z.boolean().default(false).describe('Also write Markdown.').meta(flag('--markdown', 'doctags')),
  docling_json: z.boolean().default(false).describe('Also write docling JSON.').meta(flag('--docling-json', 'doctags')),
  html: z.boolean().default(false).describe('Also write HTML.').meta(flag('--html', 'doctags')),
  timeout_s: seconds(0)
    .nullable()
    .default(null)
    .describe(
      'Wall-clock timeout of the DocTags stage for one document; null means a CPU time limit: 120 s, plus 0.5 s per page and 60 s per OCR page.',
    ),
  memory_limit_mb: z
    .int()
    .min(0)
    .default(1024)
    .describe('Memory limit of the process that parses a document; 0 means no limit.')
    .meta(flag('--memory-limit-mb <n>', 'doctags')),
  tokenizer: z
    .string()
    .min(1)
    .default('model')
    .describe('Tokenizer that counts tokens: model, cl100k, o200k, or the path of a tokenizer.json.')
    .meta(flag('--tokenizer <name>', 'chunk')),
  max_tokens: z
    .int()
    .min(16)
    .max(32_768)
    .default(256)
    .describe('Maximum chunk size in tokens, including its context.')
    .meta(flag('--max-tokens <n>', 'chunk')),
  min_tokens: z
    .int()
    .min(0)
    .default(64)
    .describe('Chunks smaller than this are merged with a neighbour where possible.')
    .meta(flag('--min-tokens <n>', 'chunk')),
  overlap_tokens: z
    .int()
    .min(0)
    .default(0)
    .describe('Tokens repeated at the start of the next chunk.')
    .meta(flag('--overlap-tokens <n>', 'chunk')),
  format: z
    .enum(['parquet', 'jsonl'])
    .default('parquet')
    .describe('File format of chunks and vectors.')
    .meta(flag('--format <format>', 'format')),
  dense: z
    .enum(['embedded', 'openai-compatible', 'onnx', 'none'])
    .default('embedded')
    .describe('Engine for dense vectors.')
    .meta(flag('--dense <engine>', 'embed')),
  precision: z.enum(['int8', 'fp32']).default('int8').describe('Numeric precision of the embedded model.'),
  threads: z.int().min(0).max(256).default(0).describe('Threads used by the embedded model; 0 means one per core.'),
  embed_url: z.string().default('').describe('URL of the embedding server, up to and including /v1.'),
  embed_model: z
    .string()
    .default('')
    .describe(
      'Model that the embedding server is asked for; with dense onnx, a folder or an address (https://…) of an ONNX sentence model.',
    ),
  embed_dimensions: z
    .int()
    .min(0)
    .default(0)
    .describe('Vector dimensions to request from a server that can shorten vectors; 0 means the model’s default.'),
  embed_revision: z
    .string()
    .default('')
    .describe('Revision of the model; change it when the weights change under the same name.'),
  query_prefix: z.string().default('').describe('Text prepended to every query, as E5 models require.'),
  passage_prefix: z.string().default('').describe('Text prepended to every passage, as E5 models require.'),
  embed_timeout_s: seconds(1).default(120).describe('Timeout of a request to the embedding server.'),
  embed_retries: z.int().min(0).max(100).default(5).describe('Retries of a failed request to the embedding server.'),
  embed_longest_wait_s: seconds(0)
    .default(300)
    .describe('Longest Retry-After to accept from the embedding server; a longer one ends the run.'),
  embed_backoff_s: seconds(0)
    .default(1)
    .describe('Delay before the first retry at the embedding server; doubles with each retry.'),
  batch_size: z.int().min(1).max(4096).default(32).describe('Texts per request to an embedding server.'),
  concurrency: z.int().min(1).max(256).default(4).describe('Maximum concurrent requests to the embedding server.'),
  cache_max_mb: z
    .int()
    .min(1)
    .default(4096)
    .describe('Maximum size of the dense vector cache; the oldest entries are removed at the end of a run.'),
  vector_type: z.enum(['float32', 'float16', 'int8']).default('float32').describe('Number type of stored vectors.'),
  sparse: z
    .enum(['bm25', 'splade', 'none'])
    .default('bm25')
    .describe('Engine for sparse vectors.')
    .meta(flag('--sparse <engine>', 'embed')),
  splade_folder: z.string().default('').describe('Folder of a SPLADE model.'),
});
