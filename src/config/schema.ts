import * as z from 'zod';

import { claimsSchema } from './claims-schema.ts';
import { flag, seconds, secret } from './setting.ts';
import { graphSchema } from './graph-schema.ts';
import { httpSchema } from './http-schema.ts';
import { orchestratorSchema } from './orchestrator-schema.ts';
import { parseSchema } from './parse-schema.ts';

import { stageSchema } from './stage-schema.ts';

/** Where jobs are kept. */
const queueSchema = z.strictObject({
  backend: z
    .enum(['sqlite', 'postgres', 'memory'])
    .default('sqlite')
    .describe('sqlite for one machine, postgres for several machines, memory for experiments (nothing is saved).'),
  path: z.string().min(1).default('state/workqueue.sqlite').describe('SQLite file, relative to the current directory.'),
  wal_mode: z
    .boolean()
    .default(true)
    .describe('Use write-ahead logging, so that several processes can read and write at the same time.'),
  timeout_sec: z.int().min(1).default(10).describe('How long to wait for a lock held by another process.'),
  durability: z
    .enum(['enqueue', 'all', 'none'])
    .default('enqueue')
    .describe(
      'Which commits are synced to disk: enqueue (only those that accept jobs), all, or none. On PostgreSQL, none behaves like enqueue.',
    ),
  url: z.string().default('').describe('PostgreSQL connection URL, for example postgres://user@host/database.'),
  schema: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,62}$/)
    .default('docstokg')
    .describe('PostgreSQL schema for the tables.'),
  keep_finished: z
    .int()
    .min(0)
    .default(1_000_000)
    .describe(
      'Finished jobs that stay in the queue of works; older ones are removed every minute, and only counted. 0 keeps all.',
    ),
  pooler: z
    .boolean()
    .default(false)
    .describe(
      'Whether a pooler in transaction mode (PgBouncer, a cloud pooler) is in front of PostgreSQL: nothing is prepared, and LISTEN is replaced by looking every second.',
    ),
  fleet: z
    .boolean()
    .default(false)
    .describe(
      "Whether the logs of the corpus are rows of the queue's PostgreSQL server: any number of machines is one run.",
    ),
});

/** Shared object store for the files of a corpus. */
const storeSchema = z.strictObject({
  url: z
    .string()
    .default('')
    .describe('Shared store for files: s3://bucket/prefix or a folder; empty means only the run folder.')
    .meta(flag('--store <url>', 'download', 'queue-run', 'stage', 'store')),
  endpoint: z
    .string()
    .default('')
    .describe('URL of an S3-compatible server; default: AWS in the region.')
    .meta(flag('--store-endpoint <url>', 'download', 'queue-run', 'stage', 'store')),
  region: z.string().min(1).default('us-east-1').describe('Region used to sign requests to the store.'),
  path_style: z
    .boolean()
    .nullable()
    .default(null)
    .describe(
      'Use path-style URLs (endpoint/bucket/key) instead of bucket.endpoint/key; null means path-style if an endpoint is set.',
    ),
  access_key_id: secret().default('').describe('Access key id; usually from AWS_ACCESS_KEY_ID or ~/.aws/credentials.'),
  secret_access_key: secret().default('').describe('Secret access key; usually from AWS_SECRET_ACCESS_KEY.'),
  session_token: secret()
    .default('')
    .describe('Session token of temporary credentials; usually from AWS_SESSION_TOKEN.'),
});

/** What is told to the outside about a run. */
const telemetrySchema = z.strictObject({
  service_name: z.string().min(1).default('docstokg').describe('Service name reported with metrics and traces.'),
  otlp_endpoint: z
    .string()
    .default('')
    .describe('Base URL of an OpenTelemetry collector (OTLP over HTTP); empty means no export.'),
  otlp_interval_s: seconds(1).default(15).describe('How often metrics are sent to the collector.'),
  prometheus_port: z
    .int()
    .min(0)
    .max(65_535)
    .default(0)
    .describe('Port of the Prometheus metrics endpoint; 0 means none.'),
  prometheus_host: z.string().min(1).default('127.0.0.1').describe('Address the metrics endpoint listens on.'),
});

