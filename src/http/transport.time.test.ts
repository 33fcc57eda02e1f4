import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';

import { reasonOf, url } from '../../test/support/raw-answer.ts';
import { HeldClock, loopbackClient, openRawLoopback } from '../testing/index.ts';
import type { HttpClient } from './index.ts';

/** Sends to a server whose socket the test controls, on a held clock. */
async function onHeldClock(
  run: (parts: { clock: HeldClock; client: HttpClient; socket: Promise<Socket> }) => Promise<void>,
): Promise<void> {
  const clock = new HeldClock();
  const { promise, resolve } = Promise.withResolvers<Socket>();
  await using server = await openRawLoopback((socket) => resolve(socket));
  await using client = loopbackClient(server, { clock });
  await run({ clock, client, socket: promise });
}

test('missing headers time out', () =>
  onHeldClock(async ({ clock, client, socket }) => {
    const result = client.send({ url });
    await socket;
    await clock.advance(30_000);
    assert.equal(reasonOf(await result), 'headers-timeout');
  }));

test('a stalled body times out', () =>
  onHeldClock(async ({ clock, client, socket }) => {
    const started = Promise.withResolvers<void>();
    const result = client.send({ url, sink: () => ({ write: () => started.resolve() }) });
    (await socket).write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\nbegin');
    await started.promise;
    await clock.advance(30_000);
    assert.equal(reasonOf(await result), 'idle-timeout');
  }));

test('a body that trickles in is rejected as too slow', () =>
  onHeldClock(async ({ clock, client, socket }) => {
    let got = Promise.withResolvers<void>();
    const result = client.send({ url, sink: () => ({ write: () => got.resolve() }) });
    const wire = await socket;
    wire.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\nx');
    for (let second = 0; second < 29; second += 1) {
      await got.promise;
      got = Promise.withResolvers<void>();
      await clock.advance(1000);
      wire.write('x');
    }
    await got.promise;
    await clock.advance(1000);
    assert.equal(reasonOf(await result), 'too-slow');
  }));

test('time spent in our own sink does not count against the server', () =>
  onHeldClock(async ({ clock, client, socket }) => {
    const taken = Promise.withResolvers<void>();
    const busy = Promise.withResolvers<void>();
    const result = client.send({ url, sink: () => ({ write: () => (taken.resolve(), busy.promise) }) });
    const wire = await socket;
    wire.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbody');
    await taken.promise;
    await clock.advance(120_000);
    busy.resolve();
    assert.equal((await result).kind, 'response');
  }));

test('the whole request has a timeout', async () => {
  const clock = new HeldClock();
  const sockets = Promise.withResolvers<Socket>();
  await using server = await openRawLoopback((socket) => sockets.resolve(socket));
  await using client = loopbackClient(server, { clock, limits: { totalMs: 20_000 } });
  const result = client.send({ url });
  await sockets.promise;
  await clock.advance(20_000);
  assert.equal(reasonOf(await result), 'total-timeout');
});
