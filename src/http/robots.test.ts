import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HeldClock, loopbackClient, openLoopback, Wire } from '../testing/index.ts';
import type { Caller, HttpClientOptions, HttpResult } from './index.ts';
import { RobotsRules } from './index.ts';

const rules = (text: string): RobotsRules => RobotsRules.parse(text, 'DocsToKG-TS');
const allows = (text: string, path: string): boolean => rules(text).allows(new URL(path, 'http://host.test'));

test('the longest matching rule wins, and of equally long ones allow', () => {
  const text = 'User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nDisallow: /tie\nAllow: /tie\n';
  assert.equal(allows(text, '/a/x'), false);
  assert.equal(allows(text, '/a/b/x'), true);
  assert.equal(allows(text, '/a/b/c/x'), false);
  assert.equal(allows(text, '/tie'), true);
  assert.equal(allows(text, '/other'), true);
});

test('wildcards and the end anchor are supported', () => {
  const text =
    'User-agent: *\nDisallow: /*.pdf$\nDisallow: /q*x*y\nDisallow: /*?download=\nAllow: /$\nDisallow: /exact$\n';
  assert.equal(allows(text, '/deep/file.pdf'), false);
  assert.equal(allows(text, '/deep/file.pdf?x=1'), true);
  assert.equal(allows(text, '/q-1-x-2-y-3'), false);
  assert.equal(allows(text, '/q-y-x'), true);
  assert.equal(allows(text, '/a?download=1'), false);
  assert.equal(allows(text, '/exact'), false);
  assert.equal(allows(text, '/exactly'), true);
  assert.equal(allows(text, '/'), true);
});

test('groups that name us are merged and replace all others, regardless of case', () => {
  const text =
    'User-agent: *\nDisallow: /\n\nuser-AGENT: other\nUser-agent: docstokg-ts/9.1\nDisallow: /x\n\nUser-agent: DOCSTOKG-TS\nDisallow: /y\n';
  assert.equal(allows(text, '/free'), true);
  assert.equal(allows(text, '/x'), false);
  assert.equal(allows(text, '/y'), false);
  assert.equal(allows('User-agent: DocsToKG-TS-evil\nDisallow: /\n', '/free'), true);
  const delays = 'User-agent: docstokg-ts\nCrawl-delay: 5\n\nUser-agent: docstokg-ts\nCrawl-delay: 2\n';
  assert.equal(rules(delays).crawlDelayMs, 5000, 'the longest delay counts');
});

test('byte order marks, all line endings, comments and unknown lines are accepted', () => {
  const text =
    '\uFEFFUser-agent: *\r\nSitemap: http://host.test/s.xml\rCrawl-delay: 2.5 # slowly\nDisallow: /no # really\r\nNonsense\nDisallow:\n';
  assert.equal(allows(text, '/no'), false);
  assert.equal(allows(text, '/yes'), true);
  assert.equal(rules(text).crawlDelayMs, 2500);
});

test('percent-encoding is normalised before comparison', () => {
  const text = 'User-agent: *\nDisallow: /%7Euser\nDisallow: /caf\u00e9\nDisallow: /a%2fb\n';
  assert.equal(allows(text, '/~user/x'), false);
  assert.equal(allows(text, '/caf%c3%a9'), false);
  assert.equal(allows(text, '/a%2Fb'), false);
  assert.equal(allows(text, '/a/b'), true);
});

test('a hostile pattern is matched in linear time', () => {
  const text = `User-agent: *\nDisallow: /${'*a'.repeat(5000)}$\n`;
  const startedAt = process.cpuUsage().user;
  assert.equal(allows(text, `/${'a'.repeat(20_000)}b`), true);
  assert.ok(process.cpuUsage().user - startedAt < 2_000_000);
});

/** Requests one page of a host with this robots.txt response. */
async function requestPage(
  robots: { readonly status?: number; readonly text?: string; readonly headers?: Record<string, string> },
  options: HttpClientOptions = {},
  path = '/page',
): Promise<{ result: HttpResult; requested: string[] }> {
  await using server = await openLoopback((request, response) => {
    if (request.url === '/robots.txt') response.writeHead(robots.status ?? 200, robots.headers).end(robots.text ?? '');
    else response.end('page');
  });
  await using client = loopbackClient(server, { obeyRobots: true, ...options });
  const result = await client.send({ url: new URL(path, 'http://host.test') });
  return { result, requested: server.requests.map(({ url }) => url) };
}

