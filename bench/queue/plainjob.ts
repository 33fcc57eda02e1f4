import { join } from 'node:path';

import { loadPeer } from '../kit/peers.ts';
import type { Contender, Opened, Payload, Place } from './contender.ts';
import { Counter } from './contender.ts';
import { sqliteBytes } from './sqlite-bytes.ts';

interface Job {
  readonly data: string;
}
interface Queue {
  add(type: string, data: unknown): unknown;
  addMany(type: string, data: readonly unknown[]): unknown;
  countJobs(filter: { readonly type: string; readonly status: number }): number;
  close(): void;
}
interface Plainjob {
  better(database: unknown): unknown;
  defineQueue(options: { readonly connection: unknown; readonly logger: Logger }): Queue;
  defineWorker(
    type: string,
    process: (job: Job) => Promise<void>,
    options: {
      readonly queue: Queue;
      readonly pollIntervall: number;
      readonly logger: Logger;
      readonly onCompleted: () => void;
    },
  ): { start(): Promise<void>; stop(): Promise<void> };
}
type Logger = Readonly<Record<'error' | 'warn' | 'info' | 'debug', (message: string) => void>>;

const PENDING = 0;
const TYPE = 'download';
/** Jobs in one call of addMany. */
const BULK = 1_000;
const quiet = (): void => undefined;
const logger: Logger = { error: (message) => console.error(message), warn: quiet, info: quiet, debug: quiet };

/** It knows no ids, so putting the same jobs in again doubles them. */
export const plainjob: Contender = {
  name: 'plainjob',
  settings: 'better-sqlite3, WAL, synchronous NORMAL (its own settings)',
  share: 0.06,
  warmUp: 500,
  async open(place: Place): Promise<Opened> {
    const library = await loadPeer<Plainjob>('plainjob');
    const { default: Database } = await loadPeer<{ default: new (path: string) => unknown }>('better-sqlite3');
    const path = join(place.folder, `${place.name}.sqlite`);
    const queue = library.defineQueue({ connection: library.better(new Database(path)), logger });
    return {
      async bulk(payloads) {
        for (let from = 0; from < payloads.length; from += BULK) queue.addMany(TYPE, payloads.slice(from, from + BULK));
      },
      async single(payload) {
        queue.add(TYPE, payload);
      },
      async drain(concurrency) {
        const counter = new Counter();
        // A worker runs one job at a time.
        const workers = Array.from({ length: concurrency }, () =>
          library.defineWorker(TYPE, async ({ data }) => void (JSON.parse(data) as Payload), {
            queue,
            logger,
            pollIntervall: 10,
            onCompleted: () => counter.settled(),
          }),
        );
        // Only idle workers let timers run.
        const timer = setInterval(() => {
          if (queue.countJobs({ type: TYPE, status: PENDING }) > 0) return;
          clearInterval(timer);
          for (const worker of workers) void worker.stop();
        }, 20);
        await Promise.all(workers.map((worker) => worker.start()));
        return counter.drained;
      },
      bytes: async () => sqliteBytes(path),
      [Symbol.asyncDispose]: async () => queue.close(),
    };
  },
};
