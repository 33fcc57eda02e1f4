import * as z from 'zod';

import { flag, seconds, setting, text, toggle } from './setting.ts';

export const parseSchema = z.strictObject({
  data_root: setting(
    z.string().min(1).default('Data'),
    'Folder for the files and manifests of the stages.',
    flag('--data-root <folder>', 'data-root'),
  ),
  mode: setting(
    z.enum(['auto', 'pdf', 'html', 'xml']).default('auto'),
    'Input format: auto detects it from the content of each file.',
    flag('--mode <mode>', 'doctags'),
  ),
  engine: setting(
    z.enum(['embedded', 'docling-serve', 'vlm']).default('embedded'),
    'PDF engine: the built-in one, a docling-serve server, or a vision model.',
    flag('--engine <engine>', 'doctags'),
  ),
  engine_url: text(
    'URL of the docling-serve server, or of the model server up to and including /v1.',
    flag('--engine-url <url>', 'doctags'),
  ),
  engine_model: setting(
    z.string().default('ibm-granite/granite-docling-258M'),
    'Name of the vision model.',
    flag('--engine-model <name>', 'doctags'),
  ),
  engine_timeout_s: setting(seconds(0).default(90), 'Timeout of a request to the PDF engine server.'),
  engine_prompt: setting(z.string().min(1).default('Convert this page to docling.'), 'Prompt for the vision model.'),
  engine_dpi: setting(
    z.int().min(36).max(600).default(144),
    'Resolution of the page images sent to the vision model, in dots per inch.',
  ),
  max_pages: setting(z.int().min(1).default(5_000), 'Maximum number of pages; longer PDFs are rejected.'),
  max_file_mb: setting(z.int().min(1).default(200), 'Maximum file size in MB; larger files are rejected.'),
  ocr: setting(
    z.enum(['off', 'auto', 'force']).default('auto'),
    'OCR: off, auto (pages without text, if an engine is installed), or force (every page).',
    flag('--ocr <when>', 'doctags'),
  ),
  ocr_languages: setting(
    z
      .string()
      .regex(/^[A-Za-z_]+(?:\+[A-Za-z_]+)*$/)
      .default('auto'),
    'Languages of scanned pages, as tesseract codes joined by +; auto detects them from the document.',
    flag('--ocr-languages <codes>', 'doctags'),
  ),
  ocr_engine: setting(
    z.enum(['auto', 'embedded', 'tesseract']).default('auto'),
    'OCR engine: embedded, the tesseract program, or auto (the first one installed).',
    flag('--ocr-engine <engine>', 'doctags'),
  ),
  markdown: toggle(false, 'Also write Markdown.', flag('--markdown', 'doctags')),
  docling_json: toggle(false, 'Also write docling JSON.', flag('--docling-json', 'doctags')),
  html: toggle(false, 'Also write HTML.', flag('--html', 'doctags')),
  timeout_s: setting(
    seconds(0).nullable().default(null),
    'Wall-clock timeout of the DocTags stage for one document; null means a CPU time limit: 120 s, plus 0.5 s per page and 60 s per OCR page.',
  ),
  memory_limit_mb: setting(z.int().min(0).default(1024), 'Memory limit of a parsing process; 0 means no limit.'),
  tokenizer: setting(
    z.string().min(1).default('model'),
    'Tokenizer that counts tokens: model, cl100k, o200k, or the path of a tokenizer.json.',
  ),
  max_tokens: setting(
    z.int().min(16).max(32_768).default(256),
    'Maximum chunk size in tokens, including its context.',
    flag('--max-tokens <n>', 'chunk'),
  ),
  min_tokens: setting(z.int().min(0).default(64), 'Chunks smaller than this are merged with a neighbour if possible.'),
  overlap_tokens: setting(z.int().min(0).default(0), 'Tokens repeated at the start of the next chunk.'),
  format: setting(
    z.enum(['parquet', 'jsonl']).default('parquet'),
    'File format of chunks and vectors.',
    flag('--format <format>', 'format'),
  ),
  dense: setting(
    z.enum(['embedded', 'openai-compatible', 'onnx', 'none']).default('embedded'),
    'Engine for dense vectors.',
    flag('--dense <engine>', 'embed'),
  ),
  precision: setting(z.enum(['int8', 'fp32']).default('int8'), 'Numeric precision of the embedded model.'),
  threads: setting(z.int().min(0).max(256).default(0), 'Threads used by the embedded model; 0 means one per core.'),
  embed_url: text('URL of the embedding server, up to and including /v1.'),
  embed_model: text(
    'Model that the embedding server is asked for; with dense onnx, a folder or an address (https://…) of an ONNX sentence model.',
  ),
  embed_dimensions: setting(
    z.int().min(0).default(0),
    'Vector dimensions to request from a server that can shorten vectors; 0 means the model’s default.',
  ),
  embed_revision: text('Revision of the model; change it when the weights change under the same name.'),
  query_prefix: text('Text prepended to every query, as E5 models require.'),
  passage_prefix: text('Text prepended to every passage, as E5 models require.'),
  embed_timeout_s: setting(seconds(1).default(120), 'Timeout of a request to the embedding server.'),
  embed_retries: setting(z.int().min(0).max(100).default(5), 'Retries of a failed request to the embedding server.'),
  batch_size: setting(z.int().min(1).max(4096).default(32), 'Texts per request to an embedding server.'),
  concurrency: setting(z.int().min(1).max(256).default(4), 'Maximum concurrent requests to the embedding server.'),
  vector_type: setting(z.enum(['float32', 'float16', 'int8']).default('float32'), 'Number type of stored vectors.'),
  sparse: setting(
    z.enum(['bm25', 'none']).default('bm25'),
    'Engine for sparse vectors.',
    flag('--sparse <engine>', 'embed'),
  ),
});
