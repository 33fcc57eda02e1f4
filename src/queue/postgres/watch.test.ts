import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';

import type pg from 'pg';

import { HeldClock } from '../../testing/index.ts';
import type { PostgresConnection } from './connection.ts';
import { PostgresWatch } from './watch.ts';

/** A connection as the driver gives it, which dies when the test says so. */
class FakeClient extends EventEmitter {
  released = 0;
  readonly #refuses: boolean;

  constructor(refuses = false) {
    super();
    this.#refuses = refuses;
  }

  query(): Promise<void> {
    return this.#refuses ? Promise.reject(new Error('the server is shutting down')) : Promise.resolve();
  }

  release(): void {
    this.released += 1;
  }
}

function watching(clients: readonly FakeClient[]) {
  const clock = new HeldClock();
  const connect = (): Promise<pg.PoolClient> => {
    const client = clients[made];
    made += 1;
    return client ? Promise.resolve(client as unknown as pg.PoolClient) : Promise.reject(new Error('no more'));
  };
  let made = 0;
  const connection = {
    schema: 'test',
    clock,
    closing: new AbortController().signal,
    connect,
    canListen: true,
  } satisfies Pick<PostgresConnection, 'schema' | 'clock' | 'closing' | 'connect' | 'canListen'>;
  return { clock, watch: new PostgresWatch(connection) };
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
};

test('a connection that reports its end several times is replaced once', async () => {
  const [first, second] = [new FakeClient(), new FakeClient()];
  const { clock, watch } = watching([first, second]);
  await using _watch = watch;
  const heard: string[] = [];
  using _listening = watch.add((change) => heard.push(change));
  await settle();
  first.emit('error', new Error('read ECONNRESET'));
  first.emit('error', new Error('Connection terminated unexpectedly'));
  await settle();
  first.emit('error', new Error('write EPIPE'));
  first.emit('end');
  assert.equal(first.released, 1);
  await clock.advance(5_000);
  await settle();
  heard.length = 0;
  second.emit('notification', { payload: 'control' });
  assert.deepEqual(heard, ['control']);
});

test('a connection whose LISTEN failed is released', async () => {
  const [first, second] = [new FakeClient(true), new FakeClient()];
  const { clock, watch } = watching([first, second]);
  await using _watch = watch;
  using _listening = watch.add(() => undefined);
  await settle();
  assert.equal(first.released, 1);
  await clock.advance(5_000);
  await settle();
  assert.equal(second.released, 0);
  await watch[Symbol.asyncDispose]();
  await settle();
  assert.equal(second.released, 1);
});
