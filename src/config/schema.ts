import * as z from 'zod';

import { flag, seconds, secret, setting, text, toggle } from './setting.ts';
import { parseSchema } from './parse-schema.ts';

const key = (sentence: string) => setting(secret().default(''), sentence);

const orchestratorSchema = z
  .strictObject({
    max_workers: setting(
      z.int().min(1).max(256).default(8),
      'Maximum number of jobs that run concurrently in this process.',
      flag('--workers <n>', 'download', 'queue-run'),
    ),
    max_per_resolver: setting(
      z.record(z.string().min(1), z.int().min(1)).default({}),
      'Maximum concurrent downloads per resolver, for example {"unpaywall": 2}; resolvers not listed have no limit.',
      flag('--max-per-resolver <a:2,b:3>', 'queue-run'),
    ),
    max_per_host: setting(
      z.int().min(1).default(4),
      'Maximum concurrent downloads per host.',
      flag('--max-per-host <n>', 'queue-run'),
    ),
    lease_ttl_seconds: setting(
      z.int().min(30).default(600),
      'Lease duration. A job whose worker has sent no heartbeat for this long can be leased by another worker.',
    ),
    heartbeat_seconds: setting(
      z.int().min(5).default(30),
      'How often a worker extends the leases of its running jobs; at most a third of lease_ttl_seconds.',
    ),
    max_job_attempts: setting(z.int().min(1).default(3), 'Attempts before a failing job ends in state error.'),
    max_job_deaths: setting(
      z.int().min(1).default(3),
      'Crashes of its process, while the job ran alone, after which the job ends in state error (up to three times as many if processes without it also crashed in the last hour). A job runs alone after two crashes while running with others.',
    ),
    retry_backoff_seconds: setting(z.int().min(1).default(60), 'Delay before the second attempt; doubles each time.'),
    jitter_seconds: setting(z.int().min(0).default(15), 'Maximum random delay added to each retry delay.'),
    retry_max_delay_seconds: setting(z.int().min(1).default(3600), 'Maximum retry delay, not counting jitter.'),
    job_timeout_seconds: setting(
      seconds(0).default(3600),
      'Maximum run time of a job. A job that runs longer is aborted and counts as failed; 0 means no limit.',
    ),
    shutdown_grace_seconds: setting(
      seconds(0).default(30),
      'How long running jobs may take to finish after the first Ctrl-C before they are aborted.',
    ),
    max_parked: setting(
      z.int().min(0).default(256),
      'Maximum number of jobs waiting for a busy host without occupying a worker; further jobs go back to the queue.',
    ),
    ready_per_host: setting(
      z.int().min(0).max(16).default(1),
      'Jobs leased in advance for each busy host, so that one can start as soon as the host has capacity; they do not occupy a worker.',
    ),
  })
  .refine(({ heartbeat_seconds, lease_ttl_seconds }) => heartbeat_seconds * 3 <= lease_ttl_seconds, {
    path: ['heartbeat_seconds'],
    error:
      'must be at most a third of orchestrator.lease_ttl_seconds, so that a lease never runs out under a job that runs',
  });

const queueSchema = z.strictObject({
  backend: setting(
    z.enum(['sqlite', 'postgres', 'memory']).default('sqlite'),
    'sqlite for one machine, postgres for several machines, memory for experiments (nothing is saved).',
  ),
  path: setting(z.string().min(1).default('state/workqueue.sqlite'), 'SQLite file, relative to the current directory.'),
  wal_mode: toggle(true, 'Use write-ahead logging, so that several processes can read and write at the same time.'),
  timeout_sec: setting(z.int().min(1).default(10), 'How long to wait for a lock held by another process.'),
  silent_sec: setting(
    z.int().min(1).default(30),
    'How long a PostgreSQL server may be silent before another connection is asked whether it is there. One that does not answer counts as away; a long statement of one that does is never cut.',
  ),
  outage_sec: setting(
    z.int().min(1).default(600),
    'How long a PostgreSQL server that is away is waited for before a command ends.',
  ),
  durability: setting(
    z.enum(['enqueue', 'all', 'none']).default('enqueue'),
    'Which commits are synced to disk: enqueue (only those that accept jobs), all, or none. On PostgreSQL, none behaves like enqueue.',
  ),
  url: text('PostgreSQL connection URL, for example postgres://user@host/database.'),
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
  pooler: toggle(
    false,
    'Whether a pooler in transaction mode (PgBouncer, a cloud pooler) is in front of PostgreSQL: nothing is prepared, and LISTEN is replaced by looking every second.',
  ),
  fleet: toggle(
    false,
    "Whether the logs of the corpus are rows of the queue's PostgreSQL server: any number of machines is one run.",
  ),
});

