import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { HeldClock, loopbackClient, openLoopback } from '../testing/index.ts';
import type { HttpClient, HttpRequest, HttpResponse, SqliteCacheStore as Store } from './index.ts';
import { Secret, SqliteCacheStore } from './index.ts';

type Answer = { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: string | Buffer };

/** A cached client of a server with the given responses, on a held clock. */
async function cached(
  answer: (sent: Record<string, string | string[] | undefined>) => Answer,
  run: (parts: {
    ask: (more?: Partial<HttpRequest>) => Promise<HttpResponse>;
    clock: HeldClock;
    seen: () => number;
    store: Store;
    client: HttpClient;
  }) => Promise<void>,
): Promise<void> {
  const clock = new HeldClock();
  await using server = await openLoopback((request, response) => {
    const { status = 200, headers = {}, body = 'body' } = answer(request.headers);
    response.sendDate = false;
    response
      .writeHead(status, { date: new Date(clock.now()).toUTCString(), ...headers })
      .end(status === 304 ? undefined : body);
  });
  using store = new SqliteCacheStore(':memory:', { now: () => clock.now() });
  await using client = loopbackClient(server, { clock, cache: store });
  await run({
    clock,
    store,
    client,
    seen: () => server.requests.length,
    ask: async (more = {}) => {
      const result = await client.send({ url: new URL('http://host.test/page'), ...more });
      assert.ok(result.kind === 'response', JSON.stringify(result));
      return result.response;
    },
  });
}

test('a fresh response is served from the cache until it is stale', () =>
  cached(
    () => ({ headers: { 'cache-control': 'max-age=60' } }),
    async ({ ask, clock, seen }) => {
      assert.equal((await ask()).origin, 'network');
      clock.jump(59_000);
      const again = await ask();
      assert.equal(again.origin, 'cache');
      assert.equal(again.body.toString(), 'body');
      assert.equal(seen(), 1);
      clock.jump(2000);
      assert.equal((await ask()).origin, 'network');
    },
  ));

test('a stale response is revalidated, and a 304 renews it', () =>
  cached(
    (sent) =>
      sent['if-none-match'] === '"v1"'
        ? { status: 304, headers: { 'cache-control': 'max-age=60', etag: '"v1"', 'x-new': '1' } }
        : { headers: { 'cache-control': 'max-age=10', etag: '"v1"' } },
    async ({ ask, clock, seen }) => {
      await ask();
      clock.jump(11_000);
      const renewed = await ask();
      assert.equal(renewed.origin, 'revalidated');
      assert.equal(renewed.status, 200);
      assert.equal(renewed.body.toString(), 'body');
      assert.equal(renewed.headers['x-new'], '1');
      clock.jump(50_000);
      assert.equal((await ask()).origin, 'cache');
      assert.equal(seen(), 2);
    },
  ));

test('weak validators and dates also work; a changed document replaces the old one', () => {
  let version = 1;
  return cached(
    (sent) =>
      sent['if-none-match'] === `W/"${version}"`
        ? { status: 304 }
        : {
            headers: {
              etag: `W/"${version}"`,
              'last-modified': 'Wed, 14 Jan 2026 00:00:00 GMT',
              'cache-control': 'no-cache',
            },
            body: `v${version}`,
          },
    async ({ ask }) => {
      await ask();
      assert.equal((await ask()).origin, 'revalidated');
      version = 2;
      const changed = await ask();
      assert.equal(changed.origin, 'network');
      assert.equal(changed.body.toString(), 'v2');
      assert.equal((await ask()).body.toString(), 'v2');
    },
  );
});

test('responses that must not be cached are not', async () => {
  for (const headers of [
    { 'cache-control': 'no-store, max-age=60' },
    { vary: '*', 'cache-control': 'max-age=60' },
    { expires: '0' },
  ]) {
    await cached(
      () => ({ headers }),
      async ({ ask, seen }) => {
        await ask();
        await ask();
        assert.equal(seen(), 2, JSON.stringify(headers));
      },
    );
  }
});

