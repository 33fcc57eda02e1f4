import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { collecting, reasonOf, url } from '../../test/support/raw-answer.ts';
import { loopbackClient, openLoopback, openRawLoopback } from '../testing/index.ts';

test('a body is streamed into the sink and counted', async () => {
  const body = Buffer.alloc(300_000, 7);
  await using server = await openLoopback((_request, response) => void response.end(body));
  await using client = loopbackClient(server);
  const { request, chunks } = collecting();
  const result = await client.send(request);
  assert.equal(result.kind, 'response');
  assert.deepEqual(Buffer.concat(chunks), body);
  assert.equal(result.kind === 'response' && result.response.bodyBytes, 300_000);
  assert.equal(server.requests[0]?.headers['accept-encoding'], 'identity');
});

test('a slow sink applies backpressure and receives everything in order', async () => {
  const body = Buffer.from(Array.from({ length: 400_000 }, (_, at) => at % 251));
  for (const encoding of [undefined, 'gzip']) {
    await using packed = await openLoopback((_request, response) => {
      if (encoding) response.setHeader('content-encoding', encoding);
      response.end(encoding ? gzipSync(body) : body);
    });
    await using slow = loopbackClient(packed);
    const chunks: Buffer[] = [];
    let writing = 0;
    const result = await slow.send({
      url,
      sink: () => ({
        async write(chunk) {
          assert.equal((writing += 1), 1, 'one chunk at a time');
          await new Promise(setImmediate);
          chunks.push(chunk);
          writing -= 1;
        },
      }),
    });
    assert.equal(result.kind, 'response');
    assert.ok(Buffer.concat(chunks).equals(body));
  }
});

test('the sink is not called for responses other than 2xx, whose body is kept for the message', async () => {
  await using server = await openLoopback((_request, response) => void response.writeHead(404).end('gone'));
  await using client = loopbackClient(server);
  const result = await client.send({ url, sink: () => assert.fail('a sink for a 404') });
  assert.equal(result.kind === 'response' && result.response.status, 404);
  assert.equal(result.kind === 'response' && result.response.body.toString(), 'gone');
});

test('a sink can stop the transfer', async () => {
  await using server = await openLoopback((_request, response) => {
    response.write(Buffer.alloc(1000));
  });
  await using client = loopbackClient(server);
  const result = await client.send({ url, sink: (_head, stop) => ({ write: () => stop() }) });
  assert.equal(result.kind, 'stopped');
});

test('an error of the sink is rethrown', async () => {
  await using server = await openLoopback((_request, response) => void response.end('body'));
  await using client = loopbackClient(server);
  const full = new Error('disk full');
  await assert.rejects(
    client.send({
      url,
      sink: () => ({
        write: () => {
          throw full;
        },
      }),
    }),
    full,
  );
  await assert.rejects(client.send({ url, sink: () => ({ write: () => Promise.reject(full) }) }), full);
  await assert.rejects(client.send({ url, sink: () => Promise.reject(full) }), full);
});

test('an aborted signal ends the request and closes its connection', async () => {
  const sockets = Promise.withResolvers<Socket>();
  await using server = await openRawLoopback((socket) => sockets.resolve(socket));
  await using client = loopbackClient(server);
  const controller = new AbortController();
  const result = client.send({ url }, controller.signal);
  const socket = await sockets.promise;
  const closed = once(socket, 'close');
  controller.abort();
  await assert.rejects(result, { name: 'AbortError' });
  await closed;
});

test('a refused connection is a transient failure', async () => {
  const gone = await openLoopback(() => undefined);
  await gone[Symbol.asyncDispose]();
  await using client = loopbackClient(gone);
  const result = await client.send({ url });
  assert.equal(reasonOf(result), 'connect');
  assert.equal(result.kind === 'failed' && result.retryable, true);
});

test('a header that would split the request is rejected', async () => {
  await using server = await openLoopback((_request, response) => void response.end());
  await using client = loopbackClient(server);
  const result = await client.send({ url, headers: { referer: 'http://a/\r\nx-injected: 1' } });
  assert.equal(reasonOf(result), 'bad-url');
  assert.equal(server.requests.length, 0);
});
