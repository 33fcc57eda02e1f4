import type { Clock } from '../../base/index.ts';
import { AppError } from '../../base/index.ts';
import type { Config, Layer } from '../../config/index.ts';
import type { OrchestratorOptions, QueueStore } from '../../queue/index.ts';
import { openStore, WorkQueue } from '../../queue/kept/index.ts';

/** Opens the queue that the configuration names. */
export async function openQueue(config: Config, runtime: Runtime, clock: Clock = runtime.clock): Promise<WorkQueue> {
  return new WorkQueue(await openQueueStore(config, runtime, { clock }), clock);
}

/** Connections of a queue beside that of the works: one that listens, and one for the few that are leased at a time. */
const BESIDE_CONNECTIONS = 2;

/** Opens a queue of a fleet beside that of the works, in a schema of its own. */
export async function openQueueBeside(config: Config, name: string, runtime: Runtime): Promise<WorkQueue> {
  const { clock } = runtime;
  const queue = { ...config.queue, schema: `${config.queue.schema}_${name}` };
  const maxConnections = BESIDE_CONNECTIONS;
  return new WorkQueue(await openQueueStore({ ...config, queue }, runtime, { clock, maxConnections }), clock);
}

async function openQueueStore(
  { queue }: Config,
  runtime: Runtime,
  { clock, maxConnections }: { readonly clock: Clock; readonly maxConnections?: number | undefined },
): Promise<QueueStore> {
  return openStore(whereOf(queue), {
    walMode: queue.wal_mode,
    timeoutMs: queue.timeout_sec * 1000,
    durability: queue.durability,
    schema: queue.schema,
    pooler: queue.pooler,
    maxConnections,
    clock,
    report: (event) =>
      event.kind === 'queue-unreachable'
        ? runtime.log('warn', `the queue's server is away (${event.message}); waiting for it`)
        : runtime.log('info', `the queue's server is back after ${(event.outageMs / 1000).toFixed(1)} s`),
  });
}

function whereOf({ backend, path, url }: Config['queue']): string {
  if (backend !== 'postgres') return backend === 'memory' ? ':memory:' : path;
  if (url !== '') return url;
  throw new AppError('CONFIG_INVALID', 'queue.url is required when queue.backend is postgres', {
    hint: 'set queue.url, for example postgres://user@host/database, or pass --queue',
  });
}

/** The orchestrator's part of the configuration. */
export function orchestratorOptions({ orchestrator: o, http, queue }: Config): OrchestratorOptions {
  return {
    maxWorkers: o.max_workers,
    maxPerResolver: o.max_per_resolver,
    maxPerHost: o.max_per_host,
    maxParked: o.max_parked,
    readyPerHost: o.ready_per_host,
    patienceMs: http.park_after_s * 1000,
    leaseMs: o.lease_ttl_seconds * 1000,
    heartbeatMs: o.heartbeat_seconds * 1000,
    maxAttempts: o.max_job_attempts,
    maxDeaths: o.max_job_deaths,
    retryBackoffMs: o.retry_backoff_seconds * 1000,
    retryJitterMs: o.jitter_seconds * 1000,
    retryMaxDelayMs: o.retry_max_delay_seconds * 1000,
    jobTimeoutMs: o.job_timeout_seconds * 1000,
    shutdownGraceMs: o.shutdown_grace_seconds * 1000,
    keepFinished: queue.keep_finished,
  };
}

/** The settings of `--fleet`: queue and logs of the run are on this server. */
export function fleetLayer(url: string | undefined): Layer {
  if (url === undefined) return [];
  const origin = 'option --fleet';
  if (!/^postgres(ql)?:\/\//.test(url))
    throw new AppError('USAGE_FLEET', `--fleet ${url.slice(0, 100)}: not the address of a PostgreSQL server`, {
      hint: 'for example --fleet postgres://user@host/database',
    });
  return [
    { path: ['queue', 'backend'], value: 'postgres', origin },
    { path: ['queue', 'url'], value: url, origin },
    { path: ['queue', 'fleet'], value: true, origin },
  ];
}

/** The settings of `--queue`: a PostgreSQL URL or a SQLite file. */
export function queueLayer(target: string | undefined): Layer {
  if (target === undefined) return [];
  const origin = 'option --queue';
  return /^postgres(ql)?:\/\//.test(target)
    ? [
        { path: ['queue', 'backend'], value: 'postgres', origin },
        { path: ['queue', 'url'], value: target, origin },
      ]
    : [
        { path: ['queue', 'backend'], value: 'sqlite', origin },
        { path: ['queue', 'path'], value: target, origin },
      ];
}

/** Clock and log of long-lived parts. */
export interface Runtime {
  readonly clock: Clock;
  log(level: 'error' | 'warn' | 'info' | 'debug', message: string): void;
}
