import { join } from 'node:path';

import { loadPeer } from '../kit/peers.ts';
import type { Contender, Opened, Payload, Place } from './contender.ts';
import { Counter } from './contender.ts';
import { sqliteBytes } from './sqlite-bytes.ts';

interface Queue {
  enqueue(payload: Payload, options: { readonly idempotencyKey: string }): Promise<unknown>;
}
interface Client {
  exec(sql: string): void;
  close(): void;
  transaction: unknown;
}
interface Database {
  readonly session: { readonly client: Client };
}
interface Liteque {
  buildDBClient(path: string, options: { readonly runMigrations: boolean; readonly walEnabled: boolean }): Database;
  SqliteQueue: new (name: string, database: Database, options: object) => Queue;
  Runner: new (
    queue: Queue,
    functions: { readonly run: () => Promise<void>; readonly onComplete: () => Promise<void> },
    options: { readonly concurrency: number; readonly pollIntervalMs: number; readonly timeoutSecs: number },
  ) => { runUntilEmpty(): Promise<void> };
}

/** It passes asynchronous functions to `transaction`, which better-sqlite3 once let pass (ending the transaction at the first wait) and now refuses. */
function allowAsyncTransactions(client: Client): void {
  client.transaction = (work: (...values: unknown[]) => unknown) => {
    const run =
      (begin: string) =>
      (...values: unknown[]): unknown => {
        client.exec(begin);
        const result = work(...values);
        client.exec('COMMIT');
        return result;
      };
    return { deferred: run('BEGIN'), immediate: run('BEGIN IMMEDIATE'), exclusive: run('BEGIN EXCLUSIVE') };
  };
}

export const liteque: Contender = {
  name: 'liteque',
  settings:
    'better-sqlite3, WAL, synchronous NORMAL (its own settings); no bulk enqueue; asynchronous transactions as older drivers allowed',
  share: 0.01,
  warmUp: 100,
  async open(place: Place): Promise<Opened> {
    const { SqliteQueue, Runner, ...library } = await loadPeer<Liteque>('liteque');
    const path = join(place.folder, `${place.name}.sqlite`);
    const database = library.buildDBClient(path, { runMigrations: true, walEnabled: true });
    allowAsyncTransactions(database.session.client);
    const queue = new SqliteQueue('bench', database, { defaultJobArgs: { numRetries: 2 }, keepFailedJobs: false });
    return {
      async bulk(payloads) {
        for (const payload of payloads) await queue.enqueue(payload, { idempotencyKey: payload.id });
      },
      async single(payload) {
        await queue.enqueue(payload, { idempotencyKey: payload.id });
      },
      async drain(concurrency) {
        const counter = new Counter();
        const functions = { run: async () => undefined, onComplete: async () => counter.settled() };
        await new Runner(queue, functions, { concurrency, pollIntervalMs: 10, timeoutSecs: 60 }).runUntilEmpty();
        return counter.drained;
      },
      bytes: async () => sqliteBytes(path),
      [Symbol.asyncDispose]: async () => database.session.client.close(),
    };
  },
};
