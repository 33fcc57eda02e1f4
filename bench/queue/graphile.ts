import { Client } from 'pg';

import { loadPeer } from '../kit/peers.ts';
import type { Contender, Opened, Payload, Place } from './contender.ts';
import { Counter, unsynced, wallClock } from './contender.ts';
import { schemaBytes } from './ours.ts';

interface Utilities {
  addJobs(jobs: readonly { identifier: string; payload: Payload; jobKey: string }[]): Promise<unknown>;
  addJob(identifier: string, payload: Payload, spec: { readonly jobKey: string }): Promise<unknown>;
  migrate(): Promise<void>;
  release(): Promise<void>;
}
interface Graphile {
  makeWorkerUtils(options: object): Promise<Utilities>;
  run(options: object): Promise<{ readonly promise: Promise<void>; stop(): Promise<void> }>;
  Logger: new (factory: () => () => void) => object;
}

const TASK = 'bench';
const BULK = 1_000;
/** When several processes share its queue, a job may stay locked by one that has stopped. */
const STUCK_MS = 1_500;

/** What it fetches at once beyond the jobs that run, and how it writes down what became of them. */
const AHEAD = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };

/**
 * In its fastest documented mode, with a local queue: 500 jobs are locked ahead of those that run, and stay locked for four hours
 * if their process dies; completions are written in batches.
 */
export const graphileSynced = createGraphile('graphile-worker, synced', 'on', (url) => url);
export const graphileUnsynced = createGraphile('graphile-worker, not synced', 'off', unsynced);

function createGraphile(name: string, commit: string, urlOf: (url: string) => string): Contender {
  const settings = `PostgreSQL, synchronous_commit ${commit}; addJobs in thousands, local queue of 500 jobs, completions written in batches, 10 connections`;
  // Not warmed up on a queue of its own: a runner stops when it hears that any other schema of the server is being made.
  return {
    name,
    settings,
    share: 1,
    warmUp: 0,
    open: (place) => openGraphile({ ...place, postgresUrl: urlOf(place.postgresUrl) }),
  };
}

async function openGraphile({ postgresUrl, name }: Place): Promise<Opened> {
  const library = await loadPeer<Graphile>('graphile-worker');
  const logger = new library.Logger(() => () => undefined);
  const shared = { connectionString: postgresUrl, schema: name, logger };
  const utilities = await library.makeWorkerUtils(shared);
  await utilities.migrate();
  return {
    async bulk(payloads) {
      for (let from = 0; from < payloads.length; from += BULK) {
        const jobs = payloads.slice(from, from + BULK);
        await utilities.addJobs(jobs.map((payload) => ({ identifier: TASK, payload, jobKey: payload.id })));
      }
    },
    async single(payload) {
      await utilities.addJob(TASK, payload, { jobKey: payload.id });
    },
    async drain(concurrency) {
      const counter = new Counter();
      const client = new Client({ connectionString: postgresUrl });
      await client.connect();
      const runner = await library.run({
        preset: {
          worker: {
            connectionString: postgresUrl,
            schema: name,
            concurrentJobs: concurrency,
            maxPoolSize: 10,
            pollInterval: 100,
            ...AHEAD,
            logger,
          },
        },
        noHandleSignals: true,
        taskList: { [TASK]: async () => counter.settled() },
      });
      // A done job is deleted, so an empty table means that all is done. (Its own events come before that is written.)
      let left = Infinity;
      for (let changedAt = wallClock(); left > 0 && wallClock() - changedAt < STUCK_MS;) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        const { rows } = await client.query<{ jobs: string }>(`SELECT count(*) AS jobs FROM "${name}"._private_jobs`);
        const now = Number(rows[0]?.jobs);
        if (now !== left) changedAt = wallClock();
        left = now;
      }
      if (left === 0) counter.settled(0);
      // It may wait for ever when it has hardly begun; what it did is counted already.
      await Promise.race([runner.stop(), new Promise((resolve) => setTimeout(resolve, 1_000))]);
      await client.end();
      return counter.drained;
    },
    bytes: () => schemaBytes(postgresUrl, name),
    [Symbol.asyncDispose]: () => utilities.release(),
  };
}