const storeSchema = z.strictObject({
  url: text(
    'Shared store for files: s3://bucket/prefix or a folder; empty means only the run folder.',
    flag('--store <url>', 'download', 'queue-run', 'stage', 'store', 'database'),
  ),
  endpoint: text(
    'URL of an S3-compatible server; default: AWS in the region.',
    flag('--store-endpoint <url>', 'download', 'queue-run', 'stage', 'store', 'database'),
  ),
  cache: text(
    'Folder for copies of corpora that are opened by the address of their database; empty means ~/.docstokg/corpora.',
    flag('--cache <folder>', 'database'),
  ),
  region: setting(z.string().min(1).default('us-east-1'), 'Region used to sign requests to the store.'),
  path_style: setting(
    z.boolean().nullable().default(null),
    'Use path-style URLs (endpoint/bucket/key) instead of bucket.endpoint/key; null means path-style if an endpoint is set.',
  ),
  access_key_id: key('Access key id; usually from AWS_ACCESS_KEY_ID or ~/.aws/credentials.'),
  secret_access_key: key('Secret access key; usually from AWS_SECRET_ACCESS_KEY.'),
  session_token: key('Session token of temporary credentials; usually from AWS_SESSION_TOKEN.'),
});

const telemetrySchema = z.strictObject({
  service_name: setting(z.string().min(1).default('docstokg'), 'Service name reported with metrics and traces.'),
  otlp_endpoint: text('Base URL of an OpenTelemetry collector (OTLP over HTTP); empty means no export.'),
  otlp_interval_s: setting(seconds(1).default(15), 'How often metrics are sent to the collector.'),
  prometheus_port: setting(z.int().min(0).max(65_535).default(0), 'Port of the Prometheus endpoint; 0 means none.'),
  prometheus_host: setting(z.string().min(1).default('127.0.0.1'), 'Address the metrics endpoint listens on.'),
});

const servicesSchema = z.strictObject({
  base_urls: setting(
    z.record(z.string(), z.url()).default({}),
    'Base URLs that override the default of a service, such as {"openalex": "https://mirror.example/"}.',
  ),
  below: text('Map every service to the same host name under this domain, over http; used by the simulated web.'),
});

const keysSchema = z.strictObject({
  openalex: key('OpenAlex API key: larger daily budget, cursor paging and cached full texts.'),
  core: key('CORE API key: about 1,000 requests per day instead of 100 or fewer.'),
  semantic_scholar: key('Semantic Scholar API key: a rate limit of your own.'),
  ncbi: key('NCBI API key: 10 requests per second instead of 3.'),
  osf: key('OSF token: higher hourly limit.'),
  openaire: key('OpenAIRE access token, valid for one hour: higher hourly limit.'),
  openaire_refresh: key('OpenAIRE refresh token, used to renew access tokens.'),
  springer_nature: key('Springer Nature API key: JATS of open-access articles.'),
  wiley: key('Wiley text mining token, for the resolver wiley_tdm.'),
  elsevier: key('Elsevier text mining key, for the resolver elsevier_tdm.'),
  zotero: key('Zotero API key with read access to your library; with write access for docstokg zotero.'),
  engine: key('API key of the PDF engine server (docling-serve or vision model).'),
  embeddings: key('API key of the embedding server.'),
  model: key('API key of the model server.'),
});

const downloadSchema = z.strictObject({
  out: setting(
    z.string().min(1).default('runs/harvest'),
    'Run folder: files, manifests and, by default, the queue; unless given, docstokg run takes one beside it, named after the topic, list or first id.',
    flag('--out <folder>', 'download', 'queue-run'),
  ),
  accept: setting(
    z
      .array(z.enum(['pdf', 'xml', 'html']))
      .min(1)
      .default(['pdf', 'xml', 'html']),
    'File types to accept as full text.',
  ),
  max_bytes: setting(z.int().min(1).default(200_000_000), 'Maximum size of a downloaded file, in bytes.'),
  content_addressed: toggle(false, 'Store files by content hash, with readable links next to them.'),
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
  resolver_order: setting(z.array(z.string()).default([]), 'Resolvers to try first, in this order.'),
  enable: setting(z.array(z.string()).default([]), 'Resolvers to use in addition to the preset.'),
  disable: setting(z.array(z.string()).default([]), 'Resolvers to disable.'),
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
  identify: toggle(
    true,
    'Look up your own papers in OpenAlex and Crossref by the identifiers found in them; needs http.contact.',
  ),
  thorough: toggle(true, 'Also search repositories where a work is unlikely to be.'),
});

