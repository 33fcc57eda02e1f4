import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { loopbackClient, openLoopback } from '../testing/index.ts';
import type { Credential, HttpRequest } from './index.ts';
import { CookieJar, Secret } from './index.ts';
import { withRedirects } from './redirects.ts';
import { DEFAULT_LIMITS } from './send.ts';

const KEY = 'k3y-0f-the-user';
const secret = new Secret(KEY);

test('a secret does not show its value', () => {
  const shown = [String(secret), JSON.stringify({ secret }), inspect({ secret }), secret.toString(), inspect(secret)];
  for (const text of shown) assert.ok(!text.includes(KEY), text);
  assert.equal(secret.reveal(), KEY);
  assert.equal(new Secret('k').scrub('thanks'), 'thanks', 'too short to distinguish from ordinary text');
  assert.equal(secret.scrub(`url?api_key=${KEY}&x=1`), 'url?api_key=[secret]&x=1');
});

test('redirects are followed with their chain, including relative ones', async () => {
  await using server = await openLoopback((request, response) => {
    const hop = Number(request.url.slice(1));
    if (hop === 0) response.end('there');
    else response.writeHead([301, 302, 303, 307, 308][hop % 5] ?? 302, { location: `./${hop - 1}` }).end();
  });
  await using client = loopbackClient(server);
  const result = await client.send({ url: new URL('http://a.test/10#page=2') });
  assert.ok(result.kind === 'response');
  assert.equal(result.response.url.href, 'http://a.test/0#page=2');
  assert.equal(result.response.chain.length, 10);
  const tooFar = await client.send({ url: new URL('http://a.test/11') });
  assert.equal(tooFar.kind === 'refused' && tooFar.reason, 'max-hops');
});

test('a redirect to a file name in UTF-8 is followed', async () => {
  await using server = await openLoopback((request, response) => {
    if (request.url === '/') response.writeHead(302, { location: Buffer.from('/é.pdf').toString('latin1') }).end();
    else response.end(request.url);
  });
  await using client = loopbackClient(server);
  const result = await client.send({ url: new URL('http://a.test/') });
  assert.equal(result.kind === 'response' && result.response.body.toString(), '/%C3%A9.pdf');
});

test('a request with a key does not follow a redirect from https to http', async () => {
  const requested: string[] = [];
  const send = withRedirects(DEFAULT_LIMITS)(async ({ url }) => {
    requested.push(url.href);
    const headers = { location: 'http://api.test/works' };
    const counts = { wireBytes: 0, bodyBytes: 0, chain: [], origin: 'network' } as const;
    const status = url.protocol === 'https:' ? 302 : 200;
    return { kind: 'response', response: { url, status, headers, body: Buffer.alloc(0), ...counts } };
  });
  const request: HttpRequest = { url: new URL('https://api.test/works') };
  assert.equal((await send(request)).kind, 'response');
  const credentials: Credential[] = [{ origin: 'https://api.test', place: 'header', name: 'x-key', secret }];
  const result = await send({ ...request, credentials });
  assert.equal(result.kind === 'refused' && result.reason, 'bad-redirect');
  assert.deepEqual(requested, ['https://api.test/works', 'http://api.test/works', 'https://api.test/works']);
});

test('a redirect loop is detected, unless a cookie ends it', async () => {
  await using server = await openLoopback((request, response) => {
    if (request.url === '/loop') response.writeHead(302, { location: '/pool' }).end();
    else if (request.url === '/pool') response.writeHead(302, { location: '/loop' }).end();
    else if (request.headers.cookie === 'seen=1') response.end('open');
    else response.writeHead(302, { location: '/wall', 'set-cookie': 'seen=1; Path=/' }).end();
  });
  await using client = loopbackClient(server);
  const loop = await client.send({ url: new URL('http://a.test/loop') });
  assert.equal(loop.kind === 'refused' && loop.reason, 'redirect-loop');
  const wall = await client.send({ url: new URL('http://a.test/wall'), jar: new CookieJar() });
  assert.equal(wall.kind === 'response' && wall.response.body.toString(), 'open');
  const without = await client.send({ url: new URL('http://a.test/wall') });
  assert.equal(without.kind === 'refused' && without.reason, 'redirect-loop');
});

test('redirects to other schemes or without a target are rejected', async () => {
  const targets = ['file:///etc/passwd', 'ftp://a.test/x', 'http://[', 'javascript:alert(1)'];
  await using server = await openLoopback((request, response) => {
    const location = targets[Number(request.url.slice(1))];
    response.writeHead(302, location === undefined ? {} : { location }).end();
  });
  await using client = loopbackClient(server);
  for (const at of [...targets.keys(), 99]) {
    const result = await client.send({ url: new URL(`http://a.test/${at}`) });
    assert.equal(result.kind === 'refused' && result.reason, 'bad-redirect', targets[at]);
  }
});

