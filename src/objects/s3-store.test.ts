import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { AwsV4Signer } from 'aws4fetch';

import { S3_SETTINGS } from '../../test/support/object-settings.ts';
import type { Clock } from '../base/index.ts';
import { sha256, systemClock } from '../base/index.ts';
import { describeObjectStore } from '../testing/index.ts';
import type { ObjectStore } from './index.ts';
import { openObjects } from './index.ts';
import { keyOf } from './folder-store.ts';

/** A clock that skips waits, and records them; limits on time, which are longer, stay. */
function impatientClock(waits: number[]): Clock {
  let skippedMs = 0;
  return {
    now: () => systemClock.now() + skippedMs,
    monotonic: () => systemClock.monotonic() + skippedMs,
    setTimer: (delayMs, fire) => {
      if (delayMs > 50_000) return systemClock.setTimer(delayMs, fire);
      waits.push(delayMs);
      return systemClock.setTimer(0, () => {
        skippedMs += delayMs;
        fire();
      });
    },
  };
}

interface S3Server {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
}

const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as new (options: object) => S3Server;

describeObjectStore('an s3rver bucket', async () => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-objects-'));
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: join(folder.path, 'server'),
    configureBuckets: [{ name: 'papers' }],
  });
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  const store = openObjects(
    { ...S3_SETTINGS, url: 's3://papers/some/prefix', endpoint },
    { clock: impatientClock([]), state: folder.path },
  );
  return {
    store,
    spoil: async ({ sha256: hash }, bytes) => {
      const path = join(folder.path, 'server', 'papers', 'some', 'prefix', `${keyOf(hash)}._S3rver_object`);
      writeFileSync(path, bytes);
    },
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await folder[Symbol.asyncDispose]();
    },
  };
});

type Answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

/** An S3 server with the given responses. */
async function openFaulty(answer: Answer): Promise<AsyncDisposable & { readonly endpoint: string }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks)));
    request.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function withFaulty(
  answer: Answer,
  use: (store: ObjectStore, folder: string, waits: number[]) => Promise<void>,
): Promise<void> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-objects-'));
  await using server = await openFaulty(answer);
  const waits: number[] = [];
  const store = openObjects(
    { ...S3_SETTINGS, secret_access_key: 'very-secret-key', url: 's3://bucket', endpoint: server.endpoint },
    { clock: impatientClock(waits), state: folder.path },
  );
  await use(store, folder.path, waits);
}

const bytes = randomBytes(300_000);

const object = { sha256: sha256(bytes), bytes: bytes.length };

test('a Retry-After of the store is obeyed, and the upload succeeds', async () => {
  let refusals = 4;
  let held: Buffer | undefined;
  await withFaulty(
    (request, response, body) => {
      if (refusals > 0) {
        refusals -= 1;
        response.writeHead(503, { 'retry-after': '7' }).end('<Error><Code>SlowDown</Code></Error>');
      } else if (request.method === 'PUT') {
        held = body;
        response.end();
      } else response.writeHead(held ? 200 : 404, { 'content-length': held?.length ?? 0 }).end();
    },
    async (store, folder, waits) => {
      writeFileSync(join(folder, 'from'), bytes);
      await store.put(join(folder, 'from'), object);
      assert.ok(held?.equals(bytes));
      const obeyed = waits.filter((wait) => wait > 6_000);
      assert.ok(obeyed.length >= 4 && Math.max(...waits) < 7_001, waits.join(' '));
    },
  );
});

test('an unreachable store is retried with growing delays, then reported with its address', async () => {
  await withFaulty(
    (_, response) => void response.socket?.destroy(),
    async (store, _folder, waits) => {
      await assert.rejects(store.head(object.sha256), {
        code: 'OBJECT_STORE_AWAY',
        message: /127\.0\.0\.1.* does not answer/,
      });
      assert.equal(waits.length, 7);
      assert.ok((waits.at(-1) ?? 0) > 4_000);
    },
  );
});

test('a truncated download is resumed, or restarted if the server has no ranges', async () => {
  for (const hasRanges of [true, false]) {
    let requests = 0;
    await withFaulty(
      (request, response) => {
        requests += 1;
        const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
        const rest = hasRanges ? bytes.subarray(from) : bytes;
        response.writeHead(hasRanges && from > 0 ? 206 : 200, { 'content-length': rest.length });
        if (requests < 3) response.write(rest.subarray(0, 100_000), () => response.socket?.destroy());
        else response.end(rest);
      },
      async (store, folder) => {
        await store.get(object, join(folder, 'to'));
        assert.ok(readFileSync(join(folder, 'to')).equals(bytes));
        assert.equal(requests, 3);
      },
    );
  }
});

