import * as z from 'zod';

import { flag, seconds, secret, setting } from './setting.ts';
import { httpSchema } from './http-schema.ts';
import { claimsSchema, modelSchema } from './model-schema.ts';
import { orchestratorSchema } from './orchestrator-schema.ts';
import { parseSchema } from './parse-schema.ts';
import { stageSchema } from './stage-schema.ts';

/** Where jobs are stored. */
const queueSchema = z.strictObject({
  backend: setting(
    z.enum(['sqlite', 'postgres', 'memory']).default('sqlite'),
    'sqlite for one machine, postgres for several machines, memory for experiments (nothing is saved).',
  ),
  path: setting(z.string().min(1).default('state/workqueue.sqlite'), 'SQLite file, relative to the current directory.'),
  wal_mode: setting(
    z.boolean().default(true),
    'Use write-ahead logging, so that several processes can read and write at the same time.',
  ),
  timeout_sec: setting(z.int().min(1).default(10), 'How long to wait for a lock held by another process.'),
  durability: setting(
    z.enum(['enqueue', 'all', 'none']).default('enqueue'),
    'Which commits are synced to disk: enqueue (only those that accept jobs), all, or none. On PostgreSQL, none behaves like enqueue.',
  ),
  url: setting(z.string().default(''), 'PostgreSQL connection URL, for example postgres://user@host/database.'),
  schema: setting(
    z
      .string()
      .regex(/^[a-z_][a-z0-9_]{0,62}$/)
      .default('docstokg'),
    'PostgreSQL schema for the tables.',
  ),
  keep_finished: setting(
    z.int().min(0).default(1_000_000),
    'Finished jobs that stay in the queue of works; older ones are removed every minute, and only counted. 0 keeps all.',
  ),
  pooler: setting(
    z.boolean().default(false),
    'Whether a pooler in transaction mode (PgBouncer, a cloud pooler) is in front of PostgreSQL: nothing is prepared, and LISTEN is replaced by looking every second.',
  ),
  fleet: setting(
    z.boolean().default(false),
    "Whether the logs of the corpus are rows of the queue's PostgreSQL server: any number of machines is one run.",
  ),
});

/** Shared object store for the files of a corpus. */
const storeSchema = z.strictObject({
  url: setting(
    z.string().default(''),
    'Shared store for files: s3://bucket/prefix or a folder; empty means only the run folder.',
    flag('--store <url>', 'download', 'queue-run', 'stage', 'store'),
  ),
  endpoint: setting(
    z.string().default(''),
    'URL of an S3-compatible server; default: AWS in the region.',
    flag('--store-endpoint <url>', 'download', 'queue-run', 'stage', 'store'),
  ),
  region: setting(z.string().min(1).default('us-east-1'), 'Region used to sign requests to the store.'),
  path_style: setting(
    z.boolean().nullable().default(null),
    'Use path-style URLs (endpoint/bucket/key) instead of bucket.endpoint/key; null means path-style if an endpoint is set.',
  ),
  access_key_id: setting(secret().default(''), 'Access key id; usually from AWS_ACCESS_KEY_ID or ~/.aws/credentials.'),
  secret_access_key: setting(secret().default(''), 'Secret access key; usually from AWS_SECRET_ACCESS_KEY.'),
  session_token: setting(
    secret().default(''),
    'Session token of temporary credentials; usually from AWS_SESSION_TOKEN.',
  ),
});

/** Export of metrics and traces. */
const telemetrySchema = z.strictObject({
  service_name: setting(z.string().min(1).default('docstokg'), 'Service name reported with metrics and traces.'),
  otlp_endpoint: setting(
    z.string().default(''),
    'Base URL of an OpenTelemetry collector (OTLP over HTTP); empty means no export.',
  ),
  otlp_interval_s: setting(seconds(1).default(15), 'How often metrics are sent to the collector.'),
  prometheus_port: setting(
    z.int().min(0).max(65_535).default(0),
    'Port of the Prometheus metrics endpoint; 0 means none.',
  ),
  prometheus_host: setting(z.string().min(1).default('127.0.0.1'), 'Address the metrics endpoint listens on.'),
});

