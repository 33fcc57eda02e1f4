import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

import { rawAnswer, reasonOf, url } from '../../test/support/raw-answer.ts';
import { HeldClock, loopbackClient, openRawLoopback } from '../testing/index.ts';

test('a body shorter than its Content-Length is truncated', async () => {
  const result = await rawAnswer('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this');
  assert.equal(reasonOf(result), 'truncated');
  const closing = await rawAnswer('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 100\r\n\r\nonly this');
  assert.equal(reasonOf(closing), 'truncated');
});

test('a chunked body without its last chunk is truncated, even with Connection: close', async () => {
  for (const connection of ['keep-alive', 'close']) {
    const head = `HTTP/1.1 200 OK\r\nconnection: ${connection}\r\ntransfer-encoding: chunked\r\n\r\n`;
    assert.equal(reasonOf(await rawAnswer(`${head}5\r\nhello\r\n`)), 'truncated', connection);
    assert.equal(reasonOf(await rawAnswer(`${head}5\r\nhel`)), 'truncated', connection);
  }
});

test('a body without a length ends with the connection', async () => {
  const result = await rawAnswer('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nall of it');
  assert.equal(result.kind === 'response' && result.response.body.toString(), 'all of it');
});

test('bytes beyond the Content-Length never reach the next request', async () => {
  let requests = 0;
  await using server = await openRawLoopback((socket) => {
    requests += 1;
    socket.write(
      requests === 1
        ? 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nstray'
        : 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecond',
    );
  });
  await using client = loopbackClient(server);
  const first = await client.send({ url });
  const second = await client.send({ url });
  assert.equal(first.kind === 'response' && first.response.body.toString(), 'ok');
  assert.equal(second.kind === 'response' ? second.response.body.toString() : 'refused', 'second');
});

test('an unrequested response is never used for the next request, however late it arrives', async () => {
  const lastPath = new Map<Socket, string>();
  await using server = await openRawLoopback((socket, request) => {
    const [, path = ''] = request.split(' ');
    const answer = (body: string): string => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    // The worst moment: the next request has been sent, and its response follows.
    const before = lastPath.get(socket);
    lastPath.set(socket, path);
    socket.write((before === undefined ? '' : answer(`again ${before}`)) + answer(path));
  });
  await using client = loopbackClient(server);
  for (const sink of [true, false]) {
    for (let at = 0; at < 20; at += 1) {
      const chunks: Buffer[] = [];
      const result = await client.send({
        url: new URL(`http://host.test/${at}`),
        ...(sink && { sink: () => ({ write: (chunk: Buffer) => void chunks.push(chunk) }) }),
      });
      assert.equal(result.kind, 'response');
      const body = sink ? Buffer.concat(chunks) : result.kind === 'response' ? result.response.body : '';
      assert.equal(body.toString(), `/${at}`);
    }
  }
});

for (const perSecond of [50, 100]) {
  test(`unrequested responses at ${perSecond} requests per second: no wrong byte, for documents and services`, async () => {
    const clock = new HeldClock();
    let [answers, strays] = [0, 0];
    await using server = await openRawLoopback((socket, request) => {
      const [, path = ''] = request.split(' ');
      const answer = (body: string): string => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
      answers += 1;
      // With its response, just after it, or during the next request: every third time, at varying moments.
      const stray = answer(`stray of ${path}`);
      if (answers % 3 !== 0) socket.write(answer(path));
      else {
        strays += 1;
        const late = (): void => void (socket.destroyed || socket.write(stray));
        if (answers % 2 === 0) socket.write(answer(path) + stray);
        else socket.write(answer(path), () => (answers % 5 === 0 ? setImmediate(late) : late()));
      }
    });
    await using client = loopbackClient(server, { clock, perHost: { perSecond, concurrency: 8 }, margin: 0 });
    const ask = async (at: number, robots: 'obey' | 'terms'): Promise<void> => {
      const path = `/${robots}/${at}`;
      const result = await client.send({ url: new URL(`http://host${at % 4}.test${path}`), robots });
      // If the connection broke, the request failed; it never gets another's response.
      if (result.kind === 'response') assert.equal(result.response.body.toString(), path);
      else assert.equal(result.kind, 'failed');
    };
    const progress = { isDone: false };
    const all = Array.from({ length: 3 * perSecond }, (_, at) => ask(at, at % 2 === 0 ? 'obey' : 'terms'));
    const done = Promise.all(all).finally(() => (progress.isDone = true));
    while (!progress.isDone) {
      for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
      await clock.advance(1000 / perSecond);
    }
    await done;
    assert.ok(strays >= perSecond / 2, `${strays} of ${answers}`);
  });
}

test('a service connection is reused until unexpected bytes arrive on it', async () => {
  let requests = 0;
  await using server = await openRawLoopback((socket) => {
    requests += 1;
    const answer = `HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n${String(requests).padStart(2, '0')}`;
    socket.write(requests === 3 ? `${answer}HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nstray` : answer);
  });
  await using client = loopbackClient(server);
  const bodies: string[] = [];
  for (let at = 0; at < 6; at += 1) {
    const result = await client.send({ url, robots: 'terms' });
    bodies.push(result.kind === 'response' ? result.response.body.toString() : result.kind);
  }
  assert.deepEqual(bodies, ['01', '02', '03', '04', '05', '06']);
  assert.equal(server.connections(), 4, 'one for the first three, one for each request after the stray response');
});