const graphSchema = z.strictObject({
  entities: setting(
    z.enum(['best', 'trained', 'off']).default('best'),
    'Find diseases, chemicals, genes, organisms, places and so on with a small trained model: if it can run here, always, or not.',
    flag('--entities <choice>', 'graph-build'),
  ),
  lookup: toggle(
    false,
    'Look up cited works known only by OpenAlex id in OpenAlex, and unmatched references without an identifier in Crossref; needs http.contact.',
    flag('--lookup', 'graph-build'),
  ),
  lookup_most: setting(
    z.int().min(1).default(1_000),
    'Maximum number of references, and of works by id, to look up per build; the most cited first.',
  ),
});

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
    'Access token that clients must send, at least 16 characters; if empty, one is made for you and kept in ~/.docstokg.',
    flag('--token <text>', 'serve'),
  ),
  allowed_hosts: setting(
    z.array(z.string()).default([]),
    'Additional host names clients may use to reach the server, such as the name of a proxy.',
  ),
});

/** How stages run their documents. Null: the stage decides. Flags override both. */
const stageSchema = z.strictObject({
  source: setting(
    z.enum(['files', 'queue']).default('files'),
    'Where documents come from: files (each runner scans the input folder) or queue (runners on several machines share one queue).',
    flag('--source <source>', 'stage'),
  ),
  policy: setting(
    z.enum(['io', 'cpu', 'gpu']).nullable().default(null),
    'Where documents are processed: in the main thread (io, gpu) or in child processes (cpu).',
    flag('--policy <policy>', 'stage'),
  ),
  scheduling: setting(
    z.enum(['fifo', 'sjf', 'lpt']).nullable().default(null),
    'Processing order: fifo (as planned), sjf (cheapest first) or lpt (most expensive first).',
    flag('--scheduling <order>', 'stage'),
  ),
  workers: setting(
    z.int().min(1).max(1_024).nullable().default(null),
    'Maximum number of documents processed concurrently.',
    flag('--workers <n>', 'stage'),
  ),
  max_queue: setting(
    z.int().min(0).max(1_000_000).nullable().default(null),
    'Maximum number of documents waiting for a worker.',
    flag('--max-queue <n>', 'stage'),
  ),
  timeout_s: setting(
    seconds(0).max(604_800).nullable().default(null),
    'Timeout for one document; 0 means no limit.',
    flag('--timeout-s <s>', 'stage'),
  ),
  retries: setting(
    z.int().min(0).max(100).nullable().default(null),
    'Retries per document after a transient error.',
    flag('--retries <n>', 'stage'),
  ),
  retry_backoff_s: setting(
    seconds(0).max(3_600).default(1),
    'Delay before the first retry; doubles with each retry, ± 25 %.',
    flag('--retry-backoff-s <s>', 'stage'),
  ),
  error_budget: setting(
    z.int().min(0).max(1_000_000_000).default(0),
    'Number of failed documents above which the stage stops; 0 means never.',
    flag('--error-budget <n>', 'stage'),
  ),
  resume: toggle(true, 'Skip documents that an earlier run has already processed.'),
  verify_hash: toggle(
    false,
    'Rehash every input and output instead of comparing size and modification time.',
    flag('--verify-hash', 'stage'),
  ),
  diagnostics_interval_s: setting(
    seconds(0).max(86_400).default(30),
    'How often to print progress when output is not a terminal; 0 means never.',
    flag('--diagnostics-interval-s <s>', 'stage'),
  ),
  durable: toggle(true, 'Sync outputs and manifest rows to disk before a document counts as done.'),
});