test('an incomplete upload and a download with wrong bytes are reported as damaged', async () => {
  await withFaulty(
    (request, response) => response.writeHead(200, { 'content-length': request.method === 'HEAD' ? 150_000 : 0 }).end(),
    async (store, folder) => {
      writeFileSync(join(folder, 'from'), bytes);
      await assert.rejects(store.put(join(folder, 'from'), object), { code: 'OBJECT_DAMAGED' });
    },
  );
  await withFaulty(
    (_, response) => response.end(Buffer.alloc(bytes.length)),
    async (store, folder) => {
      await assert.rejects(store.get(object, join(folder, 'to')), { code: 'OBJECT_DAMAGED' });
      assert.deepEqual(readdirSync(folder), []);
    },
  );
});

test('an upload confirmed by its MD5 needs no second request', async () => {
  const methods: string[] = [];
  await withFaulty(
    (request, response, body) => {
      methods.push(request.method ?? '');
      response.writeHead(200, { etag: `"${hash('md5', body)}"` }).end();
    },
    async (store, folder) => {
      writeFileSync(join(folder, 'from'), bytes);
      await store.put(join(folder, 'from'), object);
      assert.deepEqual(methods, ['PUT']);
    },
  );
});

test('requests are signed exactly as aws4fetch signs them', async () => {
  const wrong: string[] = [];
  await using server = await openFaulty((request, response) => {
    const given = request.headers as Readonly<Record<'host' | 'authorization' | `x-amz-${string}`, string>>;
    const token = given['x-amz-security-token'];
    const signer = new AwsV4Signer({
      method: request.method ?? '',
      url: `http://${given.host}${request.url}`,
      headers: { 'x-amz-content-sha256': given['x-amz-content-sha256'] },
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
      ...(token && { sessionToken: token }),
      service: 's3',
      region: S3_SETTINGS.region,
      datetime: given['x-amz-date'] ?? '',
    });
    void signer.sign().then(({ headers }) => {
      if (headers.get('authorization') !== given.authorization) wrong.push(`${request.method} ${request.url}`);
      const isList = request.url?.includes('list-type') && !request.url.includes('continuation-token');
      response.end(
        isList ? "<IsTruncated>true</IsTruncated><NextContinuationToken>a+b/c= *'()~é</NextContinuationToken>" : '',
      );
    });
  });
  for (const token of ['', 'a session'])
    for (const url of ['s3://bucket', "s3://bucket/a prefix/of (some) 100 % 'é'*+!"]) {
      const settings = { ...S3_SETTINGS, session_token: token, url, endpoint: server.endpoint };
      const store = openObjects(settings, { clock: impatientClock([]), state: tmpdir() });
      assert.equal(await store.head(object.sha256), 0);
      await store.claim('someone');
      for await (const each of store.list()) assert.fail(each.sha256);
    }
  assert.deepEqual(wrong, []);
});

test('a machine with a wrong clock signs with the time of the store', async () => {
  const hours = (request: IncomingMessage): number => Number(String(request.headers['x-amz-date']).slice(9, 11));
  for (const isSane of [true, false]) {
    const requests: number[] = [];
    await withFaulty(
      (request, response) => {
        requests.push(hours(request));
        const date = new Date(Date.now() + 5 * 3_600_000);
        const isRefused = !isSane || hours(request) !== date.getUTCHours();
        response
          .writeHead(isRefused ? 403 : 200, { date: date.toUTCString() })
          .end(isRefused && '<Error><Code>RequestTimeTooSkewed</Code></Error>');
      },
      async (store) => {
        const listed = Array.fromAsync(store.list());
        if (isSane) assert.deepEqual(await listed, []);
        else await assert.rejects(listed, { code: 'OBJECT_STORE_DENIED', hint: 'the clock of this machine is wrong' });
        assert.equal(requests.length, 2);
      },
    );
  }
});

test('a small response that is truncated is requested again', async () => {
  let requests = 0;
  await withFaulty(
    (_request, response) => {
      requests += 1;
      const isWhole = requests > 2;
      response.writeHead(200, { 'content-length': 10 });
      if (isWhole) response.end('the fleet\n');
      else response.write('the', () => response.destroy());
    },
    async (store) => {
      assert.equal(await store.owner(), 'the fleet');
      assert.equal(requests, 3);
    },
  );
});

test('the age of an object is measured by the clock of the store', async () => {
  const stored = (hours: number): string => new Date(Date.UTC(2030, 0, 2) - hours * 3_600_000).toISOString();
  const entry = (text: string, hours: number): string =>
    `<Contents><Key>${sha256(text).slice(0, 2)}/${sha256(text)}</Key><LastModified>${stored(hours)}</LastModified><Size>1</Size></Contents>`;
  await withFaulty(
    (_request, response) => {
      response.writeHead(200, { date: 'Wed, 02 Jan 2030 00:00:00 GMT' }).end(entry('a', 1) + entry('b', 30));
    },
    async (store) => {
      const ages = (await Array.fromAsync(store.list())).map(({ age }) => age / 3_600_000);
      assert.deepEqual(ages, [1, 30]);
    },
  );
});