/** Where scholarly services are. */
const servicesSchema = z.strictObject({
  base_urls: setting(
    z.record(z.string(), z.url()).default({}),
    'Base URLs that override the default of a service, such as {"openalex": "https://mirror.example/"}.',
  ),
  below: setting(
    z.string().default(''),
    'Map every service to the same host name under this domain, over http; used by the simulated web.',
  ),
});

/** Keys of services; better set through the environment than written into a file. */
const keysSchema = z.strictObject({
  openalex: setting(
    secret().default(''),
    'OpenAlex API key: larger daily budget, cursor paging and cached full texts.',
  ),
  core: setting(secret().default(''), 'CORE API key; without it CORE is not used.'),
  semantic_scholar: setting(secret().default(''), 'Semantic Scholar API key: a rate limit of your own.'),
  ncbi: setting(secret().default(''), 'NCBI API key: 10 requests per second instead of 3.'),
  osf: setting(secret().default(''), 'OSF token: higher hourly limit.'),
  openaire: setting(secret().default(''), 'OpenAIRE access token, valid for one hour: higher hourly limit.'),
  openaire_refresh: setting(secret().default(''), 'OpenAIRE refresh token, used to renew access tokens.'),
  springer_nature: setting(secret().default(''), 'Springer Nature API key: JATS of open-access articles.'),
  wiley: setting(secret().default(''), 'Wiley text mining token, for the resolver wiley_tdm.'),
  elsevier: setting(secret().default(''), 'Elsevier text mining key, for the resolver elsevier_tdm.'),
  zotero: setting(secret().default(''), 'Zotero API key with read access to your library.'),
  engine: setting(secret().default(''), 'API key of the PDF engine server (docling-serve or vision model).'),
  embeddings: setting(secret().default(''), 'API key of the embedding server.'),
  model: setting(secret().default(''), 'API key of the model server.'),
});

/** What is downloaded and where it goes. */
const downloadSchema = z.strictObject({
  out: setting(
    z.string().min(1).default('runs/harvest'),
    'Run folder: files, manifests and, by default, the queue.',
    flag('--out <folder>', 'download', 'queue-run'),
  ),
  accept: setting(
    z
      .array(z.enum(['pdf', 'xml', 'html']))
      .min(1)
      .default(['pdf', 'xml', 'html']),
    'File types to accept as full text.',
    flag('--accept <pdf,xml,html>', 'download'),
  ),
  max_bytes: setting(
    z.int().min(1).default(200_000_000),
    'Maximum size of a downloaded file, in bytes.',
    flag('--max-bytes <n>', 'download'),
  ),
  content_addressed: setting(
    z.boolean().default(false),
    'Store files by content hash, with readable links next to them.',
    flag('--content-addressed', 'download'),
  ),
  prefer: setting(
    z.enum(['any', 'published']).default('any'),
    'Use any to take the first available copy, published to try known author manuscripts last.',
  ),
  retracted: setting(z.enum(['keep', 'skip']).default('keep'), 'Whether to keep or skip retracted works.'),
  rotate_bytes: setting(
    z.int().min(0).default(0),
    'Rotate manifest.jsonl at the start of a run if it is larger than this many bytes; 0 means never.',
  ),
  preset: setting(
    z.enum(['fast', 'broad']).default('broad'),
    'Which resolvers to use: fast (only the quickest and most productive) or broad (all).',
    flag('--preset <name>', 'download'),
  ),
  resolver_order: setting(
    z.array(z.string()).default([]),
    'Resolvers to try first, in this order.',
    flag('--resolver-order <a,b>', 'download'),
  ),
  enable: setting(
    z.array(z.string()).default([]),
    'Resolvers to use in addition to the preset.',
    flag('--enable-resolver <a,b>', 'download'),
  ),
  disable: setting(
    z.array(z.string()).default([]),
    'Resolvers to disable.',
    flag('--disable-resolver <a,b>', 'download'),
  ),
  work_budget_s: setting(
    seconds(1).default(180),
    'Time budget per work, including waits between attempts; no further URL is tried after it.',
  ),
  title_accept: setting(
    z.number().min(0).max(1).default(0.9),
    'Minimum match score (0 to 1) to accept a work that Crossref found by title for a list entry without an id; lower scores go to review.csv.',
  ),
  title_review: setting(
    z.number().min(0).max(1).default(0.6),
    'Minimum match score (0 to 1) to list a candidate in review.csv.',
  ),
  identify: setting(
    z.boolean().default(true),
    'Look up your own papers in OpenAlex and Crossref by the identifiers found in them; needs http.contact.',
  ),
  thorough: setting(z.boolean().default(true), 'Also search repositories where a work is unlikely to be.'),
});