test('responses that are not HTTP are protocol errors', async () => {
  assert.equal(reasonOf(await rawAnswer('<html>no header at all</html>')), 'protocol');
  assert.equal(
    reasonOf(await rawAnswer('HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello')),
    'protocol',
  );
  assert.equal(
    reasonOf(await rawAnswer('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n')),
    'protocol',
  );
});

test('a body with an unsupported transfer coding is an error', async () => {
  for (const coding of ['xchunked', 'chunked, chunked', 'gzip, chunked', 'chunked, gzip'])
    assert.equal(
      reasonOf(await rawAnswer(`HTTP/1.1 200 OK\r\ntransfer-encoding: ${coding}\r\n\r\n5\r\nhello\r\n0\r\n\r\n`)),
      'protocol',
      coding,
    );
  const sound = await rawAnswer('HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n');
  assert.equal(sound.kind === 'response' && sound.response.body.toString(), 'hello');
});

test('a connection closed without a response is a reset', async () => {
  assert.equal(reasonOf(await rawAnswer('')), 'reset');
});

/**
 * Text that takes several reads and long decoding in every coding, so that the decoder is busy when the last chunk
 * arrives.
 */
const longText = Buffer.from(
  Array.from({ length: 30_000 }, (_, at) => ((at * 7919) ^ (at >> 3)).toString(36).repeat(20)).join(''),
);

const CODINGS = {
  gzip: gzipSync(longText),
  deflate: deflateSync(longText),
  br: brotliCompressSync(longText, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: zstdCompressSync(longText),
  identity: longText,
} as const;

const FRAMINGS = {
  'Content-Length': (body: Buffer) => [Buffer.from(`content-length: ${body.length}\r\n\r\n`), body],
  chunked: (body: Buffer) => [
    Buffer.from(`transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`),
    body,
    Buffer.from('\r\n0\r\n\r\n'),
  ],
  'the end of the connection': (body: Buffer) => [Buffer.from('connection: close\r\n\r\n'), body],
} as const;

for (const [framing, frame] of Object.entries(FRAMINGS)) {
  test(`a long body framed by ${framing} is complete if the connection ends with its last bytes`, async () => {
    for (const [coding, body] of Object.entries(CODINGS)) {
      for (const version of ['1.0', '1.1']) {
        if (version === '1.0' && framing === 'chunked') continue;
        const head = Buffer.from(`HTTP/${version} 200 OK\r\ncontent-encoding: ${coding}\r\n`);
        await using server = await openRawLoopback((socket) => void socket.end(Buffer.concat([head, ...frame(body)])));
        await using client = loopbackClient(server);
        for (const robots of ['obey', 'terms'] as const) {
          const name = `${coding} in HTTP/${version}, robots ${robots}`;
          const inMemory = await client.send({ url, robots });
          assert.equal(inMemory.kind === 'response' ? 'response' : reasonOf(inMemory), 'response', name);
          assert.ok(inMemory.kind === 'response' && inMemory.response.body.equals(longText), name);
        }
        const chunks: Buffer[] = [];
        const toSink = await client.send({
          url,
          sink: async () => {
            await new Promise(setImmediate);
            return {
              async write(chunk) {
                chunks.push(chunk);
                await new Promise(setImmediate);
              },
            };
          },
        });
        assert.equal(
          toSink.kind === 'response' ? 'response' : reasonOf(toSink),
          'response',
          `${coding} into a slow sink`,
        );
        assert.ok(Buffer.concat(chunks).equals(longText), `${coding} into a slow sink`);
      }
    }
  });

  test(`a long body framed by ${framing} that ends too early is never complete`, async () => {
    for (const [coding, body] of Object.entries(CODINGS)) {
      // Without a length or a coding, nothing says where the body ends.
      if (framing === 'the end of the connection' && coding === 'identity') continue;
      for (const missing of [1, 10, body.length >> 1]) {
        const whole = Buffer.concat([
          Buffer.from(`HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\n`),
          ...frame(body),
        ]);
        await using server = await openRawLoopback((socket) => void socket.end(whole.subarray(0, -missing)));
        await using client = loopbackClient(server);
        const result = await client.send({ url });
        // Truncation is detected by the framing, or only by the coding.
        const expected = framing === 'the end of the connection' ? 'bad-encoding' : 'truncated';
        assert.equal(reasonOf(result), expected, `${coding} without its last ${missing} bytes`);
      }
    }
  });
}

test('an empty body is complete if the connection ends while its sink is opened', async () => {
  for (const head of ['200 OK\r\ncontent-length: 0', '204 No Content']) {
    const opened = Promise.withResolvers<void>();
    await using server = await openRawLoopback((socket) => {
      socket.on('close', () => opened.resolve());
      socket.end(`HTTP/1.1 ${head}\r\n\r\n`);
    });
    await using client = loopbackClient(server);
    const sink = async (): Promise<{ write: () => void }> => {
      await opened.promise;
      return { write: () => undefined };
    };
    assert.equal((await client.send({ url, sink })).kind, 'response', head);
  }
});
