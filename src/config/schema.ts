import { z } from 'zod';

import { httpSchema } from './http-schema.ts';
import { orchestratorSchema } from './orchestrator-schema.ts';
import { seconds } from './seconds.ts';

import { stageSchema } from './stage-schema.ts';

/** Where jobs are kept. */
const queueSchema = z.strictObject({
  backend: z
    .enum(['sqlite', 'postgres', 'memory'])
    .default('sqlite')
    .describe('sqlite for one machine, postgres for several, memory for trials.'),
  path: z
    .string()
    .min(1)
    .default('state/workqueue.sqlite')
    .describe('The SQLite file, relative to the working folder.'),
  wal_mode: z
    .boolean()
    .default(true)
    .describe('Write-ahead logging, which lets several processes read and write at once.'),
  timeout_sec: z.int().min(1).default(10).describe('How long to wait for a database that another process has locked.'),
  durability: z
    .enum(['enqueue', 'all', 'none'])
    .default('enqueue')
    .describe(
      'Which commits wait for the disk: those that accept jobs, all of them, or none (on PostgreSQL, none means the same as those that accept jobs).',
    ),
  url: z.string().default('').describe('Address of the PostgreSQL server, for example postgres://user@host/database.'),
  schema: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,62}$/)
    .default('docstokg')
    .describe('PostgreSQL schema that holds the tables.'),
});

/** What is told to the outside about a run. */
const telemetrySchema = z.strictObject({
  service_name: z.string().min(1).default('docstokg').describe('The name under which metrics and traces are reported.'),
  otlp_endpoint: z
    .string()
    .default('')
    .describe('Base address of an OpenTelemetry collector (OTLP over HTTP); empty means no export.'),
  otlp_interval_seconds: seconds(1).default(15).describe('How often metrics are pushed to the collector.'),
  prometheus_port: z
    .int()
    .min(0)
    .max(65_535)
    .default(0)
    .describe('Port on which metrics can be scraped; 0 means none.'),
  prometheus_host: z.string().min(1).default('127.0.0.1').describe('Address on which the metrics port listens.'),
});

/** Where scholarly services are. */
const servicesSchema = z.strictObject({
  base_urls: z
    .record(z.string(), z.url())
    .default({})
    .describe('Other addresses of services by name, such as {"openalex": "https://mirror.example/"}.'),
  below: z
    .string()
    .default('')
    .describe('Takes every service to the same host name below this domain, over http: what a simulated web needs.'),
});

/** Keys of services; better set through the environment than written into a file. */
const keysSchema = z.strictObject({
  openalex: z
    .string()
    .default('')
    .describe('Key of OpenAlex: a larger daily budget, cursors, and its own copies of papers.'),
  core: z.string().default('').describe('Key of CORE, without which it is not asked.'),
  semantic_scholar: z.string().default('').describe('Key of Semantic Scholar: a rate of your own.'),
  ncbi: z.string().default('').describe('Key of NCBI: ten requests a second in place of three.'),
  osf: z.string().default('').describe('Token of OSF: a larger hourly limit.'),
  openaire: z.string().default('').describe('Token of OpenAIRE, which lives an hour: a larger hourly limit.'),
  openaire_refresh: z.string().default('').describe('Refresh token of OpenAIRE: tokens are renewed with it.'),
  springer_nature: z.string().default('').describe('Key of Springer Nature: JATS of its open articles.'),
  wiley: z.string().default('').describe("Token of Wiley's text mining, for the resolver wiley_tdm."),
  elsevier: z.string().default('').describe("Key of Elsevier's text mining, for the resolver elsevier_tdm."),
  engine: z.string().default('').describe('Key of the docling-serve or model server that reads PDFs.'),
  embeddings: z.string().default('').describe('Key of the embedding server.'),
});

/** What is downloaded and where it goes. */
const downloadSchema = z.strictObject({
  out: z
    .string()
    .min(1)
    .default('runs/harvest')
    .describe('Folder of the run: files, manifests and, unless set otherwise, its queue.'),
  accept: z
    .array(z.enum(['pdf', 'xml', 'html']))
    .min(1)
    .default(['pdf', 'xml', 'html'])
    .describe('Kinds of full text to keep.'),
  max_bytes: z.int().min(1).default(200_000_000).describe('Largest file that is fetched, in bytes.'),
  content_addressed: z.boolean().default(false).describe('Keep files by their hash, with friendly links beside them.'),
  prefer: z
    .enum(['any', 'published'])
    .default('any')
    .describe('Whether copies that are known to be manuscripts are tried only after all others.'),
  retracted: z.enum(['keep', 'skip']).default('keep').describe('What to do with retracted works.'),
  rotate_bytes: z
    .int()
    .min(0)
    .default(0)
    .describe('Size at which manifest.jsonl is put aside under a number when a run starts; 0 means never.'),
  preset: z
    .enum(['fast', 'broad'])
    .default('broad')
    .describe('Which resolvers are asked: the quick and likely ones, or everybody.'),
  resolver_order: z.array(z.string()).default([]).describe('Resolvers to ask first, in this order.'),
  enable: z.array(z.string()).default([]).describe('Resolvers to ask besides those of the preset.'),
  disable: z.array(z.string()).default([]).describe('Resolvers not to ask.'),
  work_budget_seconds: seconds(1)
    .default(180)
    .describe('Time on the wire, waits aside, after which no further URL of a work is tried.'),
  thorough: z.boolean().default(true).describe('Also ask repositories that have no reason to know a work.'),
});