/** How a graph is built. */
const graphSchema = z.strictObject({
  lookup: setting(
    z.boolean().default(false),
    'Look up cited works known only by OpenAlex id in OpenAlex, and unmatched references without an identifier in Crossref; needs http.contact.',
    flag('--lookup', 'graph-build'),
  ),
  lookup_most: setting(
    z.int().min(1).default(1_000),
    'Maximum number of references, and of works by id, to look up per build; the most cited first.',
    flag('--lookup-most <n>', 'graph-build'),
  ),
});

/** Address and access of `docstokg serve`. */
const serveSchema = z.strictObject({
  host: setting(
    z.string().min(1).max(255).default('127.0.0.1'),
    'Address to listen on; an address that other machines can reach requires serve.token.',
    flag('--host <address>', 'serve'),
  ),
  port: setting(
    z.int().min(0).max(65_535).default(8484),
    'Port to listen on; 0 picks a free one.',
    flag('--port <n>', 'serve'),
  ),
  token: setting(
    secret().default(''),
    'Access token that clients must send, at least 16 characters; if empty, a new one is generated at every start.',
    flag('--token <text>', 'serve'),
  ),
  allowed_hosts: setting(
    z.array(z.string()).default([]),
    'Additional host names clients may use to reach the server, such as the name of a proxy.',
    flag('--allowed-hosts <a,b>', 'serve'),
  ),
});

/** Every setting of the program: each key has a default and a sentence. */
export const configSchema = z.strictObject({
  orchestrator: orchestratorSchema.prefault({}).describe('How jobs are run.'),
  queue: queueSchema.prefault({}).describe('Where jobs are stored.'),
  store: storeSchema.prefault({}).describe('Shared object store for the files of a corpus.'),
  download: downloadSchema.prefault({}).describe('What is downloaded and where it goes.'),
  parse: parseSchema.prefault({}).describe('How papers become structure, chunks and vectors.'),
  stage: stageSchema.prefault({}).describe('How every stage runs its documents.'),
  http: httpSchema.prefault({}).describe('HTTP requests: rate limits, retries, timeouts.'),
  services: servicesSchema.prefault({}).describe('Where scholarly services are.'),
  keys: keysSchema.prefault({}).describe('Keys of services.'),
  graph: graphSchema.prefault({}).describe('What is looked up while a graph is built.'),
  model: modelSchema
    .prefault({})
    .describe('The model that answers questions, fills in tables and extracts claims; none unless one is named.'),
  claims: claimsSchema.prefault({}).describe('What graph claims reads.'),
  telemetry: telemetrySchema.prefault({}).describe('Export of metrics and traces.'),
  serve: serveSchema.prefault({}).describe('Address and access of docstokg serve.'),
});

export type Config = z.infer<typeof configSchema>;
/** Some of the settings, as in a file; the rest have their defaults. */
export type Settings = z.input<typeof configSchema>;
