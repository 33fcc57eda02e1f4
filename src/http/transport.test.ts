import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

import { HeldClock, loopbackClient, openLoopback, openRawLoopback } from '../testing/index.ts';
import type { HttpClient, HttpClientOptions, HttpRequest, HttpResult } from './index.ts';

const url = new URL('http://host.test/file.pdf');

/** Sends one request to a server that writes these bytes and then optionally closes. */
async function rawAnswer(bytes: string | Buffer, options: HttpClientOptions = {}, close = true): Promise<HttpResult> {
  await using server = await openRawLoopback((socket) => {
    socket.write(bytes);
    if (close) socket.end();
  });
  await using client = loopbackClient(server, options);
  return await client.send({ url });
}

function collecting(): { readonly request: HttpRequest; readonly chunks: Buffer[] } {
  const chunks: Buffer[] = [];
  return { chunks, request: { url, sink: () => ({ write: (chunk) => void chunks.push(chunk) }) } };
}

const reasonOf = (result: HttpResult): string => ('reason' in result ? result.reason : result.kind);

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

test('all content codings are decoded, at most two', async () => {
  const text = Buffer.from('the quick brown fox '.repeat(500));
  const bodies: Record<string, Buffer> = {
    gzip: gzipSync(text),
    'x-gzip': gzipSync(text),
    deflate: deflateSync(text),
    'deflate ': deflateRawSync(text),
    br: brotliCompressSync(text),
    zstd: zstdCompressSync(text),
    'gzip, gzip': gzipSync(gzipSync(text)),
    identity: text,
    none: text,
    binary: text,
    'UTF-8': text,
  };
  await using server = await openLoopback((request, response) => {
    const coding = decodeURIComponent(request.url.slice(1));
    response.writeHead(200, { 'content-encoding': coding }).end(bodies[coding] ?? text);
  });
  await using client = loopbackClient(server);
  for (const coding of Object.keys(bodies)) {
    const result = await client.send({ url: new URL(`http://host.test/${encodeURIComponent(coding)}`) });
    assert.ok(result.kind === 'response' && result.response.body.equals(text), coding);
  }
  for (const coding of ['compress', 'gzip, gzip, gzip']) {
    const result = await client.send({ url: new URL(`http://host.test/${encodeURIComponent(coding)}`) });
    assert.equal(reasonOf(result), 'unknown-encoding', coding);
  }
});

test('a body that decompresses to more than 200 times its size is rejected', async () => {
  const bomb = gzipSync(Buffer.alloc(12_000_000));
  await using server = await openLoopback(
    (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  );
  await using client = loopbackClient(server);
  const { request, chunks } = collecting();
  const result = await client.send(request);
  assert.equal(reasonOf(result), 'decompression-bomb');
  assert.ok(chunks.reduce((sum, chunk) => sum + chunk.length, 0) < bomb.length * 200 + 2_000_000);
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

test('damaged and truncated codings are reported as such', async () => {
  const packed = gzipSync(Buffer.from('a text of some length, '.repeat(100)));
  const broken = Buffer.from(packed);
  broken.fill(0xff, 12, 40);
  await using server = await openLoopback((request, response) => {
    response
      .writeHead(200, { 'content-encoding': 'gzip' })
      .end(request.url === '/cut' ? packed.subarray(0, 40) : broken);
  });
  await using client = loopbackClient(server);
  assert.equal(reasonOf(await client.send({ url: new URL('http://host.test/cut') })), 'bad-encoding');
  assert.equal(reasonOf(await client.send({ url: new URL('http://host.test/broken') })), 'bad-encoding');
});

test('a gzip file is decompressed on request, within the same limits', async () => {
  const body = Buffer.from(`%PDF-1.7 ${'text '.repeat(5000)}`);
  await using server = await openLoopback((request, response) => {
    response.end(request.url === '/bomb' ? gzipSync(Buffer.alloc(12_000_000)) : gzipSync(body));
  });
  await using client = loopbackClient(server);
  for (const [unpack, expected] of [
    [true, body],
    [false, gzipSync(body)],
  ] as const) {
    const { request, chunks } = collecting();
    assert.equal((await client.send({ ...request, unpack })).kind, 'response');
    assert.ok(Buffer.concat(chunks).equals(expected));
  }
  const { request } = collecting();
  const bomb = await client.send({ ...request, url: new URL('http://host.test/bomb'), unpack: true });
  assert.equal(reasonOf(bomb), 'decompression-bomb');
});

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
