import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';

import { HeldClock } from '../../src/testing/index.ts';
import { Simulation } from '../server/simulation.ts';
import type { FileSpec } from '../world/types.ts';
import type { Behaviour } from './behaviour.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly isWhole: boolean;
}

const clock = new HeldClock();
const simulation = await Simulation.open({
  documents: 'plain',
  parameters: { seed: 7, works: 500, hosts: 60, profile: 'hostile' },
  clock,
  latency: false,
});

after(() => simulation[Symbol.asyncDispose]());

function send(url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Answer> {
  const { hostname, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port: simulation.port,
      method,
      path: pathname + search,
      headers: { host: hostname, 'user-agent': 'Test/1 (+https://example.org)', ...headers },
    });
    sent.on('response', (response) => {
      const pieces: Buffer[] = [];
      const end = (isWhole: boolean) => (): void =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces), isWhole });
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', end(true));
      response.on('error', end(false));
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** A file of the world with this behaviour, and its bytes without faults. */
async function fileThat(wanted: Partial<Behaviour>): Promise<{ readonly file: FileSpec; readonly bytes: Buffer }> {
  for (const work of simulation.world.works())
    for (const { file } of work.locations) {
      const fits =
        file?.payload.form === 'pdf' &&
        Object.entries(wanted).every(
          ([key, value]) => (file.behaviour as unknown as Record<string, unknown>)[key] === value,
        );
      if (file && fits && simulation.run.attempts.get(file.url) === undefined)
        return { file, bytes: Buffer.from(await simulation.documents.bytes(file.payload)) };
    }
  throw new Error(`no file is ${JSON.stringify(wanted)}`);
}

test('validators allow cheap revalidation, each in its own way', async () => {
  for (const how of ['strong', 'weak', 'vary', 'expired'] as const) {
    const { file, bytes } = await fileThat({ kind: 'caching', how });
    const first = await send(file.url);
    assert.deepEqual(first.body, bytes);
    const second = await send(file.url, { 'if-none-match': first.headers.etag ?? '' });
    assert.deepEqual([second.status, second.body.length], [304, 0], how);
  }
  const { file } = await fileThat({ kind: 'caching', how: 'last-modified' });
  const first = await send(file.url);
  assert.equal(first.headers.etag, undefined);
  assert.equal((await send(file.url, { 'if-modified-since': first.headers['last-modified'] ?? '' })).status, 304);
  const unkept = await send((await fileThat({ kind: 'caching', how: 'no-store' })).file.url);
  assert.equal(unkept.headers['cache-control'], 'no-store');
});

test('a file that changes once answers a conditional request with its second version', async () => {
  const { file, bytes } = await fileThat({ kind: 'caching', how: 'changes-once' });
  const first = await send(file.url);
  assert.deepEqual(first.body, bytes);
  const second = await send(file.url, { 'if-none-match': first.headers.etag ?? '' });
  assert.equal(second.status, 200);
  assert.ok(second.body.length > bytes.length);
  assert.equal((await send(file.url, { 'if-none-match': second.headers.etag ?? '' })).status, 304);
});

test('range requests are answered correctly, ignored, or answered wrongly, depending on the file', async () => {
  const ask = async (
    how: 'good' | 'ignored' | 'if-range-mismatch' | 'wrong-range' | 'at-end',
  ): Promise<readonly [Answer, Buffer]> => {
    const { file, bytes } = await fileThat({ kind: 'range', how });
    const { headers } = await send(file.url);
    return [await send(file.url, { range: 'bytes=100-', 'if-range': headers.etag ?? '' }), bytes];
  };
  const [good, bytes] = await ask('good');
  assert.equal(good.status, 206);
  assert.equal(good.headers['content-range'], `bytes 100-${bytes.length - 1}/${bytes.length}`);
  assert.deepEqual(good.body, bytes.subarray(100));
  assert.equal((await ask('ignored'))[0].status, 200);
  assert.equal((await ask('if-range-mismatch'))[0].status, 200);
  const [wrong] = await ask('wrong-range');
  assert.deepEqual([wrong.status, wrong.headers['content-range']?.startsWith('bytes 0-')], [206, true]);
  const [end, total] = await ask('at-end');
  assert.deepEqual([end.status, end.headers['content-range']], [416, `bytes */${total.length}`]);
});

