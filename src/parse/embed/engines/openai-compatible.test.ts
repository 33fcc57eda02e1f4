import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { HeldClock } from '../../../testing/index.ts';
import { VectorCache, embedTexts } from '../embed-texts.ts';
import type { ServerOptions } from './openai-compatible.ts';
import { openServerEngine } from './openai-compatible.ts';

interface EmbedRequest {
  readonly texts: readonly string[];
  readonly authorization: string | undefined;
  readonly response: ServerResponse;
}

/** Responds without faults: the vector of a text is its length, three times. */
function answer({ texts, response }: EmbedRequest, leaveOut: (place: number) => boolean = () => false): void {
  const data = texts
    .map((text, index) => ({ object: 'embedding', index, embedding: [text.length, text.length, text.length] }))
    .filter(({ index }) => !leaveOut(index));
  response
    .setHeader('content-type', 'application/json')
    .end(JSON.stringify({ object: 'list', data: data.toReversed() }));
}

function fail(received: EmbedRequest, status: number, headers: Readonly<Record<string, string>> = {}): void {
  received.response.writeHead(status, headers).end(JSON.stringify({ error: { message: 'as requested' } }));
}

/** A real server on loopback; `behave` handles the n-th request after the probe for dimensions. */
async function serve(
  behave: (received: EmbedRequest, number: number) => void,
): Promise<{ url: string; requests: EmbedRequest[]; [Symbol.asyncDispose](): Promise<void> }> {
  const requests: EmbedRequest[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { input } = JSON.parse(Buffer.concat(pieces).toString('utf8')) as { input: string[] };
      const each = { texts: input, authorization: request.headers.authorization, response };
      if (input[0]?.endsWith('dimensions')) return answer(each);
      requests.push(each);
      return behave(each, requests.length);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function options(url: string, clock: HeldClock, more: Partial<ServerOptions> = {}): ServerOptions {
  return {
    url,
    model: 'test-model',
    revision: '1',
    apiKey: 'secret',
    dimensions: 0,
    batchSize: 4,
    concurrency: 2,
    timeoutMs: 10_000_000,
    retries: 3,
    retryBackoffMs: 1_000,
    longestWaitMs: 60_000,
    normalise: false,
    prefixes: { passage: '', query: '' },
    clock,
    random: () => 0.5,
    ...more,
  };
}

/** Runs the event loop until the condition is true; no time passes on the held clock. */
async function until(happened: () => boolean): Promise<void> {
  while (!happened()) await new Promise(setImmediate);
}

/** Advances the clock in small steps until the work has ended, without a request timing out. */
async function driven<T>(clock: HeldClock, work: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const finish = (): void => ended.abort();
  work.then(finish, finish);
  while (!ended.signal.aborted) await clock.advance(250);
  return work;
}

const lengths = (vectors: readonly Float32Array[]): number[] => vectors.map((vector) => vector[0] ?? -1);
const texts = ['a', 'bb', 'ccc', 'dddd'];

test('vectors are matched by index, and texts are sent in batches with the key', async () => {
  const clock = new HeldClock();
  await using server = await serve((received) => answer(received));
  await using engine = await openServerEngine(options(server.url, clock), undefined);
  assert.equal(engine.dimensions, 3);
  const { vectors, embedded } = await embedTexts([...texts, 'eeeee', 'a'], {
    engine,
    cache: undefined,
    role: 'passage',
  });
  assert.deepEqual(lengths(vectors), [1, 2, 3, 4, 5, 1]);
  assert.equal(embedded, 5);
  assert.deepEqual(
    server.requests.map((each) => each.texts.length),
    [4, 1],
  );
  assert.equal(server.requests[0]?.authorization, 'Bearer secret');
});

test('429 with Retry-After delays every request by exactly that time', async () => {
  const clock = new HeldClock();
  await using server = await serve((received, number) =>
    number === 1 ? fail(received, 429, { 'retry-after': '7' }) : answer(received),
  );
  await using engine = await openServerEngine(options(server.url, clock));
  const work = engine.embed(texts, 'passage');
  await until(() => server.requests.length === 1 && clock.pending === 2);
  const second = engine.embed(['other'], 'passage');
  await clock.advance(6_999);
  assert.equal(server.requests.length, 1);
  await clock.advance(1);
  assert.deepEqual(lengths(await work), [1, 2, 3, 4]);
  assert.deepEqual(lengths(await second), [5]);
});

test('500 and a broken connection are retried with increasing backoff', async () => {
  const clock = new HeldClock();
  const times: number[] = [];
  await using server = await serve((received, number) => {
    times.push(clock.monotonic());
    if (number === 1) fail(received, 500);
    else if (number === 2) received.response.destroy();
    else answer(received);
  });
  await using engine = await openServerEngine(options(server.url, clock));
  assert.deepEqual(lengths(await driven(clock, engine.embed(texts, 'passage'))), [1, 2, 3, 4]);
  const [first = 0, second = 0, third = 0] = times;
  assert.ok(second - first >= 500 && third - second >= 1_000, `requests came at ${times.join(', ')}`);
  assert.equal(server.requests.length, 3);
});

test('a request that times out is retried', async () => {
  const clock = new HeldClock();
  await using server = await serve((received, number) => (number === 1 ? undefined : answer(received)));
  await using engine = await openServerEngine(options(server.url, clock));
  const work = engine.embed(texts, 'passage');
  await until(() => server.requests.length === 1);
  await clock.advance(10_000_000);
  await until(() => server.requests[0]?.response.closed === true);
  assert.deepEqual(lengths(await driven(clock, work)), [1, 2, 3, 4]);
});

test('texts missing in a response, and only they, are requested again', async () => {
  const clock = new HeldClock();
  await using server = await serve((received, number) => answer(received, (place) => number === 1 && place % 2 === 1));
  await using engine = await openServerEngine(options(server.url, clock));
  assert.deepEqual(lengths(await driven(clock, engine.embed(texts, 'passage'))), [1, 2, 3, 4]);
  assert.deepEqual(server.requests[1]?.texts, ['bb', 'dddd']);
});

test('fewer vectors than texts without an index are refused', async () => {
  await using server = await serve(({ response }) => {
    response.end(JSON.stringify({ data: [{ embedding: [1, 2, 3] }] }));
  });
  await using engine = await openServerEngine(options(server.url, new HeldClock()));
  await assert.rejects(engine.embed(texts, 'passage'), { code: 'EMBED_ANSWER' });
});

test('a vector of another length ends the run at once', async () => {
  await using server = await serve(({ response }) => {
    response.end(JSON.stringify({ data: [{ index: 0, embedding: [1, 2] }] }));
  });
  await using engine = await openServerEngine(options(server.url, new HeldClock()));
  await assert.rejects(engine.embed(['a'], 'passage'), { code: 'EMBED_DIMENSIONS' });
  await assert.rejects(openServerEngine(options(server.url, new HeldClock(), { dimensions: 4 })), {
    code: 'EMBED_DIMENSIONS',
  });
});

test('a batch too large for the server is split in halves', async () => {
  await using server = await serve((received) => (received.texts.length > 1 ? fail(received, 413) : answer(received)));
  await using engine = await openServerEngine(options(server.url, new HeldClock()));
  assert.deepEqual(lengths(await engine.embed(texts, 'passage')), [1, 2, 3, 4]);
});

test('a wrong key is reported at once and never printed', async () => {
  await using server = await serve((received) => fail(received, 401));
  await using engine = await openServerEngine(options(server.url, new HeldClock()));
  await assert.rejects(engine.embed(['a'], 'passage'), (error: Error & { code: string }) => {
    assert.equal(error.code, 'EMBED_REFUSED');
    assert.doesNotMatch(`${error.message}${error.stack}`, /secret/);
    return true;
  });
  assert.equal(server.requests.length, 1);
});

test('an outage ends the run after the retries and keeps finished vectors', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'outage-'));
  try {
    using cache = new VectorCache(join(folder, 'vectors.sqlite'));
    const clock = new HeldClock();
    let down = false;
    await using server = await serve((received, number) => {
      down ||= number === 2;
      if (down) fail(received, 503);
      else answer(received);
    });
    await using engine = await openServerEngine(options(server.url, clock, { concurrency: 1 }));
    const many = Array.from({ length: 12 }, (_, at) => 'x'.repeat(at + 1));
    await assert.rejects(driven(clock, embedTexts(many, { engine, cache, role: 'passage' })), {
      code: 'EMBED_UNAVAILABLE',
    });
    assert.equal(server.requests.length, 1 + 4);
    await using healthy = await serve((received) => answer(received));
    await using again = await openServerEngine(options(healthy.url, clock));
    const { vectors, embedded } = await embedTexts(many, { engine: again, cache, role: 'passage' });
    assert.equal(embedded, 8, 'the four texts of the first batch were kept');
    assert.deepEqual(
      lengths(vectors),
      many.map(({ length }) => length),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a Retry-After above the limit ends the run with the reason', async () => {
  await using server = await serve((received) => fail(received, 429, { 'retry-after': '3600' }));
  await using engine = await openServerEngine(options(server.url, new HeldClock()));
  await assert.rejects(engine.embed(['a'], 'passage'), {
    code: 'EMBED_UNAVAILABLE',
    message: /rate-limited for 3600 s/,
  });
});

test('the first request to a server is limited to the time of one document, including retries', async (t) => {
  const clock = new HeldClock();
  const startedAt = clock.now();
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  t.after(() => (silent.closeAllConnections(), silent.close()));
  await once(silent, 'listening');
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`;
  const opening = openServerEngine(options(url, clock, { probeMs: 3_000, timeoutMs: 20_000 }));
  await assert.rejects(driven(clock, opening), {
    code: 'EMBED_UNAVAILABLE',
    message: `the embedding server at ${url}/embeddings is unavailable: no answer in 3 s`,
  });
  assert.ok(clock.now() - startedAt < 5_000);
});