/** Where scholarly services are. */
const servicesSchema = z.strictObject({
  base_urls: z
    .record(z.string(), z.url())
    .default({})
    .describe('Base URLs that override the default of a service, such as {"openalex": "https://mirror.example/"}.'),
  below: z
    .string()
    .default('')
    .describe('Map every service to the same host name under this domain, over http; used by the simulated web.'),
});

/** Keys of services; better set through the environment than written into a file. */
const keysSchema = z.strictObject({
  openalex: secret()
    .default('')
    .describe('OpenAlex API key: larger daily budget, cursor paging and cached full texts.'),
  core: secret().default('').describe('CORE API key; without it CORE is not used.'),
  semantic_scholar: secret().default('').describe('Semantic Scholar API key: a rate limit of your own.'),
  ncbi: secret().default('').describe('NCBI API key: 10 requests per second instead of 3.'),
  osf: secret().default('').describe('OSF token: higher hourly limit.'),
  openaire: secret().default('').describe('OpenAIRE access token, valid for one hour: higher hourly limit.'),
  openaire_refresh: secret().default('').describe('OpenAIRE refresh token, used to renew access tokens.'),
  springer_nature: secret().default('').describe('Springer Nature API key: JATS of open-access articles.'),
  wiley: secret().default('').describe('Wiley text mining token, for the resolver wiley_tdm.'),
  elsevier: secret().default('').describe('Elsevier text mining key, for the resolver elsevier_tdm.'),
  zotero: secret().default('').describe('Zotero API key with read access to your library.'),
  engine: secret().default('').describe('API key of the PDF engine server (docling-serve or vision model).'),
  embeddings: secret().default('').describe('API key of the embedding server.'),
  claims: secret().default('').describe('API key of the model server for claims and answers.'),
});

/** What is downloaded and where it goes. */
const downloadSchema = z.strictObject({
  out: z
    .string()
    .min(1)
    .default('runs/harvest')
    .describe('Run folder: files, manifests and, by default, the queue.')
    .meta(flag('--out <folder>', 'download', 'queue-run')),
  accept: z
    .array(z.enum(['pdf', 'xml', 'html']))
    .min(1)
    .default(['pdf', 'xml', 'html'])
    .describe('File types to accept as full text.')
    .meta(flag('--accept <pdf,xml,html>', 'download')),
  max_bytes: z
    .int()
    .min(1)
    .default(200_000_000)
    .describe('Maximum size of a downloaded file, in bytes.')
    .meta(flag('--max-bytes <n>', 'download')),
  content_addressed: z
    .boolean()
    .default(false)
    .describe('Store files by content hash, with readable links next to them.')
    .meta(flag('--content-addressed', 'download')),
  prefer: z
    .enum(['any', 'published'])
    .default('any')
    .describe('Use any to take the first available copy, published to try known author manuscripts last.'),
  retracted: z.enum(['keep', 'skip']).default('keep').describe('Whether to keep or skip retracted works.'),
  rotate_bytes: z
    .int()
    .min(0)
    .default(0)
    .describe('Rotate manifest.jsonl at the start of a run if it is larger than this many bytes; 0 means never.'),
  preset: z
    .enum(['fast', 'broad'])
    .default('broad')
    .describe('Which resolvers to use: fast (only the quickest and most productive) or broad (all).')
    .meta(flag('--preset <name>', 'download')),
  resolver_order: z
    .array(z.string())
    .default([])
    .describe('Resolvers to try first, in this order.')
    .meta(flag('--resolver-order <a,b>', 'download')),
  enable: z
    .array(z.string())
    .default([])
    .describe('Resolvers to use in addition to the preset.')
    .meta(flag('--enable-resolver <a,b>', 'download')),
  disable: z
    .array(z.string())
    .default([])
    .describe('Resolvers to disable.')
    .meta(flag('--disable-resolver <a,b>', 'download')),
  work_budget_s: seconds(1)
    .default(180)
    .describe('Time budget per work, including waits between attempts; no further URL is tried after it.'),
  title_accept: z
    .number()
    .min(0)
    .max(1)
    .default(0.9)
    .describe(
      'Minimum match score (0 to 1) to accept a work that Crossref found by title for a list entry without an id; lower scores go to review.csv.',
    ),
  title_review: z
    .number()
    .min(0)
    .max(1)
    .default(0.6)
    .describe('Minimum match score (0 to 1) to list a candidate in review.csv.'),
  identify: z
    .boolean()
    .default(true)
    .describe('Look up your own papers in OpenAlex and Crossref by the identifiers found in them; needs http.contact.'),
  thorough: z.boolean().default(true).describe('Also search repositories where a work is unlikely to be.'),
});