test('an upload that is not visible at once is retried, and fails after a few attempts', async () => {
  for (const shownAfter of [3, 99]) {
    let heads = 0;
    await withFaulty(
      (request, response) => {
        if (request.method === 'HEAD') heads += 1;
        response.writeHead(request.method === 'PUT' || heads >= shownAfter ? 200 : 404, {
          'content-length': request.method === 'HEAD' ? bytes.length : 0,
        });
        response.end();
      },
      async (store, folder) => {
        writeFileSync(join(folder, 'from'), bytes);
        const put = store.put(join(folder, 'from'), object);
        await (shownAfter === 3 ? put : assert.rejects(put, { code: 'OBJECT_DAMAGED' }));
        assert.equal(heads, shownAfter === 3 ? 3 : 4);
      },
    );
  }
});

test('an empty owner is read again, because it may be being written', async () => {
  let requests = 0;
  await withFaulty(
    (_, response) => {
      requests += 1;
      response.end(requests < 3 ? '' : 'a-fleet\n');
    },
    async (store) => assert.equal(await store.owner(), 'a-fleet'),
  );
});

test('an interrupted multipart upload is resumed, or restarted if the store has dropped it', async () => {
  const large = randomBytes(20 << 20);
  const id = { sha256: sha256(large), bytes: large.length };
  for (const isDropped of [false, true]) {
    const parts = new Map<string, Map<number, Buffer>>();
    const sent: string[] = [];
    let [uploads, isBroken] = [0, true];
    let whole: Buffer | undefined;
    await withFaulty(
      (request, response, body) => {
        const url = new URL(request.url ?? '', 'http://x');
        const upload = url.searchParams.get('uploadId') ?? '';
        const part = Number(url.searchParams.get('partNumber'));
        if (url.searchParams.has('uploads')) {
          uploads += 1;
          parts.set(`u${uploads}`, new Map());
          response.end(`<R><UploadId>u${uploads}</UploadId></R>`);
        } else if (request.method === 'HEAD') {
          response.writeHead(whole ? 200 : 404, { 'content-length': whole?.length ?? 0 }).end();
        } else if (request.method === 'PUT') {
          if (isBroken && part === 2) response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
          else if (!parts.has(upload)) response.writeHead(404).end('<Error><Code>NoSuchUpload</Code></Error>');
          else {
            sent.push(`${upload} ${part}`);
            parts.get(upload)?.set(part, body);
            response.writeHead(200, { etag: `"e${part}"` }).end();
          }
        } else {
          const numbers = [...body.toString().matchAll(/<PartNumber>(\d+)/g)].map(([, number]) => Number(number));
          whole = Buffer.concat(numbers.map((number) => parts.get(upload)?.get(number) ?? Buffer.alloc(0)));
          response.end('<CompleteMultipartUploadResult/>');
        }
      },
      async (store, folder) => {
        const from = join(folder, 'from');
        writeFileSync(from, large);
        await assert.rejects(store.put(from, id), { code: 'OBJECT_STORE_DENIED' });
        isBroken = false;
        if (isDropped) parts.clear();
        await store.put(from, id);
        assert.ok(whole?.equals(large));
        assert.deepEqual(sent, ['u1 1', ...(isDropped ? ['u2 1', 'u2 2', 'u2 3'] : ['u1 2', 'u1 3'])]);
        assert.deepEqual(readdirSync(join(folder, 'uploads')), []);
        rmSync(from);
      },
    );
  }
});

test('credentials are in no message, inspection or JSON, even if a server repeats them', async () => {
  await withFaulty(
    (_, response) => response.writeHead(403).end('<Error><Message>very-secret-key is wrong</Message></Error>'),
    async (store, folder) => {
      writeFileSync(join(folder, 'from'), bytes);
      await assert.rejects(store.put(join(folder, 'from'), object), (error: Error) => {
        assert.doesNotMatch(inspect(error, { depth: 10 }), /very-secret/);
        return 'code' in error && error.code === 'OBJECT_STORE_DENIED';
      });
      assert.doesNotMatch(inspect(store, { depth: 10, showHidden: true }) + JSON.stringify(store), /very-secret/);
    },
  );
});

test('a bucket is claimed on the condition that it has no owner, where the store knows conditions', async () => {
  for (const answer of [412, 409, 200, 501, 400]) {
    const puts: (string | undefined)[] = [];
    await withFaulty(
      (request, response) => {
        if (request.method === 'GET') return void response.writeHead(404).end('<Code>NoSuchKey</Code>');
        puts.push(request.headers['if-none-match']);
        response.writeHead(puts.length === 1 ? answer : 200).end();
      },
      (store) => store.claim('a fleet'),
    );
    assert.deepEqual(puts, answer === 501 || answer === 400 ? ['*', undefined] : ['*'], String(answer));
  }
});
