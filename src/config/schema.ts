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
  otlp_interval_s: seconds(1).default(15).describe('How often metrics are pushed to the collector.'),
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
  openalex: secret()
    .default('')
    .describe('Key of OpenAlex: a larger daily budget, cursors, and its own copies of papers.'),
  core: secret().default('').describe('Key of CORE, without which it is not asked.'),
  semantic_scholar: secret().default('').describe('Key of Semantic Scholar: a rate of your own.'),
  ncbi: secret().default('').describe('Key of NCBI: ten requests a second in place of three.'),
  osf: secret().default('').describe('Token of OSF: a larger hourly limit.'),
  openaire: secret().default('').describe('Token of OpenAIRE, which lives an hour: a larger hourly limit.'),
  openaire_refresh: secret().default('').describe('Refresh token of OpenAIRE: tokens are renewed with it.'),
  springer_nature: secret().default('').describe('Key of Springer Nature: JATS of its open articles.'),
  wiley: secret().default('').describe("Token of Wiley's text mining, for the resolver wiley_tdm."),
  elsevier: secret().default('').describe("Key of Elsevier's text mining, for the resolver elsevier_tdm."),
  zotero: secret().default('').describe('Key of zotero.org that may read your library.'),
  engine: secret().default('').describe('Key of the docling-serve or model server that reads PDFs.'),
  embeddings: secret().default('').describe('Key of the embedding server.'),
  claims: secret().default('').describe('Key of the model server that reads claims.'),
});

/** What is downloaded and where it goes. */
const downloadSchema = z.strictObject({
  out: z
    .string()
    .min(1)
    .default('runs/harvest')
    .describe('Folder of the run: files, manifests and, unless set otherwise, its queue.')
    .meta(flag('--out <folder>', 'download', 'queue-run')),
  accept: z
    .array(z.enum(['pdf', 'xml', 'html']))
    .min(1)
    .default(['pdf', 'xml', 'html'])
    .describe('Kinds of full text to keep.')
    .meta(flag('--accept <pdf,xml,html>', 'download')),
  max_bytes: z
    .int()
    .min(1)
    .default(200_000_000)
    .describe('Largest file that is fetched, in bytes.')
    .meta(flag('--max-bytes <n>', 'download')),
  content_addressed: z
    .boolean()
    .default(false)
    .describe('Keep files by their hash, with friendly links beside them.')
    .meta(flag('--content-addressed', 'download')),
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
    .describe('Which resolvers are asked: the quick and likely ones, or everybody.')
    .meta(flag('--preset <name>', 'download')),
  resolver_order: z
    .array(z.string())
    .default([])
    .describe('Resolvers to ask first, in this order.')
    .meta(flag('--resolver-order <a,b>', 'download')),
  enable: z
    .array(z.string())
    .default([])
    .describe('Resolvers to ask besides those of the preset.')
    .meta(flag('--enable-resolver <a,b>', 'download')),
  disable: z
    .array(z.string())
    .default([])
    .describe('Resolvers not to ask.')
    .meta(flag('--disable-resolver <a,b>', 'download')),
  work_budget_s: seconds(1)
    .default(180)
    .describe('Time, waits between tries included, after which no further URL of a work is tried.'),
  title_accept: z
    .number()
    .min(0)
    .max(1)
    .default(0.9)
    .describe(
      'How well a work that Crossref finds by its title must fit an entry of a list that has no id, to be taken; less goes to review.csv.',
    ),
  title_review: z
    .number()
    .min(0)
    .max(1)
    .default(0.6)
    .describe('How well it must fit to be worth a look: what fits less is not written into review.csv.'),
  identify: z
    .boolean()
    .default(true)
    .describe(
      'Ask OpenAlex and Crossref about papers of your own by the ids that stand in them, if there is a contact.',
    ),
  thorough: z.boolean().default(true).describe('Also ask repositories that have no reason to know a work.'),
});

/** What `docstokg serve` listens on and whom it answers. */
const serveSchema = z.strictObject({
  host: z
    .string()
    .min(1)
    .max(255)
    .default('127.0.0.1')
    .describe('Address to listen on; one that other machines reach needs a token of yours.')
    .meta(flag('--host <address>', 'serve')),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .default(8484)
    .describe('Port to listen on; 0 takes one that is free.')
    .meta(flag('--port <n>', 'serve')),
  token: secret()
    .default('')
    .describe('What whoever asks has to show, at least 16 characters; empty: one is made at every start.')
    .meta(flag('--token <text>', 'serve')),
  allowed_hosts: z
    .array(z.string())
    .default([])
    .describe('Names besides the address under which the server is reached, such as that of a proxy.')
    .meta(flag('--allowed-hosts <a,b>', 'serve')),
});

/** What `docstokg estimate` takes for granted; none of it is documented by anybody, all of it differs between fields. */
const estimateSchema = z.strictObject({
  sample: z
    .int()
    .min(1)
    .max(100)
    .default(100)
    .describe('Works that are looked at to tell how many are open, and where.'),
  usd_per_credit: z.number().min(0).default(0.0001).describe('What OpenAlex charges for a credit, in US dollars.'),
  credits_per_page: z.number().min(0).default(1).describe('Credits for a page of 100 works.'),
  credits_per_search_page: z.number().min(0).default(10).describe('Credits for a page of a search by words.'),
  megabytes_per_work: z.number().min(0).default(2).describe('Size of a full text, in megabytes.'),
  requests_per_work: z
    .number()
    .min(1)
    .default(1.5)
    .describe('Requests to the host of a full text: the file, and now and then the page in front of it.'),
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
  graph: graphSchema.prefault({}).describe('What a graph is built with beside the documents.'),
  claims: claimsSchema.prefault({}).describe('Which model reads claims out of passages; none unless one is named.'),
  estimate: estimateSchema.prefault({}).describe('What an estimate takes for granted.'),
  telemetry: telemetrySchema.prefault({}).describe('What is told to the outside about a run.'),
  serve: serveSchema.prefault({}).describe('What docstokg serve listens on and whom it answers.'),
});

export type Config = z.infer<typeof configSchema>;
/** Some of the settings, as one writes them in a file: the rest has its defaults. */
export type Settings = z.input<typeof configSchema>;