test('a key is sent only to its own origin, whatever the redirect says', async () => {
  await using server = await openLoopback((request, response) => {
    if (request.host === 'api.test') {
      // The server echoes the key into its redirect, as content services do.
      response
        .writeHead(302, { location: `http://evil.test/file?api_key=${KEY}&sig=1`, link: `<http://x/?k=${KEY}>` })
        .end();
    } else response.end('file');
  });
  await using client = loopbackClient(server);
  const credentials: Credential[] = [
    { origin: 'http://api.test', place: 'query', name: 'api_key', secret },
    { origin: 'http://api.test', place: 'header', name: 'Authorization', prefix: 'Bearer ', secret },
  ];
  const result = await client.send({
    url: new URL('http://api.test/works?a=1'),
    credentials,
    headers: { 'X-API-Key': 'given by hand', accept: 'application/pdf' },
  });
  assert.ok(result.kind === 'response');
  const [first, second] = server.requests;
  assert.equal(first?.url, `/works?a=1&api_key=${KEY}`);
  assert.equal(first?.headers.authorization, `Bearer ${KEY}`);
  assert.equal(second?.url, '/file?sig=1');
  assert.equal(second?.headers.authorization, undefined);
  assert.equal(second?.headers['x-api-key'], undefined);
  assert.equal(second?.headers.accept, 'application/pdf');
  assert.ok(!JSON.stringify(result).includes(KEY));
  assert.ok(!inspect(result, { depth: 9 }).includes(KEY));
});

test('a key repeated by the server in its page is not passed on', async () => {
  await using server = await openLoopback((request, response) => {
    response.writeHead(request.url.startsWith('/bad') ? 401 : 200).end(`{"message":"key ${KEY} is unknown"}`);
  });
  await using client = loopbackClient(server);
  const credentials: Credential[] = [{ origin: 'http://api.test', place: 'query', name: 'api_key', secret }];
  for (const path of ['/bad', '/good']) {
    const result = await client.send({ url: new URL(path, 'http://api.test'), credentials });
    assert.equal(
      result.kind === 'response' && result.response.body.toString(),
      '{"message":"key [secret] is unknown"}',
    );
  }
});

test('a key is sent again when a redirect returns to its origin', async () => {
  await using server = await openLoopback((request, response) => {
    if (request.url.startsWith('/start')) response.writeHead(302, { location: 'http://other.test/detour' }).end();
    else if (request.host === 'other.test') response.writeHead(302, { location: 'http://api.test/end' }).end();
    else response.end(request.url);
  });
  await using client = loopbackClient(server);
  const credentials: Credential[] = [{ origin: 'http://api.test', place: 'query', name: 'key', secret }];
  await client.send({ url: new URL('http://api.test/start'), credentials });
  assert.deepEqual(
    server.requests.map(({ host, url }) => `${host}${url}`),
    [`api.test/start?key=${KEY}`, 'other.test/detour', `api.test/end?key=${KEY}`],
  );
});

test('a POST becomes a GET where the standard requires it', async () => {
  await using server = await openLoopback((request, response) => {
    if (request.url === '/302') response.writeHead(302, { location: '/end' }).end();
    else if (request.url === '/307') response.writeHead(307, { location: '/end' }).end();
    else response.end(`${request.method} ${request.body}`);
  });
  await using client = loopbackClient(server);
  for (const [path, expected] of [
    ['/302', 'GET '],
    ['/307', 'POST {"a":1}'],
  ] as const) {
    const result = await client.send({ url: new URL(path, 'http://a.test'), method: 'POST', body: '{"a":1}' });
    assert.equal(result.kind === 'response' && result.response.body.toString(), expected);
  }
});

test('cookies return to their origin, within limits', () => {
  const jar = new CookieJar();
  const now = Date.UTC(2026, 0, 15);
  const at = (href: string): URL => new URL(href);
  jar.store('session=1; Path=/; Secure; HttpOnly', at('https://www.press.example/a/b'), now);
  jar.store('shared=2; Domain=.press.example; Path=/', at('https://www.press.example/a/b'), now);
  assert.equal(jar.header(at('https://www.press.example/x'), now), 'session=1; shared=2');
  assert.equal(jar.header(at('http://www.press.example/x'), now), 'shared=2');
  assert.equal(jar.header(at('https://idp.press.example/x'), now), 'shared=2');
  assert.equal(jar.header(at('https://press.example.evil.example/'), now), undefined);
  jar.store('stolen=3; Domain=evil.example', at('https://www.press.example/'), now);
  jar.store('wide=3; Domain=co.uk', at('https://www.press.co.uk/'), now);
  jar.store('top=3; Domain=example', at('https://www.press.example/'), now);
  jar.store('bad=\u0001', at('https://www.press.example/'), now);
  assert.equal(jar.size, 2);
  jar.store(`big=${'x'.repeat(20_000)}`, at('https://www.press.example/'), now);
  assert.equal(jar.size, 2);
  jar.store('third=3; Max-Age=60', at('https://www.press.example/'), now);
  assert.equal(jar.size, 3);
  assert.equal(jar.header(at('https://www.press.example/'), now + 61_000), 'session=1; shared=2');
  jar.store('session=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/', at('https://www.press.example/'), now);
  assert.equal(jar.header(at('https://www.press.example/'), now + 61_000), 'shared=2');
});

test('a cookie jar stays within its limits whatever a server sets', () => {
  const now = Date.UTC(2026, 0, 15);
  const jar = new CookieJar();
  for (let n = 0; n < 50; n += 1) {
    const url = new URL(`https://h${n}.press.example/p${n}/`);
    jar.store(`same=${n}`, url, now);
    jar.store(`gone${n}=; Max-Age=0`, url, now);
    jar.store(`same=${n}; Path=/q${n}; Domain=press.example`, url, now);
  }
  assert.equal(jar.size, 50);
  jar.store('wide=1; Domain=github.io', new URL('https://someone.github.io/'), now);
  assert.equal(jar.header(new URL('https://other.github.io/'), now), undefined);
});
