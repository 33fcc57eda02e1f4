import * as z from 'zod';

import { flag, seconds } from './setting.ts';

/** How papers become structure, chunks and vectors. */
export const parseSchema = z.strictObject({
  data_root: z
    .string()
    .min(1)
    .default('Data')
    .describe('Folder in which the stages keep their files and manifests.')
    .meta(flag('--data-root <folder>', 'data-root')),
  mode: z
    .enum(['auto', 'pdf', 'html', 'xml'])
    .default('auto')
    .describe('How files are read: by what they are, or as told.')
    .meta(flag('--mode <mode>', 'doctags')),
  engine: z
    .enum(['embedded', 'docling-serve', 'vlm'])
    .default('embedded')
    .describe('Who reads PDFs: the engine inside, a docling-serve, or a vision model.')
    .meta(flag('--engine <engine>', 'doctags')),
  engine_url: z
    .string()
    .default('')
    .describe('Address of the docling-serve, or of the model server up to /v1.')
    .meta(flag('--engine-url <url>', 'doctags')),
  engine_model: z
    .string()
    .default('ibm-granite/granite-docling-258M')
    .describe('Vision model to ask.')
    .meta(flag('--engine-model <name>', 'doctags')),
  engine_timeout_s: seconds(0)
    .default(90)
    .describe('Longest time for one request to that server.')
    .meta(flag('--engine-timeout-s <s>', 'doctags')),
  engine_concurrency: z
    .int()
    .min(1)
    .max(64)
    .default(4)
    .describe('Pages of a document that the vision model reads at once.')
    .meta(flag('--engine-concurrency <n>', 'doctags')),
  engine_attempts: z
    .int()
    .min(1)
    .max(20)
    .default(5)
    .describe('How often a page is sent to a vision model that is busy.'),
  engine_prompt: z
    .string()
    .min(1)
    .default('Convert this page to docling.')
    .describe('What the vision model is told to do.')
    .meta(flag('--engine-prompt <text>', 'doctags')),
  engine_dpi: z
    .int()
    .min(36)
    .max(600)
    .default(144)
    .describe('Dots per inch of the pages that a vision model is shown.')
    .meta(flag('--engine-dpi <n>', 'doctags')),
  engine_max_tokens: z.int().min(64).default(4096).describe('Longest answer of the vision model for a page.'),
  max_pages: z
    .int()
    .min(1)
    .default(5_000)
    .describe('PDFs with more pages are refused.')
    .meta(flag('--max-pages <n>', 'doctags')),
  max_file_mb: z.int().min(1).default(200).describe('Larger files are refused.'),
  ocr: z
    .enum(['off', 'auto', 'force'])
    .default('auto')
    .describe(
      'OCR: off, for pages that have no text of their own where an engine is installed (auto), or for every page (force).',
    )
    .meta(flag('--ocr <when>', 'doctags')),
  ocr_languages: z
    .string()
    .regex(/^[A-Za-z_]+(?:\+[A-Za-z_]+)*$/)
    .default('auto')
    .describe('Languages of scanned pages as tesseract names them, joined by +; auto finds them from the document.')
    .meta(flag('--ocr-languages <codes>', 'doctags')),
  ocr_engine: z
    .enum(['auto', 'embedded', 'tesseract'])
    .default('auto')
    .describe(
      'Who reads scanned pages: the engine inside, the tesseract program, or the first of these that is installed.',
    )
    .meta(flag('--ocr-engine <engine>', 'doctags')),
  ocr_timeout_s: seconds(0).default(60).describe('Longest time for one scanned page with the tesseract program.'),
  markdown: z.boolean().default(false).describe('Also write Markdown.').meta(flag('--markdown', 'doctags')),
  docling_json: z
    .boolean()
    .default(false)
    .describe('Also write JSON as docling does.')
    .meta(flag('--docling-json', 'doctags')),
  html: z.boolean().default(false).describe('Also write HTML.').meta(flag('--html', 'doctags')),
  timeout_s: seconds(0)
    .nullable()
    .default(null)
    .describe(
      'Longest time by the clock for one document in the DocTags stage; when null, 120 s of processor time, half a second more for each page and 60 s for each page that OCR reads.',
    ),
  memory_limit_mb: z
    .int()
    .min(0)
    .default(1024)
    .describe('Memory that the reader of one document may use; 0 means no limit.')
    .meta(flag('--memory-limit-mb <n>', 'doctags')),
  tokenizer: z
    .string()
    .min(1)
    .default('model')
    .describe('Whose tokens are counted: model, cl100k, o200k, or a tokenizer.json.')
    .meta(flag('--tokenizer <name>', 'chunk')),
  max_tokens: z
    .int()
    .min(16)
    .max(32_768)
    .default(256)
    .describe('Largest chunk, context included.')
    .meta(flag('--max-tokens <n>', 'chunk')),
  min_tokens: z
    .int()
    .min(0)
    .default(64)
    .describe('Smaller chunks are merged with a neighbour where that fits.')
    .meta(flag('--min-tokens <n>', 'chunk')),
  overlap_tokens: z
    .int()
    .min(0)
    .default(0)
    .describe('Tokens said again at the start of the next chunk.')
    .meta(flag('--overlap-tokens <n>', 'chunk')),
  format: z
    .enum(['parquet', 'jsonl'])
    .default('parquet')
    .describe('Files of chunks and vectors.')
    .meta(flag('--format <format>', 'format')),
  dense: z
    .enum(['embedded', 'openai-compatible', 'onnx', 'none'])
    .default('embedded')
    .describe('Who makes dense vectors.')
    .meta(flag('--dense <engine>', 'embed')),
  precision: z.enum(['int8', 'fp32']).default('int8').describe('How the embedded model computes.'),
  threads: z.int().min(0).max(256).default(0).describe('Threads of the embedded model; 0 means one for each core.'),
  embed_url: z.string().default('').describe('Address of an embedding server up to and including /v1.'),
  embed_model: z
    .string()
    .default('')
    .describe('Model that the embedding server is asked for, or folder of an ONNX model.'),
  embed_dimensions: z
    .int()
    .min(0)
    .default(0)
    .describe('Dimensions asked of a server that can shorten vectors; 0 takes what comes.'),
  embed_revision: z
    .string()
    .default('')
    .describe('Revision of the model behind its name; change it when the weights change.'),
  query_prefix: z.string().default('').describe('Put before every question, as models of the E5 family want it.'),
  passage_prefix: z.string().default('').describe('Put before every passage, as models of the E5 family want it.'),
  embed_timeout_s: seconds(1).default(120).describe('Longest wait for one answer of an embedding server.'),
  embed_retries: z.int().min(0).max(100).default(5).describe('Attempts after the first at an embedding server.'),
  embed_longest_wait_s: seconds(0)
    .default(300)
    .describe('An embedding server that asks for a longer wait ends the run.'),
  embed_backoff_s: seconds(0)
    .default(1)
    .describe('Pause before the second attempt at an embedding server; it doubles.'),
  batch_size: z.int().min(1).max(4096).default(32).describe('Texts per request to an embedding server.'),
  concurrency: z.int().min(1).max(256).default(4).describe('Requests to an embedding server at once.'),
  cache_max_mb: z
    .int()
    .min(1)
    .default(4096)
    .describe('Size to which the cache of dense vectors is cut at the end of a run, the oldest first.'),
  vector_type: z.enum(['float32', 'float16', 'int8']).default('float32').describe('How numbers of vectors are kept.'),
  sparse: z
    .enum(['bm25', 'splade', 'none'])
    .default('bm25')
    .describe('Who makes sparse vectors.')
    .meta(flag('--sparse <engine>', 'embed')),
  splade_folder: z.string().default('').describe('Folder of a SPLADE model.'),
});