test('disallowed URLs are not requested', async () => {
  const { result, requested } = await requestPage({ text: 'User-agent: *\nDisallow: /page\n' });
  assert.equal(result.kind === 'refused' && result.reason, 'robots-disallowed');
  assert.deepEqual(requested, ['/robots.txt']);
});

test('a missing robots.txt allows, an unreadable one disallows', async () => {
  for (const status of [400, 401, 403, 404, 410]) {
    assert.equal((await requestPage({ status })).result.kind, 'response', String(status));
  }
  // The missing rest of the file may forbid anything.
  for (const status of [206, 500, 502, 503]) {
    const { result, requested } = await requestPage({ status }, { retry: { retries: 3 } });
    assert.equal(result.kind === 'refused' && result.reason, 'robots-unreachable', String(status));
    assert.deepEqual(requested, ['/robots.txt']);
  }
});

test('a lost connection to robots.txt is retried once, then the host is disallowed', async () => {
  for (const [losses, expected] of [
    [1, 'response'],
    [2, 'failed'],
  ] as const) {
    const clock = new HeldClock();
    const wire = new Wire(clock);
    let lost = 0;
    await using server = await openLoopback((request, response) => {
      if (request.url === '/robots.txt' && lost < losses) {
        lost += 1;
        response.destroy();
      } else response.end('');
    });
    await using client = loopbackClient(server, { obeyRobots: true, clock, report: wire.report });
    const { result } = await wire.settle(client.send({ url: new URL('http://host.test/page') }));
    assert.equal(result.kind, expected);
    assert.equal(server.requests.filter(({ url }) => url === '/robots.txt').length, 2);
  }
});

test('five redirects of robots.txt are followed; after more, everything is allowed', async () => {
  for (const [hops, expected] of [
    [5, 'refused'],
    [6, 'response'],
  ] as const) {
    await using server = await openLoopback((request, response) => {
      const hop = request.url === '/robots.txt' ? 0 : Number(/^\/hop(\d)/.exec(request.url)?.[1] ?? -1);
      if (hop === -1) response.end('page');
      else if (hop < hops) response.writeHead(302, { location: `http://other.test/hop${hop + 1}` }).end();
      else response.end('User-agent: *\nDisallow: /page\n');
    });
    await using client = loopbackClient(server, { obeyRobots: true });
    assert.equal((await client.send({ url: new URL('http://host.test/page') })).kind, expected, String(hops));
  }
});

test('only the first 500 KiB of a robots.txt count', async () => {
  const filler = `# ${'x'.repeat(97)}\n`.repeat(4000);
  const early = await requestPage({ text: `User-agent: *\nDisallow: /page\n${filler}${filler}` });
  assert.equal(early.result.kind, 'refused');
  const late = await requestPage({ text: `User-agent: *\nAllow: /\n${filler}${filler}Disallow: /page\n` });
  assert.equal(late.result.kind, 'response');
});

test('a robots.txt that never ends is given up after twice the time allowed for headers', async () => {
  for (const [headersMs, longestMs] of [
    [30_000, 60_000],
    [120_000, 240_000],
  ] as const) {
    const clock = new HeldClock();
    const requested = Promise.withResolvers<void>();
    await using server = await openLoopback((_request, response) => {
      response.write('User-agent: *\n');
      requested.resolve();
    });
    const limits = { headersMs, idleMs: 3_600_000, floorBytesPerSecond: 0, totalMs: 900_000 };
    await using client = loopbackClient(server, { obeyRobots: true, clock, limits });
    const page = { url: new URL('http://host.test/page') };
    const ended = client.send(page).then((result) => ({ result, at: clock.now() }));
    const startedAt = clock.now();
    await requested.promise;
    for (let minute = 0; minute < 16; minute += 1) await clock.advance(60_000);
    const { result, at } = await ended;
    assert.equal(result.kind === 'failed' && result.reason, 'total-timeout');
    assert.equal(at - startedAt, longestMs);
  }
});

test('robots.txt is fetched once for all waiters, and again after a day', async () => {
  const clock = new HeldClock();
  await using server = await openLoopback((_request, response) => void response.end(''));
  await using client = loopbackClient(server, { obeyRobots: true, clock });
  const ask = (at: number): Promise<HttpResult> => client.send({ url: new URL(`http://host.test/${at}`) });
  await Promise.all([1, 2, 3, 4, 5].map(ask));
  const reads = (): number => server.requests.filter(({ url }) => url === '/robots.txt').length;
  assert.equal(reads(), 1);
  clock.jump(23 * 3_600_000);
  await ask(6);
  assert.equal(reads(), 1);
  clock.jump(2 * 3_600_000);
  await ask(7);
  assert.equal(reads(), 2);
});

