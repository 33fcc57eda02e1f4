import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'node:test';
import type { TLSSocket } from 'node:tls';

import { HeldClock, loopbackClient, openRawLoopback } from '../testing/index.ts';
import type { HttpResult } from './send.ts';

/** A host that is in this test only. */
const key = `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEINTdkXLRGGMO9pAvHXvJomt34Lp/68VeF2BTz8Iqt4XxoAoGCCqGSM49
AwEHoUQDQgAEFwqkJs9Lze/jHk7HwzcLhvt6VqYYmc2BD2Di/hnwZg72YQGzHBtD
yuEzJOjV04AmUV+rje6EyjNSw6nBn9GghA==
-----END EC PRIVATE KEY-----
`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBXTCCAQSgAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlob3N0LnRl
c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWhvc3QudGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABBcKpCbPS83v4x5O
x8M3C4b7elamGJnNgQ9g4v4Z8GYO9mEBsxwbQ8rhMyTo1dOAJlFfq43uhMozUsOp
wZ/RoISjRTBDMBQGA1UdEQQNMAuCCWhvc3QudGVzdDAMBgNVHRMEBTADAQH/MB0G
A1UdDgQWBBSeF4ur3G939k7FJMM7s8WDU6ZDYjAKBggqhkjOPQQDAgNHADBEAiBb
7BSNIpfuUXLg1JSST/CkZnS3w1kqb7WwfzlZGSqVxwIgTQubBpyDIbhz4WwjwbiZ
UjoCOgE9NVkqSQ7v4Dj6R+g=
-----END CERTIFICATE-----
`;

/** Bytes that differ at every offset from any other file. */
function bodyOf(seed: number, bytes: number): Buffer {
  const body = Buffer.alloc(bytes);
  for (let at = 0, state = seed; at + 4 <= bytes; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    body.writeUInt32LE(state, at);
  }
  return body;
}

test('concurrent files keep their bytes, also over TLS, and TLS sessions are resumed', async () => {
  const bodies = Array.from({ length: 12 }, (_, at) => bodyOf(at + 1, 100_000 + 40_000 * at));
  const resumed: boolean[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    resumed.push((request.socket as TLSSocket).isSessionReused());
    response.end(bodies[Number(request.url?.slice(1))]);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await using client = loopbackClient(server.address() as AddressInfo, { ca: cert });
    const fetched = async (at: number): Promise<Buffer> => {
      const copies: Buffer[] = [];
      const write = (chunk: Buffer): void => void copies.push(Buffer.from(chunk));
      const url = new URL(`https://host.test/${at}`);
      const result = await client.send({ url, sink: () => ({ write }) });
      assert.equal(result.kind, 'response');
      return Buffer.concat(copies);
    };
    assert.ok(bodies[0]?.equals(await fetched(0)));
    const all = await Promise.all(bodies.map((_, at) => fetched(at)));
    for (const [at, body] of all.entries()) assert.ok(bodies[at]?.equals(body), `file ${at}`);
    assert.equal(resumed[0], false);
    assert.ok(resumed.slice(1).includes(true), 'a later connection resumes the session');
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test('a server that never completes the TLS handshake is abandoned after the timeout', async () => {
  const closed = Promise.withResolvers<void>();
  await using server = await openRawLoopback((socket) => void socket.once('close', () => closed.resolve()));
  // The held clock does not move, so only the connector can time out; the signal ends a failing test.
  await using client = loopbackClient(server, { clock: new HeldClock(), limits: { connectMs: 50 } });
  const result = await client.send({ url: new URL('https://host.test/') }, AbortSignal.timeout(20_000));
  assert.equal(result.kind === 'failed' && result.reason, 'connect-timeout');
  // By the given limit, not undici's default.
  assert.match(result.kind === 'failed' ? result.message : '', /timeout: 50ms/);
  await closed.promise;
});

test('a server that does not speak TLS fails with a message in one line', async () => {
  await using server = await openRawLoopback((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  await using client = loopbackClient(server);
  const { kind, reason, message, retryable } = (await client.send({
    url: new URL('https://host.test/'),
    robots: 'terms',
  })) as Extract<HttpResult, { kind: 'failed' }>;
  assert.deepEqual([kind, reason, retryable], ['failed', 'tls', false]);
  assert.equal(message, 'wrong version number (ERR_SSL_WRONG_VERSION_NUMBER)');
});

test('a sink may keep the buffers it receives', async () => {
  const body = bodyOf(7, 1_500_000);
  await using server = await openRawLoopback((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`);
    socket.end(body);
  });
  await using client = loopbackClient(server);
  const kept: Buffer[] = [];
  const sink = { write: (chunk: Buffer): void => void kept.push(chunk) };
  await client.send({ url: new URL('http://host.test/file'), sink: () => sink });
  assert.ok(Buffer.concat(kept).equals(body));
});

test('headers that arrive in many pieces are complete', async () => {
  const sent = Array.from({ length: 12 }, (_, at) => [`x-piece-${at}`, `${at}`.repeat(1 + at * 30)] as const);
  const head = ['HTTP/1.1 200 OK\r\n', ...sent.map(([name, value]) => `${name}: ${value}\r\n`)];
  const answer = async (socket: Socket): Promise<void> => {
    for (const piece of [...head, 'content-length: 4\r\n\r\n', 'body']) {
      socket.write(piece);
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    }
    socket.end();
  };
  await using server = await openRawLoopback((socket) => void answer(socket));
  await using client = loopbackClient(server);
  const result = await client.send({
    url: new URL('http://host.test/file'),
    sink: () => ({ write: () => undefined }),
  });
  assert.equal(result.kind, 'response');
  if (result.kind === 'response')
    for (const [name, value] of sent) assert.equal(result.response.headers[name], value, name);
});