/** How papers become structure, chunks and vectors. */
const parseSchema = z.strictObject({
  data_root: z.string().min(1).default('Data').describe('Folder in which the stages keep their files and manifests.'),
  mode: z
    .enum(['auto', 'pdf', 'html', 'xml'])
    .default('auto')
    .describe('How files are read: by what they are, or as told.'),
  engine: z
    .enum(['embedded', 'docling-serve', 'vlm'])
    .default('embedded')
    .describe('Who reads PDFs: the engine inside, a docling-serve, or a vision model.'),
  engine_url: z.string().default('').describe('Address of the docling-serve, or of the model server up to /v1.'),
  engine_model: z.string().default('ibm-granite/granite-docling-258M').describe('Vision model to ask.'),
  engine_timeout_s: seconds(0).default(90).describe('Longest time for one request to that server.'),
  engine_concurrency: z
    .int()
    .min(1)
    .max(64)
    .default(4)
    .describe('Pages of a document that the vision model reads at once.'),
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
    .describe('What the vision model is told to do.'),
  engine_dpi: z
    .int()
    .min(36)
    .max(600)
    .default(144)
    .describe('Dots per inch of the pages that a vision model is shown.'),
  engine_max_tokens: z.int().min(64).default(4096).describe('Longest answer of the vision model for a page.'),
  max_pages: z.int().min(1).default(5_000).describe('PDFs with more pages are refused.'),
  max_file_mb: z.int().min(1).default(200).describe('Larger files are refused.'),
  ocr: z
    .enum(['off', 'auto'])
    .default('off')
    .describe('Whether scanned pages are read with tesseract where it is installed, or only reported.'),
  ocr_languages: z
    .string()
    .regex(/^[A-Za-z_]+(?:\+[A-Za-z_]+)*$/)
    .default('eng')
    .describe('Languages of scanned pages as tesseract names them, joined by +.'),
  ocr_timeout_s: seconds(0).default(60).describe('Longest time for one scanned page.'),
  markdown: z.boolean().default(false).describe('Also write Markdown.'),
  docling_json: z.boolean().default(false).describe('Also write JSON as docling does.'),
  html: z.boolean().default(false).describe('Also write HTML.'),
  timeout_s: seconds(0).default(120).describe('Longest time for one document in the DocTags stage.'),
  memory_limit_mb: z
    .int()
    .min(0)
    .default(1024)
    .describe('Memory that the reader of one document may use; 0 means no limit.'),
  tokenizer: z
    .string()
    .min(1)
    .default('model')
    .describe('Whose tokens are counted: model, cl100k, o200k, or a tokenizer.json.'),
  max_tokens: z.int().min(16).max(32_768).default(256).describe('Largest chunk, context included.'),
  min_tokens: z.int().min(0).default(64).describe('Smaller chunks are merged with a neighbour where that fits.'),
  overlap_tokens: z.int().min(0).default(0).describe('Tokens said again at the start of the next chunk.'),
  format: z.enum(['parquet', 'jsonl']).default('parquet').describe('Files of chunks and vectors.'),
  dense: z
    .enum(['embedded', 'openai-compatible', 'onnx', 'none'])
    .default('embedded')
    .describe('Who makes dense vectors.'),
  precision: z.enum(['int8', 'fp32']).default('int8').describe('How the embedded model computes.'),
  threads: z.int().min(1).max(256).default(1).describe('Threads of the embedded model.'),
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
  sparse: z.enum(['bm25', 'splade', 'none']).default('bm25').describe('Who makes sparse vectors.'),
  splade_folder: z.string().default('').describe('Folder of a SPLADE model.'),
});

/** Every setting of the program: each key has a default and a sentence. */
export const configSchema = z.strictObject({
  orchestrator: orchestratorSchema.prefault({}).describe('How jobs are run.'),
  queue: queueSchema.prefault({}).describe('Where jobs are kept.'),
  download: downloadSchema.prefault({}).describe('What is downloaded and where it goes.'),
  parse: parseSchema.prefault({}).describe('How papers become structure, chunks and vectors.'),
  stage: stageSchema.prefault({}).describe('How every stage runs its documents.'),
  http: httpSchema.prefault({}).describe('How the web is asked.'),
  services: servicesSchema.prefault({}).describe('Where scholarly services are.'),
  keys: keysSchema.prefault({}).describe('Keys of services.'),
  telemetry: telemetrySchema.prefault({}).describe('What is told to the outside about a run.'),
});

export type Config = z.infer<typeof configSchema>;
/** Some of the settings, as one writes them in a file: the rest has its defaults. */
export type Settings = z.input<typeof configSchema>;
export type OrchestratorConfig = z.infer<typeof orchestratorSchema>;
export type QueueConfig = z.infer<typeof queueSchema>;
export type TelemetryConfig = z.infer<typeof telemetrySchema>;
