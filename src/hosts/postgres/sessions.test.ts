import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';

import type pg from 'pg';

import { HeldClock } from '../../testing/index.ts';
import { Listener, Sessions } from './sessions.ts';

/** A connection as the driver returns it, which the test can break. */
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

function listening(clients: readonly FakeClient[]) {
  const clock = new HeldClock();
  let made = 0;
  const connect = (): Promise<pg.PoolClient> => {
    const client = clients[made];
    made += 1;
    return client ? Promise.resolve(client as unknown as pg.PoolClient) : Promise.reject(new Error('no more'));
  };
  const received: (string | undefined)[] = [];
  const listener = new Listener({ isPooled: false, connect }, 'test', clock, (message) => void received.push(message));
  return { clock, listener, received };
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
};

test('a connection that reports its end several times is replaced once', async () => {
  const [first, second] = [new FakeClient(), new FakeClient()];
  const { clock, listener, received } = listening([first, second]);
  using _listener = listener;
  await settle();
  first.emit('error', new Error('read ECONNRESET'));
  first.emit('error', new Error('Connection terminated unexpectedly'));
  await settle();
  first.emit('error', new Error('write EPIPE'));
  first.emit('end');
  assert.equal(first.released, 1);
  await clock.advance(5_000);
  await settle();
  assert.deepEqual(received, [undefined, undefined], 'messages may have been missed before each LISTEN');
  second.emit('notification', { payload: 'control' });
  assert.deepEqual(received.slice(2), ['control']);
});

test('a connection whose LISTEN failed is released', async () => {
  const [first, second] = [new FakeClient(true), new FakeClient()];
  const { clock, listener } = listening([first, second]);
  await settle();
  assert.equal(first.released, 1);
  await clock.advance(5_000);
  await settle();
  assert.equal(second.released, 0);
  listener[Symbol.dispose]();
  await settle();
  assert.equal(second.released, 1);
});

test('behind a pooler it polls every second instead of listening', async () => {
  const clock = new HeldClock();
  const looks: number[] = [];
  const connect = (): Promise<pg.PoolClient> => assert.fail('there is nothing to listen to');
  using _listener = new Listener({ isPooled: true, connect }, 'test', clock, (_message, look) => void looks.push(look));
  await clock.advance(2_500);
  assert.deepEqual(looks, [0, 1, 2]);
});

test('every query that gets no connection in time fails with the code of an outage', async () => {
  const silent = createServer();
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
  const { port } = silent.address() as AddressInfo;
  const url = `postgres://me@127.0.0.1:${port}/none`;
  const sessions = await Sessions.open({ url, settings: {}, max: 1, name: 'test', timeoutMs: 20 });
  try {
    // The first waits for the server, the second for the first.
    const queries = [1, 2].map(() => assert.rejects(sessions.query('SELECT 1', []), { code: 'ETIMEDOUT' }));
    await Promise.all(queries);
  } finally {
    await sessions.end();
    silent.close();
  }
});

/** A message of the PostgreSQL protocol. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

test('a server that ends a connection as it hands it over fails a statement, not the process', async () => {
  const ready = [message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))];
  const ended = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'));
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    // Accepted and ended in one packet.
    socket.once('data', () => void socket.end(Buffer.concat([...ready, ended])));
  });
  await new Promise<void>((listens) => void server.listen(0, '127.0.0.1', listens));
  const { port } = server.address() as AddressInfo;
  const url = `postgres://user@127.0.0.1:${port}/db?sslmode=disable`;
  const sessions = await Sessions.open({ url, settings: {}, max: 1, name: 'test' });
  await assert.rejects(sessions.query('SELECT 1', []), /terminat|not queryable|ended/);
  await sessions.end();
  server.close();
});
