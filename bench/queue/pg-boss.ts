import { loadPeer } from '../kit/peers.ts';
import type { Contender, Opened, Payload, Place } from './contender.ts';
import { Counter, unsynced } from './contender.ts';
import { schemaBytes } from './ours.ts';

interface Boss {
  on(event: 'error', listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  stop(options: { readonly graceful: boolean }): Promise<void>;
  createQueue(name: string, options?: object): Promise<void>;
  insert(queue: string, jobs: readonly { readonly id?: string; readonly data: Payload }[]): Promise<unknown>;
  fetch(queue: string, options: { readonly batchSize: number }): Promise<{ readonly id: string }[]>;
  complete(queue: string, ids: readonly string[]): Promise<unknown>;
}
interface PgBoss {
  PgBoss: new (options: object) => Boss;
}

const QUEUE = 'bench';
const BULK = 1_000;

/** Its ids are UUIDs: ours, as digits. */
function uuid(payload: Payload): string {
  const digits = payload.doi.replaceAll(/\D/g, '').padStart(12, '0').slice(-12);
  return `00000000-0000-4000-8000-${digits}`;
}

/** Loops that fetch and complete beside each other, so that one works while the other waits for the server. */
const LOOPS = 2;

export const pgBossSynced = createPgBoss('pg-boss, synced', 'on', (url) => url);
export const pgBossUnsynced = createPgBoss('pg-boss, not synced', 'off', unsynced);

function createPgBoss(name: string, commit: string, urlOf: (url: string) => string): Contender {
  const settings = `PostgreSQL, synchronous_commit ${commit}; insert in thousands, fetch and complete in batches of the concurrency, ${LOOPS} loops`;
  return {
    name,
    settings,
    share: 1,
    warmUp: 1_000,
    open: (place) => openPgBoss({ ...place, postgresUrl: urlOf(place.postgresUrl) }),
  };
}

async function openPgBoss({ postgresUrl, name }: Place): Promise<Opened> {
  const { PgBoss } = await loadPeer<PgBoss>('pg-boss');
  const boss = new PgBoss({
    connectionString: postgresUrl,
    schema: name,
    max: 4,
    supervise: false,
    schedule: false,
  });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue(QUEUE);
  return {
    async bulk(payloads) {
      for (let from = 0; from < payloads.length; from += BULK) {
        const jobs = payloads.slice(from, from + BULK).map((data) => ({ id: uuid(data), data }));
        await boss.insert(QUEUE, jobs);
      }
    },
    async single(data) {
      await boss.insert(QUEUE, [{ id: uuid(data), data }]);
    },
    async drain(concurrency) {
      const counter = new Counter();
      const loop = async (): Promise<void> => {
        for (;;) {
          const jobs = await boss.fetch(QUEUE, { batchSize: Math.ceil(concurrency / LOOPS) });
          if (jobs.length === 0) return;
          await Promise.all(jobs.map(async () => undefined));
          await boss.complete(
            QUEUE,
            jobs.map(({ id }) => id),
          );
          counter.settled(jobs.length);
        }
      };
      await Promise.all(Array.from({ length: LOOPS }, loop));
      return counter.drained;
    },
    bytes: () => schemaBytes(postgresUrl, name),
    [Symbol.asyncDispose]: () => boss.stop({ graceful: false }),
  };
}
