import { loadPeer } from '../kit/peers.ts';
import type { Contender, Opened, Payload, Place } from './contender.ts';
import { Counter } from './contender.ts';

interface Connection {
  info(section: string): Promise<string>;
  quit(): Promise<unknown>;
}
interface Job {
  readonly name: string;
  readonly data: Payload;
  readonly opts: { readonly jobId: string };
}
interface Bullmq {
  Queue: new (
    name: string,
    options: object,
  ) => {
    add(name: string, data: Payload, options: { readonly jobId: string }): Promise<unknown>;
    addBulk(jobs: readonly Job[]): Promise<unknown>;
    getJobCounts(...states: string[]): Promise<Readonly<Record<string, number>>>;
    close(): Promise<void>;
  };
  Worker: new (
    name: string,
    run: () => Promise<void>,
    options: object,
  ) => { on(event: string, listener: () => void): void; close(): Promise<void> };
}

const BULK = 1_000;

/** An id of BullMQ may not hold a colon. */
const jobId = (payload: Payload): string => payload.doi;

export const bullmq: Contender = {
  name: 'BullMQ',
  settings: 'Redis, appendonly yes, appendfsync everysec; addBulk in thousands',
  share: 0.2,
  warmUp: 1000,
  async open({ redisUrl, name }: Place): Promise<Opened> {
    const { Queue, Worker } = await loadPeer<Bullmq>('bullmq');
    const { Redis } = await loadPeer<{ Redis: new (url: string, options: object) => Connection }>('ioredis');
    const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
    const queue = new Queue(name, { connection });
    return {
      async bulk(payloads) {
        for (let from = 0; from < payloads.length; from += BULK) {
          const jobs = payloads.slice(from, from + BULK);
          await queue.addBulk(jobs.map((data) => ({ name: 'job', data, opts: { jobId: jobId(data) } })));
        }
      },
      async single(data) {
        await queue.add('job', data, { jobId: jobId(data) });
      },
      async drain(concurrency) {
        const counter = new Counter();
        const worker = new Worker(name, async () => undefined, { connection, concurrency });
        worker.on('completed', () => counter.settled());
        for (;;) {
          await new Promise((resolve) => setTimeout(resolve, 50));
          const { waiting = 0, active = 0 } = await queue.getJobCounts('waiting', 'active');
          if (waiting + active === 0) break;
        }
        await worker.close();
        return counter.drained;
      },
      async bytes() {
        return Number(/used_memory:(\d+)/.exec(await connection.info('memory'))?.[1] ?? 0);
      },
      async [Symbol.asyncDispose]() {
        await queue.close();
        await connection.quit();
      },
    };
  },
};