test('a truncated file can be resumed where it ended', async () => {
  for (const how of ['short', 'chunked'] as const) {
    const { file, bytes } = await fileThat({ kind: 'truncated', how, times: 1 });
    const first = await send(file.url);
    assert.equal(first.isWhole, false);
    assert.ok(first.body.length < bytes.length);
    const rest = await send(file.url, { range: `bytes=${first.body.length}-`, 'if-range': first.headers.etag ?? '' });
    assert.deepEqual(Buffer.concat([first.body, rest.body]), bytes);
  }
});

test('Retry-After is sent in every format', async () => {
  const value = async (
    retryAfter: 'seconds' | 'date' | 'none' | 'absurd' | 'negative' | 'garbage',
  ): Promise<string | undefined> => {
    const answer = await send((await fileThat({ kind: 'throttled', retryAfter })).file.url);
    assert.equal(answer.status, 429);
    if (retryAfter === 'date')
      assert.equal(Date.parse(answer.headers['retry-after'] ?? '') - Date.parse(answer.headers.date ?? ''), 2_000);
    return answer.headers['retry-after'];
  };
  assert.equal(await value('seconds'), '2');
  assert.match((await value('date')) ?? '', /GMT$/);
  assert.equal(await value('none'), undefined);
  assert.equal(await value('absurd'), '86400');
  assert.equal(await value('negative'), '-5');
  assert.equal(await value('garbage'), 'soon');
});

test('codings, types and names are as odd as configured', async () => {
  const encoded = await fileThat({ kind: 'gzip', how: 'encoded' });
  const answer = await send(encoded.file.url);
  assert.equal(answer.headers['content-encoding'], 'gzip');
  assert.deepEqual(gunzipSync(answer.body), encoded.bytes);
  const double = await fileThat({ kind: 'gzip', how: 'double' });
  assert.deepEqual(gunzipSync(gunzipSync((await send(double.file.url)).body)), double.bytes);
  const kept = await fileThat({ kind: 'gzip', how: 'file' });
  const file = await send(kept.file.url);
  assert.deepEqual([file.headers['content-type'], file.headers['content-encoding']], ['application/gzip', undefined]);
  assert.deepEqual(gunzipSync(file.body), kept.bytes);
  const junk = await send((await fileThat({ kind: 'typed', junkBytes: 300 })).file.url);
  assert.equal(junk.body.indexOf('%PDF-'), 300);
  assert.equal(
    (await send((await fileThat({ kind: 'typed', contentType: '' })).file.url)).headers['content-type'],
    undefined,
  );
  assert.match(
    (await send((await fileThat({ kind: 'filename', how: 'traversal' })).file.url)).headers['content-disposition'] ??
      '',
    /\.\.\/\.\.\//,
  );
});

test('HEAD is rejected or wrong while GET works', async () => {
  for (const how of ['405', '404', 'lies'] as const) {
    const { file, bytes } = await fileThat({ kind: 'head', how });
    const head = await send(file.url, {}, 'HEAD');
    assert.equal(head.status, how === 'lies' ? 200 : Number(how));
    if (how === 'lies') assert.equal(head.headers['content-length'], '17');
    assert.deepEqual((await send(file.url)).body, bytes);
  }
});

test('a dead host, a reset and a truncation behave as named', async () => {
  await assert.rejects(send((await fileThat({ kind: 'dead' })).file.url));
  await assert.rejects(send((await fileThat({ kind: 'flaky', how: 'reset' })).file.url));
  const cut = await fileThat({ kind: 'cut', how: 'no-eof' });
  const answer = await send(cut.file.url);
  assert.ok(answer.isWhole && !answer.body.includes('%%EOF'), 'the length is right, the end is missing');
});