const httpSchema = z.strictObject({
  contact: text('Contact e-mail address, sent in the User-Agent header so that hosts can reach you.'),
  http_proxy: text('Proxy for http URLs, as in HTTP_PROXY; never used for addresses on this machine.'),
  https_proxy: text('Proxy for https URLs, as in HTTPS_PROXY; defaults to http_proxy.'),
  no_proxy: text('Hosts to reach without a proxy, as in NO_PROXY.'),
  per_host_per_second: setting(
    z.number().positive().max(1000).default(1),
    'Maximum requests per second to a host without a documented limit.',
  ),
  rate_margin: setting(
    z.number().min(0).max(1).default(0.04),
    'Safety margin below every rate limit, as a fraction: requests can arrive closer together than they were sent.',
  ),
  retries: setting(z.int().min(0).max(20).default(3), 'Retries of a request after a transient failure.'),
  retry_max_delay: setting(seconds(0).default(60), 'Maximum retry delay when the server does not send Retry-After.'),
  park_after_s: setting(seconds(0).default(60), 'If a retry has to wait longer, the work goes back to the queue.'),
  longest_line_s: setting(seconds(0).default(900), 'Longest wait for a request slot at a rate-limited service.'),
  give_up_after_s: setting(
    seconds(0).default(604_800),
    'Longest Retry-After to accept, in seconds; a host that asks for more is skipped for the rest of the run.',
  ),
  longest_crawl_delay_s: setting(
    seconds(0).default(300),
    'Longest Crawl-delay to obey, in seconds; a host that asks for more is skipped.',
  ),
  obey_robots: toggle(true, 'Obey robots.txt; disable it only for your own hosts.'),
  connect_s: setting(seconds(0.01).default(10), 'Connect timeout.'),
  headers_s: setting(seconds(0.01).default(30), 'Timeout until the response headers arrive.'),
  idle_s: setting(seconds(0.01).default(30), 'Timeout between two chunks of a response body.'),
  total_s: setting(seconds(0.01).default(900), 'Timeout for a whole request.'),
  floor_bytes_per_second: setting(
    z.int().min(0).default(1000),
    'Minimum download speed, averaged over 30 seconds; slower responses are aborted. 0 means no minimum.',
  ),
  allow: setting(z.array(z.string()).default([]), 'Private host:port addresses to allow, for tests and intranets.'),
  dns: setting(
    z.record(z.string(), z.string()).default({}),
    'Static DNS entries, such as {"*.example.test": "127.0.0.1:8080"}; "none" makes a name unresolvable.',
  ),
  cache_path: text('SQLite file for the cache of service responses; empty means in the run folder.'),
});

const modelSchema = z.strictObject({
  url: setting(
    z
      .string()
      .regex(/^(?:https?:\/\/[^\s/]\S*)?$/, 'an address that begins with http:// or https://')
      .default(''),
    'URL of an OpenAI-compatible server, up to and including /v1; empty means no model is used.',
    flag('--model-url <url>', 'findings', 'ask', 'table'),
  ),
  name: text('Model name to request from the server.', flag('--model <name>', 'findings', 'ask', 'table')),
  max_tokens: setting(z.int().min(64).max(32_768).default(2_048), 'Maximum length of an answer, in tokens.'),
  context_tokens: setting(
    z.int().min(1_024).max(10_000_000).default(16_384),
    'Context length of the model, in tokens; passages that do not fit into it with the answer are left out.',
  ),
  usd_per_million_input: setting(z.number().min(0).default(0), 'US dollars per million input tokens; 0 means unknown.'),
  usd_per_million_output: setting(z.number().min(0).default(0), 'US dollars per million output tokens.'),
  budget_usd: setting(
    z.number().min(0).default(0),
    'Spending limit per run, in US dollars; needs the prices to be set. 0 means no limit.',
    flag('--budget-usd <n>', 'findings'),
  ),
  budget_tokens: setting(
    z.int().min(0).default(0),
    'Token limit per run, input and output together; 0 means no limit.',
    flag('--budget-tokens <n>', 'findings', 'table'),
  ),
  concurrency: setting(z.int().min(1).max(64).default(4), 'Maximum concurrent requests to the model server.'),
  per_second: setting(z.number().positive().max(1_000).default(50), 'Maximum requests per second to the model server.'),
  timeout_s: setting(seconds(1).default(120), 'Timeout of a request to the model server.'),
  retries: setting(z.int().min(0).max(20).default(3), 'Retries of a request when the model server is busy or fails.'),
});

const askSchema = z.strictObject({
  reader: setting(
    z.enum(['best', 'trained', 'rules']).default('best'),
    'What chooses the sentences that answer: a small trained model, rules, or the better one that can run here.',
    flag('--reader <name>', 'ask', 'table'),
  ),
  support: toggle(
    true,
    'With a model, check whether each quote supports its sentence or value, and drop those it does not support.',
    flag('--no-support', 'ask', 'table'),
  ),
  max_searches: setting(
    z.int().min(0).max(10).default(2),
    'How often a model may search the papers again before it answers.',
    flag('--max-searches <n>', 'ask'),
  ),
});

const findingsSchema = z.strictObject({
  sections_per_document: setting(
    z.int().min(0).default(0),
    'Number of sections per document to send to the model, from the start of the document; 0 means all.',
  ),
});

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
    .describe('The model that answers questions, fills in tables and extracts findings; none unless one is named.'),
  ask: askSchema.prefault({}).describe('How questions are answered.'),
  findings: findingsSchema.prefault({}).describe('What graph build --findings reads.'),
  telemetry: telemetrySchema.prefault({}).describe('Export of metrics and traces.'),
  serve: serveSchema.prefault({}).describe('Address and access of docstokg serve.'),
});

export type Config = z.infer<typeof configSchema>;
/** Some settings, as in a file; the others get their defaults. */
export type Settings = z.input<typeof configSchema>;