test('requests with different headers do not share a response', () =>
  cached(
    (sent) => ({
      headers: { vary: 'Accept, Accept-Encoding', 'cache-control': 'max-age=60' },
      body: String(sent['accept']),
    }),
    async ({ ask, seen }) => {
      assert.equal((await ask({ headers: { accept: 'a/a' } })).body.toString(), 'a/a');
      assert.equal((await ask({ headers: { Accept: 'b/b' } })).body.toString(), 'b/b');
      assert.equal((await ask({ headers: { accept: 'a/a' } })).body.toString(), 'a/a');
      assert.equal(seen(), 2);
    },
  ));

test('Age on arrival and Expires are respected', () =>
  cached(
    () => ({ headers: { 'cache-control': 'max-age=60', age: '50' } }),
    async ({ ask, clock, seen }) => {
      await ask();
      clock.jump(11_000);
      await ask();
      assert.equal(seen(), 2);
    },
  ));

test('a lookup without freshness information is cached as long as the caller says, including 404s', async () => {
  for (const status of [200, 404]) {
    await cached(
      () => ({ status }),
      async ({ ask, clock, seen }) => {
        await ask({ cacheForMs: 3_600_000 });
        clock.jump(3_500_000);
        assert.equal((await ask({ cacheForMs: 3_600_000 })).status, status);
        assert.equal(seen(), 1);
        clock.jump(200_000);
        await ask({ cacheForMs: 3_600_000 });
        assert.equal(seen(), 2);
      },
    );
  }
});

test('errors are not cached, and a failed revalidation leaves the stored response for the next', async () => {
  let failing = false;
  await cached(
    (sent) => {
      if (failing) return { status: 500 };
      return sent['if-none-match'] === '"v1"'
        ? { status: 304 }
        : { headers: { 'cache-control': 'max-age=10', etag: '"v1"' } };
    },
    async ({ ask, clock }) => {
      await ask();
      failing = true;
      clock.jump(60_000);
      assert.equal((await ask()).status, 500);
      failing = false;
      assert.equal((await ask()).origin, 'revalidated');
    },
  );
});

test('a compressed response is stored decompressed', () =>
  cached(
    () => ({ headers: { 'content-encoding': 'gzip', 'cache-control': 'max-age=60' }, body: gzipSync('plain') }),
    async ({ ask }) => {
      await ask();
      const again = await ask();
      assert.equal(again.body.toString(), 'plain');
      assert.equal(again.headers['content-encoding'], undefined);
    },
  ));

test('files, POSTs and bypassed requests do not use the cache', () =>
  cached(
    () => ({ headers: { 'cache-control': 'max-age=60' } }),
    async ({ ask, seen }) => {
      await ask({ sink: () => ({ write: () => undefined }) });
      await ask({ method: 'POST', body: '' });
      await ask({ cache: 'bypass' });
      await ask();
      assert.equal(seen(), 4);
    },
  ));

test('an unexpected 304 is a protocol error', async () => {
  await cached(
    () => ({ status: 304 }),
    async ({ client }) => {
      const result = await client.send({ url: new URL('http://host.test/') });
      assert.equal(result.kind === 'failed' && result.reason, 'protocol');
    },
  );
});

test('keys are not stored', () =>
  cached(
    () => ({ headers: { 'cache-control': 'max-age=60' } }),
    async ({ ask, store, seen }) => {
      const credentials = [
        { origin: 'http://host.test', place: 'query', name: 'api_key', secret: new Secret('s3cret') },
      ] as const;
      await ask({ credentials });
      await ask();
      assert.equal(seen(), 2, 'responses with and without a key are stored separately');
      assert.equal(store.find('http://host.test/page with api_key')?.status, 200);
    },
  ));

