import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

import type { Clock } from '../../base/index.ts';
import { AppError, canonicalJson, parseJsonl, sha256, errorInfo } from '../../base/index.ts';
import type { Config, Layer } from '../../config/index.ts';
import { settingsLayer } from '../../config/index.ts';
import type { Wrap } from '../../http/index.ts';
import type { JobLease } from '../../journal/index.ts';
import type { ImportRow, Lease, OrchestratorOptions } from '../../queue/index.ts';
import type { PostgresConnection, StoreOptions } from '../../queue/kept/index.ts';
import { openPostgres, openStore, WorkQueue } from '../../queue/kept/index.ts';
import type { StageOptions } from '../../stage/index.ts';
import type { QueueLineOptions } from '../lines/queue-line.ts';

/** How long a server, or a lock, is waited for. */
export function patienceOf(queue: Config['queue']): Pick<StoreOptions, 'timeoutMs' | 'silentMs' | 'outageMs'> {
  return {
    timeoutMs: queue.timeout_sec * 1000,
    silentMs: queue.silent_sec * 1000,
    outageMs: queue.outage_sec * 1000,
  };
}

export async function openQueue(
  { queue }: Pick<Config, 'queue'>,
  { clock, log, stop }: Runtime,
  maxConnections?: number,
): Promise<WorkQueue> {
  const store = await openStore(whereOf(queue), {
    walMode: queue.wal_mode,
    ...patienceOf(queue),
    durability: queue.durability,
    schema: queue.schema,
    pooler: queue.pooler,
    maxConnections,
    clock,
    stop,
    // In a fleet the journal says it, which asks every second: once, not once for each connection.
    report: (event) =>
      queue.fleet
        ? undefined
        : event.kind === 'queue-unreachable'
          ? log('warn', `the queue server is unreachable (${event.message}); waiting for it`)
          : log('info', `the queue server is back after ${(event.outageMs / 1000).toFixed(1)} s`),
  });
  return new WorkQueue(store, clock);
}

/** Connections of a second queue: one that listens, and one for the few concurrent leases. */
const BESIDE_CONNECTIONS = 2;
/** Connections for reading and writing the index. */
const SERVER_CONNECTIONS = 3;

export async function openQueueBeside({ queue }: Config, name: string, runtime: Runtime): Promise<WorkQueue> {
  return await openQueue({ queue: { ...queue, schema: `${queue.schema}_${name}` } }, runtime, BESIDE_CONNECTIONS);
}

/** A connection to the server with the logs and the index of a fleet. */
export async function openCorpusServer(
  { queue }: Pick<Config, 'queue'>,
  { clock, stop }: Runtime,
): Promise<PostgresConnection> {
  return await openPostgres(queue.url, {
    schema: queue.schema,
    pooler: queue.pooler,
    ...patienceOf(queue),
    maxConnections: SERVER_CONNECTIONS,
    clock,
    stop,
  });
}

/** A leased job as the journal needs it; asking whether it is held extends its lease. */
export function jobLease(queue: WorkQueue, { id, token }: Lease, name: string, leaseMs: number): JobLease {
  const isHeld = async (): Promise<boolean> => (await queue.heartbeat([{ id, token }], leaseMs)).length === 0;
  return { queue: name, id, token, isHeld };
}

function whereOf({ backend, path, url }: Config['queue']): string {
  if (backend !== 'postgres') return backend === 'memory' ? ':memory:' : path;
  if (url !== '') return url;
  throw new AppError('CONFIG_INVALID', 'queue.url is required when queue.backend is postgres', {
    hint: 'set queue.url, for example postgres://user@host/database, or pass --queue',
  });
}

