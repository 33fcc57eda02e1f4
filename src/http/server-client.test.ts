import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';

import { HeldClock, openLoopback } from '../testing/index.ts';
import { createServerClient } from './server-client.ts';

const urlOf = ({ port }: { readonly port: number }, path = '/'): URL => new URL(`http://127.0.0.1:${port}${path}`);

test('a server on a private address is reached without asking for robots.txt, on connections used again', async () => {
  await using server = await openLoopback((_request, response) => void response.end('yes'));
  await using client = createServerClient({ url: urlOf(server), timeoutMs: 10_000, retries: 0 });
  const sink = () => ({ write: () => undefined });
  for (const isStreamed of [true, true, true, false]) {
    const result = await client.send({ url: urlOf(server, '/object'), ...(isStreamed && { sink }) });
    assert.equal(result.kind === 'response' && result.response.status, 200);
  }
  assert.deepEqual(new Set(server.requests.map(({ url }) => url)), new Set(['/object']));
  assert.ok(server.connections() <= 2, 'the one before may not be free yet');
});

test('redirects end at the server, unless they are allowed; then they lead to public addresses only', async () => {
  await using other = await openLoopback((_request, response) => void response.end('secret'));
  await using server = await openLoopback(
    (_request, response) => void response.writeHead(302, { location: urlOf(other).href }).end(),
  );
  for (const [maxRedirects, reason] of [
    [0, 'max-hops'],
    [5, 'private-address'],
  ] as const) {
    await using client = createServerClient({ url: urlOf(server), timeoutMs: 10_000, retries: 0, maxRedirects });
    const result = await client.send({ url: urlOf(server) });
    assert.equal(result.kind === 'refused' && result.reason, reason);
  }
  assert.equal(other.requests.length, 0);
});

test('a response with a fault is requested again, and at last reported with the fault', async () => {
  const clock = new HeldClock();
  await using server = await openLoopback((_request, response) => void response.end('<html>'));
  await using client = createServerClient({ url: urlOf(server), timeoutMs: 10_000_000, retries: 2, clock });
  const fault = (): string => 'no JSON';
  const sent = client.send({ url: urlOf(server), method: 'POST', body: '{}', repeatable: true, fault });
  while (server.requests.length < 3) await clock.advance(250);
  const result = await sent;
  assert.ok(result.kind === 'failed');
  assert.deepEqual([result.reason, result.message, server.requests.length], ['bad-answer', 'no JSON', 3]);
});

test('a Retry-After holds every request to the server', async () => {
  const clock = new HeldClock();
  await using server = await openLoopback(({ url }, response) => {
    const isFirst = url === '/first' && server.requests.length === 1;
    response.writeHead(isFirst ? 429 : 200, isFirst ? { 'retry-after': '30' } : {}).end();
  });
  await using client = createServerClient({ url: urlOf(server), timeoutMs: 10_000_000, retries: 1, clock });
  const first = client.send({ url: urlOf(server, '/first') });
  while (client.admission.held([`127.0.0.1:${server.port}`]) === null) await new Promise(setImmediate);
  const second = client.send({ url: urlOf(server, '/second') });
  await clock.advance(29_000);
  assert.equal(server.requests.length, 1);
  await clock.advance(1_000);
  assert.deepEqual([(await first).kind, (await second).kind, server.requests.length], ['response', 'response', 3]);
});

test('the size of a large object is known from HEAD, although its body would be too large', async () => {
  const server = createServer((_request, response) => void response.writeHead(200, { 'content-length': 9e9 }).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  const url = urlOf(address);
  await using client = createServerClient({ url, timeoutMs: 10_000, retries: 0, maxBytes: 1_000 });
  const result = await client.send({ url, method: 'HEAD' });
  assert.equal(result.kind === 'response' && result.response.headers['content-length'], '9000000000');
  server.closeAllConnections();
  server.close();
});

test('a server elsewhere is reached through the proxy', async () => {
  await using proxy = await openLoopback((_request, response) => void response.end('through the proxy'));
  const url = new URL('http://embeddings.example:8000/v1');
  const through = { http: urlOf(proxy).href, https: '', no: '' };
  await using client = createServerClient({ url, timeoutMs: 10_000, retries: 0, proxy: through });
  const result = await client.send({ url });
  assert.equal(result.kind === 'response' && result.response.body.toString(), 'through the proxy');
});