test('a redirect that repeats the key is stored without it', () =>
  cached(
    () => ({ status: 301, headers: { location: '/page?api_key=s3cret&x=1', 'cache-control': 'max-age=60' } }),
    async ({ client, store }) => {
      const credentials = [
        { origin: 'http://host.test', place: 'query', name: 'api_key', secret: new Secret('s3cret') },
      ] as const;
      const result = await client.send({ url: new URL('http://host.test/page'), credentials });
      assert.equal(result.kind === 'refused' && result.reason, 'redirect-loop');
      const stored = store.find('http://host.test/page with api_key');
      assert.equal(stored?.headers['location'], 'http://host.test/page?x=1');
      assert.ok(!JSON.stringify(result).includes('s3cret'));
    },
  ));

test('the store survives its process, stays within its size limit and rejects files that are not caches', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cache-'));
  try {
    const path = join(folder, 'deep', 'http.sqlite');
    let time = 1;
    const options = { now: () => (time += 1), maxBytes: 10_000 };
    const stored = { status: 200, headers: {}, requestedAt: 1, receivedAt: 2, cacheForMs: undefined };
    {
      using store = new SqliteCacheStore(path, options);
      store.save('kept', { ...stored, body: Buffer.from('x') });
    }
    using store = new SqliteCacheStore(path, options);
    assert.equal(store.find('kept')?.body.toString(), 'x');
    for (let at = 0; at < 300; at += 1) store.save(`k${at}`, { ...stored, body: Buffer.alloc(100) });
    assert.equal(store.find('k299')?.status, 200);
    assert.equal(store.find('k0'), undefined);
    const other = join(folder, 'other.txt');
    writeFileSync(other, 'this is no database, only a file of some length that must not be touched');
    const database = join(folder, 'other.sqlite');
    {
      using another = new DatabaseSync(database);
      another.exec('create table answers (key, vary); pragma user_version = 1');
    }
    for (const file of [other, database]) {
      const before = readFileSync(file);
      assert.throws(() => new SqliteCacheStore(file, options), { code: 'DATABASE_FOREIGN' });
      assert.deepEqual(readFileSync(file), before);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a damaged cache is moved aside with a message, at the start or during a run, and caching continues', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cache-'));
  try {
    const path = join(folder, 'http.sqlite');
    const warnings: string[] = [];
    const options = { now: () => 1, warn: (message: string) => void warnings.push(message) };
    const stored = { status: 200, headers: {}, requestedAt: 1, receivedAt: 2, cacheForMs: undefined };
    new SqliteCacheStore(path, options)[Symbol.dispose]();
    writeFileSync(path, readFileSync(path).fill('damage', 0, 60));
    {
      using store = new SqliteCacheStore(path, options);
      for (let at = 0; at < 50; at += 1) store.save(`k${at}`, { ...stored, body: Buffer.alloc(5_000, at) });
    }
    assert.match(warnings.join(), /http\.sqlite is damaged: it was moved to .*http\.sqlite\.damaged-1/);
    // Every page but the first is lost.
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xff, 4096));
    using store = new SqliteCacheStore(path, options);
    assert.equal(store.find('k7'), undefined);
    store.save('k7', { ...stored, body: Buffer.from('again') });
    assert.equal(store.find('k7')?.body.toString(), 'again');
    assert.equal(warnings.length, 2);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('identical concurrent requests are sent once', async () => {
  const hold = Promise.withResolvers<void>();
  await using server = await openLoopback(async (_request, response) => {
    await hold.promise;
    response.end('answer');
  });
  await using client = loopbackClient(server);
  const impatient = new AbortController();
  const url = new URL('http://host.test/lookup');
  const many = [1, 2, 3].map(() => client.send({ url }));
  const left = client.send({ url }, impatient.signal);
  const other = client.send({ url, headers: { accept: 'text/plain' } });
  impatient.abort();
  await assert.rejects(left, { name: 'AbortError' });
  hold.resolve();
  for (const result of await Promise.all(many))
    assert.equal(result.kind === 'response' && result.response.body.toString(), 'answer');
  await other;
  assert.equal(server.requests.length, 2);
});
