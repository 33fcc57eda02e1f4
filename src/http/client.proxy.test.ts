import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';

import { HeldClock, openRawLoopback } from '../testing/index.ts';
import { createClient } from './client.ts';
import type { HttpClientOptions } from './client.ts';

/** A proxy on loopback that responds for every host and records its requests. */
async function openProxy() {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    response.end('through the proxy');
  });
  server.on('connect', (request, socket) => {
    requests.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { requests, port, [Symbol.asyncDispose]: async () => void server.close() };
}

const OPTIONS: HttpClientOptions = { obeyRobots: false, perHost: { perSecond: Infinity }, retry: { retries: 0 } };

test('external hosts are reached through the proxy, by full URL or tunnel; no_proxy names are not', async () => {
  await using proxy = await openProxy();
  const address = `http://me:secret@127.0.0.1:${proxy.port}`;
  await using client = createClient({
    ...OPTIONS,
    proxy: { http: address, https: '', no: 'direct.example.org' },
    resolveHost: () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })),
  });
  const plain = await client.send({ url: new URL('http://papers.example.org/x.pdf') });
  assert.ok(plain.kind === 'response');
  assert.equal(plain.response.body.toString(), 'through the proxy');
  const secure = await client.send({ url: new URL('https://papers.example.org/x.pdf') });
  assert.equal(secure.kind, 'failed', 'a refused tunnel is not a response of the host');
  const direct = await client.send({ url: new URL('http://direct.example.org/x.pdf') });
  assert.equal(direct.kind, 'failed', 'the name does not resolve, and the proxy is not used');
  assert.deepEqual(proxy.requests, [
    `GET http://papers.example.org/x.pdf Basic ${Buffer.from('me:secret').toString('base64')}`,
    'CONNECT papers.example.org:443',
  ]);
});

test('a proxy that refuses a request is a failed connection, retried unless it requires a password', async () => {
  let [status, requests] = [0, 0];
  const server = createServer((_request, response) => response.writeHead(status).end(String((requests += 1))));
  server.on('connect', (_request, socket) => {
    requests += 1;
    socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const retry = { retries: 1, baseMs: 1, maxDelayMs: 1 };
  for (const [answer, path, expected] of [
    [407, 'https://a.example.org/x.pdf', 1],
    [407, 'http://b.example.org/x.pdf', 1],
    [502, 'https://c.example.org/x.pdf', 2],
  ] as const) {
    await using client = createClient({ ...OPTIONS, retry, proxy: { http: address, https: '', no: '' } });
    [status, requests] = [answer, 0];
    const result = await client.send({ url: new URL(path) });
    assert.equal(result.kind === 'failed' && result.reason, 'connect');
    assert.match(result.kind === 'failed' ? result.message : '', new RegExp(`Proxy .*${answer}`));
    assert.equal(requests, expected, path);
  }
  server.close();
});

test('a proxy that accepts connections and never opens a tunnel is not waited for', async () => {
  const clock = new HeldClock();
  const reached = Promise.withResolvers<void>();
  await using proxy = await openRawLoopback(() => reached.resolve());
  await using client = createClient({
    ...OPTIONS,
    clock,
    limits: { connectMs: 10_000 },
    proxy: { http: `http://127.0.0.1:${proxy.port}`, https: '', no: '' },
  });
  const sending = client.send({ url: new URL('https://papers.example.org/x.pdf') }, AbortSignal.timeout(20_000));
  await reached.promise;
  await clock.advance(20_000);
  const result = await sending;
  assert.equal(result.kind === 'failed' && result.reason, 'connect-timeout');
});

test('this machine and mapped names never use a proxy; private addresses stay blocked', async () => {
  await using proxy = await openProxy();
  await using near = await openProxy();
  await using client = createClient({
    ...OPTIONS,
    proxy: { http: `http://127.0.0.1:${proxy.port}`, https: '', no: '' },
    guard: { dnsMap: [{ pattern: '*.test', address: '127.0.0.1', port: near.port }] },
  });
  const mapped = await client.send({ url: new URL('http://papers.test/x.pdf') });
  assert.equal(mapped.kind, 'response');
  const secret = await client.send({ url: new URL('http://169.254.169.254/latest') });
  assert.equal(secret.kind, 'refused');
  assert.deepEqual([proxy.requests.length, near.requests.length], [0, 1]);
});