test('a Crawl-delay spaces requests', async () => {
  const clock = new HeldClock();
  const wire = new Wire(clock);
  const arrivals: number[] = [];
  await using server = await openLoopback((request, response) => {
    if (request.url !== '/robots.txt') arrivals.push(clock.monotonic());
    response.end('User-agent: *\nCrawl-delay: 2\n');
  });
  await using client = loopbackClient(server, { obeyRobots: true, clock, report: wire.report });
  await wire.settle(Promise.all([1, 2, 3].map((at) => client.send({ url: new URL(`http://host.test/${at}`) }))));
  assert.deepEqual(
    arrivals,
    [0, 2100, 4200].map((at) => at + (arrivals[0] ?? 0)),
  );
});

test('a Crawl-delay of minutes is obeyed; a host that asks for more than the setting is skipped', async () => {
  const clock = new HeldClock();
  const wire = new Wire(clock);
  const arrivals: number[] = [];
  const messages: string[] = [];
  await using server = await openLoopback((request, response) => {
    if (request.url !== '/robots.txt') arrivals.push(clock.monotonic());
    response.end(`User-agent: *\nCrawl-delay: ${request.host === 'slow.test' ? 301 : 120}\n`);
  });
  await using client = loopbackClient(server, {
    obeyRobots: true,
    clock,
    longestLineMs: 900_000,
    report: (event) => {
      wire.report(event);
      if (event.kind === 'host-given-up') messages.push(event.message);
    },
  });
  await wire.settle(Promise.all([1, 2, 3].map((at) => client.send({ url: new URL(`http://host.test/${at}`) }))));
  assert.deepEqual(
    arrivals,
    [0, 126_000, 252_000].map((at) => at + (arrivals[0] ?? 0)),
  );
  const { result } = await wire.settle(client.send({ url: new URL('http://slow.test/1') }));
  assert.equal(result.kind === 'refused' && result.reason, 'crawl-delay-too-long');
  assert.deepEqual([arrivals.length, messages.length], [3, 1]);
});

test('a robots.txt that returns 429 postpones the request', async () => {
  const { result } = await requestPage({ status: 429, headers: { 'retry-after': '600' } });
  assert.equal(result.kind, 'later');
});

test('an API under its own terms needs no robots.txt, but the host it redirects to does', async () => {
  await using server = await openLoopback((request, response) => {
    if (request.host === 'api.test') response.writeHead(302, { location: 'http://files.test/x' }).end();
    else if (request.url === '/robots.txt') response.end('User-agent: *\nDisallow: /\n');
    else response.end('file');
  });
  await using client = loopbackClient(server, { obeyRobots: true });
  const result = await client.send({ url: new URL('http://api.test/works'), robots: 'terms' });
  assert.equal(result.kind === 'refused' && result.reason, 'robots-disallowed');
  assert.deepEqual(
    server.requests.map(({ host, url }) => `${host}${url}`),
    ['api.test/works', 'files.test/robots.txt'],
  );
});

test('an unreachable host is reported as unreachable, not as disallowed', async () => {
  const clock = new HeldClock();
  const wire = new Wire(clock);
  // Nothing listens on port 1.
  await using client = loopbackClient({ port: 1 }, { obeyRobots: true, clock, report: wire.report });
  const { result } = await wire.settle(client.send({ url: new URL('http://gone.test/a.pdf') }));
  assert.equal(result.kind === 'failed' && result.reason, 'connect');
});

test('a request that waits for a robots.txt fetched by another releases its worker', async () => {
  const requested = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  await using server = await openLoopback(async ({ url }, response) => {
    if (url === '/robots.txt') {
      requested.resolve();
      await answer.promise;
    }
    response.end();
  });
  const parked = Promise.withResolvers<void>();
  let waiting = 0;
  await using client = loopbackClient(server, { obeyRobots: true });
  const caller: Caller = {
    asks: () => undefined,
    whileWaiting: (wait) => {
      waiting += 1;
      parked.resolve();
      return wait();
    },
  };
  const first = client.send({ url: new URL('http://host.test/1'), caller });
  await requested.promise;
  assert.equal(waiting, 0, 'the request that fetches it keeps its worker');
  const second = client.send({ url: new URL('http://host.test/2'), caller });
  await parked.promise;
  answer.resolve();
  assert.deepEqual(
    (await Promise.all([first, second])).map(({ kind }) => kind),
    ['response', 'response'],
  );
});