/** What `docstokg serve` listens on and whom it answers. */
const serveSchema = z.strictObject({
  host: z
    .string()
    .min(1)
    .max(255)
    .default('127.0.0.1')
    .describe('Address to listen on; an address that other machines can reach requires serve.token.')
    .meta(flag('--host <address>', 'serve')),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .default(8484)
    .describe('Port to listen on; 0 picks a free one.')
    .meta(flag('--port <n>', 'serve')),
  token: secret()
    .default('')
    .describe(
      'Access token that clients must send, at least 16 characters; if empty, a new one is generated at every start.',
    )
    .meta(flag('--token <text>', 'serve')),
  allowed_hosts: z
    .array(z.string())
    .default([])
    .describe('Additional host names clients may use to reach the server, such as the name of a proxy.')
    .meta(flag('--allowed-hosts <a,b>', 'serve')),
});

/** What `docstokg estimate` takes for granted; none of it is documented by anybody, all of it differs between fields. */
const estimateSchema = z.strictObject({
  sample: z
    .int()
    .min(1)
    .max(100)
    .default(100)
    .describe('Number of works sampled to estimate how many are open access, and at which hosts.'),
  usd_per_credit: z.number().min(0).default(0.0001).describe('Price of an OpenAlex credit, in US dollars.'),
  credits_per_page: z.number().min(0).default(1).describe('Credits per page of 100 works.'),
  credits_per_search_page: z.number().min(0).default(10).describe('Credits per page of search results.'),
  megabytes_per_work: z.number().min(0).default(2).describe('Average size of a full text, in megabytes.'),
  requests_per_work: z
    .number()
    .min(1)
    .default(1.5)
    .describe('Average number of requests per full text: the file and, in some cases, its landing page.'),
});

/** Every setting of the program: each key has a default and a sentence. */
export const configSchema = z.strictObject({
  orchestrator: orchestratorSchema.prefault({}).describe('How jobs are run.'),
  queue: queueSchema.prefault({}).describe('Where jobs are kept.'),
  store: storeSchema.prefault({}).describe('Shared object store for the files of a corpus.'),
  download: downloadSchema.prefault({}).describe('What is downloaded and where it goes.'),
  parse: parseSchema.prefault({}).describe('How papers become structure, chunks and vectors.'),
  stage: stageSchema.prefault({}).describe('How every stage runs its documents.'),
  http: httpSchema.prefault({}).describe('How the web is asked.'),
  services: servicesSchema.prefault({}).describe('Where scholarly services are.'),
  keys: keysSchema.prefault({}).describe('Keys of services.'),
  graph: graphSchema.prefault({}).describe('What a graph is built with beside the documents.'),
  claims: claimsSchema.prefault({}).describe('Which model reads claims out of passages; none unless one is named.'),
  estimate: estimateSchema.prefault({}).describe('What an estimate takes for granted.'),
  telemetry: telemetrySchema.prefault({}).describe('What is told to the outside about a run.'),
  serve: serveSchema.prefault({}).describe('What docstokg serve listens on and whom it answers.'),
});

export type Config = z.infer<typeof configSchema>;
/** Some of the settings, as one writes them in a file: the rest has its defaults. */
export type Settings = z.input<typeof configSchema>;