export function orchestratorOptions({ orchestrator: o, http, queue }: Config): OrchestratorOptions {
  return {
    maxWorkers: o.max_workers,
    maxPerResolver: o.max_per_resolver,
    maxPerHost: o.max_per_host,
    maxParked: o.max_parked,
    readyPerHost: o.ready_per_host,
    patienceMs: http.park_after_s * 1000,
    heldLanes: 'wait',
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

/** How the items of a stage are leased in a queue. */
export function queueLineSettings(
  config: Config,
  { clock }: Runtime,
  { workers, scheduling }: Pick<StageOptions, 'workers' | 'scheduling'>,
): Pick<QueueLineOptions, 'clock' | 'leaseMs' | 'heartbeatMs' | 'maxDeaths' | 'workers' | 'scheduling'> {
  const { leaseMs, heartbeatMs, maxDeaths } = orchestratorOptions(config);
  return { clock, leaseMs, heartbeatMs, maxDeaths, workers, scheduling };
}

/** The settings of `--fleet`: queue and logs of the run are on this server. */
export function fleetLayer(url: string | undefined): Layer {
  if (url === undefined) return [];
  if (!/^postgres(ql)?:\/\//.test(url))
    throw new AppError('USAGE_FLEET', `--fleet ${url.slice(0, 100)}: not the address of a PostgreSQL server`, {
      hint: 'for example --fleet postgres://user@host/database',
    });
  return settingsLayer({ queue: { backend: 'postgres', url, fleet: true } }, 'option --fleet');
}

/** The settings of `--queue`: a PostgreSQL URL or a SQLite file. */
export function queueLayer(target: string | undefined): Layer {
  if (target === undefined) return [];
  const isServer = /^postgres(ql)?:\/\//.test(target);
  const queue = isServer ? { backend: 'postgres', url: target } : { backend: 'sqlite', path: target };
  return settingsLayer({ queue }, 'option --queue');
}

/** The machine's clock, and the clock of requests if it is another. */
export interface Clocks {
  readonly clock: Clock;
  readonly web?: WebTime | undefined;
}

/** A clock for the rates, waits and timeouts of requests, and a wrapper that gives results in the machine's time. */
export interface WebTime {
  readonly clock: Clock;
  readonly wrap: Wrap;
}

export interface Runtime extends Clocks {
  readonly log: (level: 'error' | 'warn' | 'info' | 'debug', message: string) => void;
  /** Aborted when somebody wants to stop: servers that are away are no longer waited for. */
  readonly stop?: AbortSignal | undefined;
}

export interface BadArtifact {
  readonly line: number;
  readonly reason: string;
}

/** Reads JSONL (gzip too; `-` is stdin): lines `{artifact_id, artifact, …}` or artifacts; skips bad ones. */
export async function* readArtifacts(path: string, bad: (line: BadArtifact) => void): AsyncGenerator<ImportRow> {
  for await (const line of parseJsonl(await openBytes(path), { tornTail: 'keep' })) {
    if (line.kind === 'bad') {
      bad({ line: line.line, reason: line.reason });
      continue;
    }
    const row = artifactRow(line.value);
    if (typeof row === 'string') bad({ line: line.line, reason: row });
    else yield row;
  }
}

/** Returns what is wrong with an invalid line. */
function artifactRow(value: unknown): ImportRow | string {
  if (!isRecord(value))
    return `a JSON object is expected, not ${Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`}`;
  const { resolver_hint: resolverHint, priority } = value;
  if (resolverHint !== undefined && resolverHint !== null && typeof resolverHint !== 'string')
    return 'resolver_hint is not a string';
  if (priority !== undefined && !Number.isInteger(priority)) return 'priority is not an integer';
  const wrapped = 'artifact' in value;
  const artifact = wrapped ? value['artifact'] : value;
  if (wrapped && typeof value['artifact_id'] !== 'string') return 'artifact_id is missing beside artifact';
  const artifactId = wrapped ? (value['artifact_id'] as string) : artifactIdOf(value);
  if (artifactId === '' || artifactId.length > 2_048 || artifactId.includes('\0'))
    return 'the artifact has no usable id';
  if (typeof resolverHint === 'string' && !/^[\w.-]{1,100}$/.test(resolverHint))
    return `resolver_hint "${resolverHint.slice(0, 40)}" is not a plain name`;
  return {
    artifactId,
    payload: artifact,
    ...(typeof resolverHint === 'string' && { resolverHint }),
    ...(priority !== undefined && { priority: priority as number }),
  };
}

/** The id of an unwrapped artifact: `artifact_id`, `id`, `doi` or `url`, else a hash of its content. */
function artifactIdOf(artifact: Record<string, unknown>): string {
  const { artifact_id: artifactId, id, doi, url } = artifact;
  if (typeof artifactId === 'string') return artifactId;
  if (typeof id === 'string' || typeof id === 'number') return String(id);
  // DOIs are case-insensitive, with or without a resolver URL.
  if (typeof doi === 'string')
    return `doi:${doi
      .trim()
      .replace(/^(https?:\/\/(dx\.)?doi\.org\/|doi:)/i, '')
      .toLowerCase()}`;
  if (typeof url === 'string') return `url:${url}`;
  return `sha256:${sha256(canonicalJson(artifact))}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

async function openBytes(path: string): Promise<AsyncIterable<Uint8Array>> {
  const source: Readable = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: 1 << 18 });
  const iterator = (source as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const first = await iterator.next().catch((error: unknown) => {
    throw new AppError('IMPORT_UNREADABLE', `${path} cannot be read: ${errorInfo(error).message}`, {
      hint: 'check the path; use - for standard input',
      cause: error,
    });
  });
  async function* chunks(): AsyncGenerator<Buffer> {
    if (!first.done) yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  const packed = !first.done && first.value[0] === 0x1f && first.value[1] === 0x8b;
  return packed ? unpack(chunks(), path) : chunks();
}

async function* unpack(chunks: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  try {
    yield* Readable.from(chunks).pipe(createGunzip()) as AsyncIterable<Buffer>;
  } catch (error) {
    throw new AppError('IMPORT_UNREADABLE', `${path} is damaged gzip: ${errorInfo(error).message}`, {
      hint: 'lines before the damage were imported; importing again is safe',
      cause: error,
    });
  }
}
