import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { truncateSync } from 'node:fs';
import { mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import type { CorpusServer } from '../../src/serve/index.ts';
import { ask, openSmallServer, TOKEN, writeSmallRun } from './small-run.ts';

let folder: Awaited<ReturnType<typeof mkdtempDisposable>>;
let server: CorpusServer;

before(async () => {
  folder = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(folder.path);
  server = await openSmallServer(folder.path);
});

after(async () => {
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** The status and code for a raw request, as a browser or an attacker would send it. */
async function raw(
  path: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<{ readonly status: number | undefined; readonly code: string }> {
  const asked = request({ port: server.port, host: '127.0.0.1', path, method, headers });
  asked.end();
  const [answer] = (await once(asked, 'response')) as [NodeJS.ReadableStream & { statusCode?: number }];
  const body = Buffer.concat(await Array.fromAsync(answer as AsyncIterable<Buffer>)).toString();
  const code = body.startsWith('{') ? ((JSON.parse(body) as { code?: string }).code ?? '') : '';
  return { status: answer.statusCode, code };
}

const bearer = { authorization: `Bearer ${TOKEN}` };

test('requests with a foreign host, a foreign origin or without the token are rejected', async () => {
  const works = '/api/v1/runs/small/works';
  for (const host of ['evil.example', `evil.example:${server.port}`, '169.254.169.254', 'localhost.evil.example'])
    assert.deepEqual(await raw(works, { ...bearer, host }), { status: 403, code: 'FOREIGN_HOST' }, host);
  const host = `127.0.0.1:${server.port}`;
  for (const origin of ['http://evil.example', 'null', 'http://127.0.0.1:1', `http://localhost:${server.port}`])
    assert.deepEqual(await raw(works, { ...bearer, host, origin }), { status: 403, code: 'FOREIGN_ORIGIN' }, origin);
  assert.equal((await raw(works, { ...bearer, host, 'sec-fetch-site': 'cross-site' })).code, 'FOREIGN_ORIGIN');
  assert.equal((await raw(works, { ...bearer, host, origin: `http://${host}` })).status, 200);
  for (const wrong of [undefined, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, `Basic ${TOKEN}`, 'Bearer ']) {
    const shown = wrong === undefined ? {} : { authorization: wrong };
    for (const path of [works, '/metrics', '/', '/now', '/mcp', `${works}?token=${TOKEN}`])
      assert.deepEqual(await raw(path, { host, ...shown }), { status: 401, code: 'TOKEN_WANTED' }, path);
  }
  assert.equal((await raw('/healthz', { host })).status, 200);
});

test('a server that listens on all addresses accepts IP addresses, not rebound names', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(scratch.path);
  await using wide = await openSmallServer(scratch.path, { host: '0.0.0.0', names: ['proxy.example'] });
  const statusOf = async (host: string): Promise<number | undefined> => {
    const asked = request({ port: wide.port, host: '127.0.0.1', path: '/healthz', headers: { host } });
    asked.end();
    const [answer] = (await once(asked, 'response')) as [NodeJS.ReadableStream & { statusCode?: number }];
    answer.resume();
    return answer.statusCode;
  };
  for (const host of ['evil.example', `evil.example:${wide.port}`, '192.0.2.7.evil.example', 'proxy.example.evil'])
    assert.equal(await statusOf(host), 403, host);
  for (const host of ['192.0.2.7', `192.0.2.7:${wide.port}`, '[2001:db8::1]:80', 'proxy.example', 'localhost'])
    assert.equal(await statusOf(host), 200, host);
});

test('a request with two Host headers is rejected, whichever is ours', async () => {
  for (const hosts of [
    ['localhost', 'evil.example'],
    ['evil.example', 'localhost'],
    ['localhost', 'localhost'],
  ]) {
    const socket = connect(server.port, '127.0.0.1');
    const lines = [...hosts.map((host) => `Host: ${host}`), `Authorization: Bearer ${TOKEN}`, 'Connection: close'];
    socket.write(`GET /api/v1/ HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    const answer = Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>)).toString();
    assert.match(answer, /^HTTP\/1\.1 400 /, hosts.join());
    assert.doesNotMatch(answer, /"runs"/, hosts.join());
  }
});

test('four files are sent concurrently; a fifth gets Retry-After, and a finished one frees a slot', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(scratch.path);
  // Larger than both socket buffers, so that a client that does not read keeps its download open.
  truncateSync(join(scratch.path, 'PDF', 'W0.pdf'), 64_000_000);
  await using small = await openSmallServer(scratch.path);
  const file = '/api/v1/runs/small/documents/W0/file';
  const open = await Promise.all(Array.from({ length: 4 }, () => ask(small, file)));
  assert.deepEqual(
    open.map(({ status }) => status),
    [200, 200, 200, 200],
  );
  const fifth = await ask(small, file);
  assert.deepEqual([fifth.status, fifth.headers.get('retry-after')], [503, '5']);
  assert.equal(((await fifth.json()) as { code: string }).code, 'TOO_BUSY');
  assert.equal((await ask(small, '/api/v1/runs/small/works')).status, 200, 'other requests are still answered');
  assert.equal((await open[0]?.arrayBuffer())?.byteLength, 64_000_000);
  const next = await ask(small, file);
  assert.equal(next.status, 200);
  for (const response of [...open.slice(1), next]) await response.body?.cancel();
});

test('every request on a connection needs the token, not only the first', async () => {
  const socket = connect(server.port, '127.0.0.1');
  const statuses: string[] = [];
  for (const authorization of [
    `Bearer ${TOKEN}`,
    `bearer ${TOKEN}`,
    `Bearer ${TOKEN}x`,
    'Bearer x',
    `Bearer ${TOKEN}`,
  ]) {
    socket.write(`HEAD /api/v1/runs/small HTTP/1.1\r\nhost: localhost\r\nauthorization: ${authorization}\r\n\r\n`);
    const [head] = (await once(socket, 'data')) as [Buffer];
    statuses.push(head.toString().slice(9, 12));
  }
  socket.destroy();
  assert.deepEqual(statuses, ['200', '200', '401', '401', '200']);
});

test('the link sets a cookie that scripts cannot read, and the token is removed from the URL', async () => {
  const redirected = await fetch(`${server.url}works?token=${TOKEN}&run=small`, { redirect: 'manual' });
  assert.equal(redirected.status, 303);
  assert.equal(redirected.headers.get('location'), '/works?run=small');
  const cookie = redirected.headers.get('set-cookie') ?? '';
  assert.match(cookie, /^docstokg-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict/);
  assert.doesNotMatch(cookie, new RegExp(TOKEN));
  const page = await fetch(`${server.url}works`, { headers: { cookie: cookie.split(';', 1)[0] ?? '' } });
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self'; style-src 'self'/);
  const html = await page.text();
  assert.doesNotMatch(html, /<script(?![^>]* src=)|\sstyle=|<style|\son\w+=/);
  const wrong = await fetch(`${server.url}works?token=${TOKEN}x`, { redirect: 'manual' });
  assert.equal(wrong.status, 401);
});

test('a person gets a problem as a page that runs nothing, a program as JSON', async () => {
  const asPerson = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };
  const page = await fetch(`${server.url}works`, asPerson);
  assert.deepEqual([page.status, page.headers.get('content-type')], [401, 'text/html; charset=utf-8']);
  assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'sha256-/);
  const unknown = await fetch(`${server.url}<img src=x>`, { headers: { ...asPerson.headers, ...bearer } });
  assert.equal(unknown.status, 404);
  for (const text of [await page.text(), await unknown.text()]) assert.doesNotMatch(text, /<script|<img|\son\w+=/);
  const api = await fetch(`${server.url}api/v1/`, asPerson);
  assert.deepEqual([api.status, api.headers.get('content-type')], [401, 'application/problem+json']);
});

test('a path, a work or a document is never used as a file name', async () => {
  const tricks = [
    '../../../etc/passwd',
    '..',
    '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '..%2f..%2frun.json',
    '%00',
    'W0%00.pdf',
    'W0/../W0',
    '%2fetc%2fpasswd',
    '....//',
    '..%5c..%5cW0',
    '%',
    '%zz',
  ];
  for (const trick of tricks) {
    for (const path of [
      `/${trick}`,
      `/assets/${trick}`,
      `/api/v1/${trick}`,
      `/api/v1/runs/${trick}`,
      `/api/v1/runs/small/works/${trick}`,
      `/api/v1/runs/small/documents/${trick}`,
      `/api/v1/runs/small/documents/${trick}/file`,
      `/api/v1/runs/small/documents/${trick}/pages/1.png`,
    ]) {
      const { status } = await raw(path, { ...bearer, host: 'localhost' });
      assert.ok(status === 404 || status === 400, `${path}: ${status}`);
    }
  }
  assert.equal((await raw(`http://127.0.0.1/api/v1/`, { ...bearer, host: 'localhost' })).status, 400);
  assert.equal((await ask(server, '/api/v1/runs/small/documents/W0/file')).status, 200);
});

test('the error for a damaged file names the file without its folder', async () => {
  const [name = ''] = (await readdir(join(folder.path, 'Data', 'DocTagsFiles'))).filter((each) =>
    each.endsWith('.jsonl'),
  );
  const path = join(folder.path, 'Data', 'DocTagsFiles', name);
  const whole = await readFile(path);
  await writeFile(path, '{"kind":');
  try {
    const answer = await fetch(`${server.url}api/v1/runs/small/documents/${name.replace('.jsonl', '')}`, {
      headers: bearer,
    });
    const body = await answer.text();
    assert.equal(answer.status, 500);
    assert.ok(body.includes(name) && !body.includes(folder.path), body);
  } finally {
    await writeFile(path, whole);
  }
});

test('a read-only server rejects control requests', async () => {
  const headers = { 'content-type': 'application/json' };
  for (const [path, body] of [
    ['pause', { scope: 'host', name: 'a.example' }],
    ['resume', { scope: 'all' }],
    ['retry', { error_code: 'HTTP_404' }],
  ] as const) {
    const answer = await ask(server, `/api/v1/control/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    assert.equal(answer.status, 403);
    assert.equal(((await answer.json()) as { code: string }).code, 'STEERING_OFF');
  }
  const stats = (await (await ask(server, '/api/v1/queue')).json()) as {
    pauses: unknown[];
    error: number;
  };
  assert.deepEqual([stats.pauses, stats.error], [[], 1]);
});

test('a body of a gigabyte is rejected before it is read, with and without Content-Length', async () => {
  const headers = { ...bearer, 'content-type': 'application/json', host: 'localhost' };
  const declared = connect(server.port, '127.0.0.1');
  declared.write(
    `POST /api/v1/control/pause HTTP/1.1\r\n${Object.entries({ ...headers, 'content-length': '1000000000' })
      .map(([name, value]) => `${name}: ${value}`)
      .join('\r\n')}\r\n\r\n`,
  );
  const [first] = (await once(declared, 'data')) as [Buffer];
  assert.match(first.toString(), /^HTTP\/1\.1 413 .*\r\n/);
  await once(declared, 'close');
  const chunked = request({
    port: server.port,
    host: '127.0.0.1',
    path: '/api/v1/control/pause',
    method: 'POST',
    headers,
  });
  const answered = once(chunked, 'response') as Promise<[{ statusCode?: number }]>;
  let written = 0;
  const piece = Buffer.alloc(64 * 1024, 0x20);
  chunked.on('error', () => undefined);
  const push = (): void => {
    while (written < 1_000_000_000 && !chunked.destroyed) {
      written += piece.length;
      if (!chunked.write(piece)) {
        chunked.once('drain', push);
        return;
      }
    }
  };
  push();
  const [{ statusCode }] = await answered;
  assert.equal(statusCode, 413);
  chunked.destroy();
  assert.ok(written < 50_000_000, `${written} bytes were accepted`);
});
