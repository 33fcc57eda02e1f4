import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

import { collecting, reasonOf } from '../../test/support/raw-answer.ts';
import { loopbackClient, openLoopback } from '../testing/index.ts';

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
