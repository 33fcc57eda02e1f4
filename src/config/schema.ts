import { z } from 'zod';

const seconds = (min: number): z.ZodNumber => z.number().min(min);

/** How jobs are run: how many at once, for how long they are leased, how often they are tried. */
const orchestratorSchema = z.strictObject({
  max_workers: z.int().min(1).max(256).default(8).describe('Jobs that run at once in this process.'),
  max_per_resolver: z
    .record(z.string().min(1), z.int().min(1))
    .default({})
    .describe(
      'Downloads in flight per resolver, for example {"unpaywall": 2}; a resolver not named has no cap of its own.',
    ),
  max_per_host: z.int().min(1).default(4).describe('Downloads in flight at one host.'),
  lease_ttl_seconds: z
    .int()
    .min(30)
    .default(600)
    .describe('A job whose holder was not heard of for this long is taken over.'),
  heartbeat_seconds: z.int().min(5).default(30).describe('How often leases of running jobs are extended.'),
  max_job_attempts: z.int().min(1).default(3).describe('A job leased this often without success ends in state error.'),
  retry_backoff_seconds: z
    .int()
    .min(1)
    .default(60)
    .describe('Delay before the second attempt; it doubles with each further one.'),
  jitter_seconds: z.int().min(0).default(15).describe('Up to this much is added to each retry delay by chance.'),
  retry_max_delay_seconds: z.int().min(1).default(3600).describe('No retry is delayed longer than this, jitter aside.'),
  job_timeout_seconds: seconds(0)
    .default(3600)
    .describe('A job running longer is aborted and counts as failed; 0 means no limit.'),
  shutdown_grace_seconds: seconds(0)
    .default(30)
    .describe('How long running jobs may finish after the first Ctrl-C before they are aborted.'),
  max_parked: z
    .int()
    .min(0)
    .default(256)
    .describe('Jobs that may wait for a busy host without holding a worker; beyond it they go back to the queue.'),
});

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
    .describe('Which commits wait for the disk: those that accept jobs, all of them, or none (SQLite only).'),
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

/** Every setting of the program: each key has a default and a sentence. */
export const configSchema = z.strictObject({
  orchestrator: orchestratorSchema.prefault({}).describe('How jobs are run.'),
  queue: queueSchema.prefault({}).describe('Where jobs are kept.'),
  telemetry: telemetrySchema.prefault({}).describe('What is told to the outside about a run.'),
});

export type Config = z.infer<typeof configSchema>;
export type OrchestratorConfig = z.infer<typeof orchestratorSchema>;
export type QueueConfig = z.infer<typeof queueSchema>;
export type TelemetryConfig = z.infer<typeof telemetrySchema>;
