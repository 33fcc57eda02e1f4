import { join } from 'node:path';

import { metrics, trace } from '@opentelemetry/api';
import { Client } from 'pg';

import { systemClock } from '../../src/base/index.ts';
import type { StoreOptions } from '../../src/queue/index.ts';
import { openStore, Orchestrator, WorkQueue } from '../../src/queue/index.ts';
import { observeQueue } from '../../src/telemetry/index.ts';
import type { Contender, Opened, Payload, Place } from './contender.ts';
import { Counter, RESOLVER } from './contender.ts';
import { sqliteBytes } from './sqlite-bytes.ts';

/** The queue as it is used: through WorkQueue and Orchestrator, with leases, heartbeats, limits and metrics. */
class Ours implements Opened {
  readonly #queue: WorkQueue;
  readonly #bytes: () => Promise<number>;

  constructor(queue: WorkQueue, bytes: () => Promise<number>) {
    this.#queue = queue;
    this.#bytes = bytes;
  }

  async bulk(payloads: readonly Payload[]): Promise<void> {
    await this.#queue.bulkImport(
      payloads.map((artifact) => ({ artifactId: artifact.id, artifact, resolverHint: RESOLVER })),
    );
  }

  async single(payload: Payload): Promise<void> {
    await this.#queue.enqueue(payload.id, payload, { resolverHint: RESOLVER });
  }

  async drain(concurrency: number): Promise<{ jobs: number; lastAt: number }> {
    const counter = new Counter();
    // As in production where no SDK is installed: every metric is recorded, and goes nowhere.
    const telemetry = observeQueue(
      metrics.getMeter('docstokg'),
      trace.getTracer('docstokg'),
      this.#queue.store,
      systemClock,
    );
    const orchestrator = new Orchestrator({
      maxWorkers: concurrency,
      maxPerResolver: { [RESOLVER]: 256 },
      maxPerHost: 4,
      maxParked: 256,
      leaseMs: 600_000,
      heartbeatMs: 30_000,
      maxAttempts: 3,
      retryBackoffMs: 60_000,
      retryJitterMs: 15_000,
      retryMaxDelayMs: 3_600_000,
      jobTimeoutMs: 900_000,
      shutdownGraceMs: 1_000,
      queue: this.#queue,
      // A job that does nothing, but takes the slots of its resolver and host to do so.
      handler: (job, context) => context.withLimits(RESOLVER, (job.artifact as Payload).pdf, async () => undefined),
      report: (event) => {
        telemetry.report(event);
        if (event.kind === 'job-settled') counter.settled();
      },
    });
    await orchestrator.run({ drain: 'empty' });
    return counter.drained;
  }

  bytes(): Promise<number> {
    return this.#bytes();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#queue[Symbol.asyncDispose]();
  }
}

function createSqlite(name: string, durability: NonNullable<StoreOptions['durability']>, settings: string): Contender {
  return {
    name,
    settings,
    share: 1,
    warmUp: 10_000,
    async open(place: Place) {
      const path = join(place.folder, `${place.name}.sqlite`);
      const store = await openStore(path, { durability });
      return new Ours(new WorkQueue(store, systemClock), async () => sqliteBytes(path));
    },
  };
}

/** On SQLite as it comes: what was accepted is on the disk, the rest may repeat after a power cut. */
export const ours = createSqlite('ours', 'enqueue', 'SQLite WAL; enqueue synchronous FULL, lease and settle NORMAL');

/** On SQLite with synchronous NORMAL throughout, to compare single enqueues at the setting that others use. */
export const oursNormal = createSqlite('ours, NORMAL', 'none', 'SQLite WAL, synchronous NORMAL');

function createPostgres(
  name: string,
  durability: NonNullable<StoreOptions['durability']>,
  settings: string,
): Contender {
  return {
    name,
    settings,
    share: 1,
    warmUp: 5_000,
    async open({ postgresUrl, name: schema }) {
      const store = await openStore(postgresUrl, { schema, durability });
      return new Ours(new WorkQueue(store, systemClock), () => schemaBytes(postgresUrl, schema));
    },
  };
}

/** Every commit waits for the disk, as those of the peers do when they come. */
export const oursSynced = createPostgres('ours, synced', 'all', 'PostgreSQL, synchronous_commit on throughout');

/** As it comes: what was accepted is on the disk, leases and settlements may repeat after the server lost its power. */
export const oursUnsynced = createPostgres(
  'ours, not synced',
  'enqueue',
  'PostgreSQL, synchronous_commit on for enqueue, off for lease and settle',
);

/** What the tables of a schema take, with their indexes. */
export async function schemaBytes(url: string, schema: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ bytes: string | null }>(
      `SELECT sum(pg_total_relation_size(c.oid)) AS bytes FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
       WHERE n.nspname = $1 AND c.relkind = 'r'`,
      [schema],
    );
    return Number(rows[0]?.bytes ?? 0);
  } finally {
    await client.end();
  }
}
