import assert from 'node:assert/strict';
import { test } from 'node:test';

import { collecting, rawAnswer, reasonOf, url } from '../../test/support/raw-answer.ts';
import { loopbackClient, openLoopback, openRawLoopback } from '../testing/index.ts';

test('headers are limited in bytes and lines, informational responses in number', async () => {
  const big = await rawAnswer(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(70_000)}\r\n\r\n`);
  assert.equal(reasonOf(big), 'headers-too-large');
  const many = await rawAnswer(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(101)}content-length: 0\r\n\r\n`);
  assert.equal(reasonOf(many), 'headers-too-large');
  const early = await rawAnswer(
    `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(11)}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`,
  );
  assert.equal(reasonOf(early), 'headers-too-large');
  const some = await rawAnswer(
    `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(3)}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`,
  );
  assert.equal(some.kind, 'response');
});

test('an unsolicited 100 Continue is discarded, in one piece or in many', async () => {
  const answer =
    'HTTP/1.1 100 Continue\r\nx: y\r\n\r\nHTTP/1.1 100 \r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
  for (const pieces of [[answer], [answer.slice(0, 31), answer.slice(31)], answer.split('')]) {
    await using server = await openRawLoopback((socket) => {
      const send = ([piece, ...rest]: readonly string[]): void =>
        void (piece !== undefined && socket.write(piece, () => send(rest)));
      socket.setNoDelay(true);
      send(pieces);
    });
    await using client = loopbackClient(server);
    const result = await client.send({ url });
    assert.equal(result.kind === 'response' && result.response.body.toString(), 'ok', `${pieces.length} pieces`);
  }
  const endless = await rawAnswer('HTTP/1.1 100 Continue\r\n\r\n'.repeat(50));
  assert.equal(endless.kind, 'failed');
});

test('an announced body above the limit is rejected before reading, an unannounced one at the limit', async () => {
  const announced = await rawAnswer('HTTP/1.1 200 OK\r\ncontent-length: 5000000000\r\n\r\n', {}, false);
  assert.equal(reasonOf(announced), 'body-too-large');
  assert.equal(announced.kind === 'refused' && announced.trail.response?.bodyBytes, 0);
  await using endless = await openLoopback((_request, response) => {
    const more = (): void =>
      void (response.destroyed || response.write(Buffer.alloc(65_536), () => setImmediate(more)));
    more();
  });
  await using client = loopbackClient(endless, { limits: { maxBytes: 1_000_000 } });
  const { request } = collecting();
  const result = await client.send(request);
  assert.equal(reasonOf(result), 'body-too-large');
});

test('chunk extensions count against the limit, in one chunk and in many', async () => {
  const junk = Buffer.alloc(65_536, 'x');
  const framings = {
    'one endless extension': { first: '5;', each: junk, last: '\r\nhello\r\n0\r\n\r\n' },
    'an extension in every chunk': {
      first: '',
      each: Buffer.concat([Buffer.from('1;'), junk, Buffer.from('\r\nx\r\n')]),
      last: '0\r\n\r\n',
    },
  };
  for (const [name, { first, each, last }] of Object.entries(framings)) {
    for (const robots of ['obey', 'terms'] as const) {
      let sent = 0;
      await using server = await openRawLoopback((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${first}`);
        const more = (): void => {
          if (socket.destroyed) return;
          if ((sent += each.length) < 60_000_000) socket.write(each, () => setImmediate(more));
          else socket.end(last);
        };
        more();
      });
      await using client = loopbackClient(server, { limits: { maxBytes: 1_000_000, maxMemoryBytes: 1_000_000 } });
      assert.equal(reasonOf(await client.send({ url, robots })), 'body-too-large', name);
      assert.ok(sent < 20_000_000, `${name}: ${sent} bytes were sent`);
    }
  }
});

test('limits on a reused connection apply per response, not per connection', async () => {
  await using server = await openLoopback((_request, response) => void response.end(Buffer.alloc(900_000)));
  await using client = loopbackClient(server, { limits: { maxBytes: 1_000_000, maxMemoryBytes: 1_000_000 } });
  for (let at = 0; at < 5; at += 1) assert.equal((await client.send({ url, robots: 'terms' })).kind, 'response');
  assert.ok(server.connections() < 3, `${server.connections()} connections`);
});

test('a long error page is cut, not rejected', async () => {
  await using server = await openLoopback(
    (_request, response) => void response.writeHead(500).end(Buffer.alloc(3_000_000)),
  );
  await using client = loopbackClient(server);
  const result = await client.send({ url });
  assert.equal(result.kind === 'response' && result.response.status, 500);
});
