import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HeldClock, loopbackClient, openLoopback, Wire } from '../testing/index.ts';
import { parseRetryAfter } from './index.ts';
import { retryTime } from './retry.ts';

const now = Date.UTC(2026, 0, 15);
const url = new URL('http://host.test/');

test('Retry-After is parsed in every format, and invalid values are recognised', () => {
  const at = (value: string, date?: string): number | undefined =>
    parseRetryAfter({ 'retry-after': value, ...(date !== undefined && { date }) }, now);
  assert.equal(at('120'), now + 120_000);
  assert.equal(at('0'), now);
  assert.equal(at('Thu, 15 Jan 2026 00:02:00 GMT'), now + 120_000);
  assert.equal(at('Thursday, 15-Jan-26 00:02:00 GMT'), now + 120_000);
  assert.equal(at('Thu Jan 15 00:02:00 2026'), now + 120_000);
  // The server's clock is an hour ahead: what counts is the difference to its own Date.
  assert.equal(at('Thu, 15 Jan 2026 01:02:00 GMT', 'Thu, 15 Jan 2026 01:00:00 GMT'), now + 120_000);
  assert.equal(at('Wed, 14 Jan 2026 00:00:00 GMT'), now);
  for (const nonsense of ['-5', 'soon', '', '1.5', '99999999999', '1e3', 'Thu, 32 Foo 2026 00:00:00 GMT']) {
    assert.equal(at(nonsense), undefined, nonsense);
  }
  assert.equal(parseRetryAfter({}, now), undefined);
});

test('the reset of an exhausted rate limit is parsed as seconds or as an epoch', () => {
  const at = (status: number, headers: Record<string, string>): number | undefined => {
    const time = retryTime({ url, status, headers }, now);
    return time === undefined ? undefined : (time - now) / 1000;
  };
  const epoch = String(now / 1000 + 90);
  assert.equal(at(429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': epoch }), 90);
  assert.equal(at(429, { 'x-ratelimit-reset': `${epoch}000` }), 90);
  assert.equal(at(429, { 'x-rate-limit-reset': '90' }), 90);
  assert.equal(at(429, { 'ratelimit-remaining': '0', 'ratelimit-reset': '90' }), 90);
  assert.equal(at(429, { ratelimit: '"default";r=0;t=90', 'ratelimit-policy': '"default";q=10;w=60' }), 90);
  assert.equal(at(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': epoch }), 90);
  assert.equal(at(403, { 'retry-after': '15' }), 15);
  // The server's clock is a minute ahead.
  assert.equal(at(429, { 'x-ratelimit-reset': epoch, date: 'Thu, 15 Jan 2026 00:01:00 GMT' }), 30);
  // A daily budget with requests left, a plain refusal, a reset in the past, an invalid reset, and a status that is not
  // a limit.
  assert.equal(at(429, { 'x-ratelimit-remaining': '700', 'x-ratelimit-reset': '40000' }), undefined);
  assert.equal(at(403, { 'x-ratelimit-reset': '40000' }), undefined);
  assert.equal(at(429, { 'x-ratelimit-reset': String(now / 1000 - 5) }), undefined);
  assert.equal(at(429, { 'x-ratelimit-reset': 'soon' }), undefined);
  assert.equal(at(500, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '40000' }), undefined);
});

test('a 403 that names a time is a rate limit: the host gets no request until then', async () => {
  const clock = new HeldClock(now);
  const wire = new Wire(clock);
  const limit = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1000 + 30) };
  await using server = await openLoopback((_request, response) => {
    if (clock.now() < now + 30_000)
      response.writeHead(403, { ...limit, date: new Date(clock.now()).toUTCString() }).end();
    else response.end('ok');
  });
  await using client = loopbackClient(server, {
    clock,
    report: wire.report,
    retry: { retries: 1 },
    perHost: { perSecond: Infinity, concurrency: 1 },
  });
  const both = Promise.all([client.send({ url }), client.send({ url: new URL('http://host.test/other') })]);
  const { result } = await wire.settle(both);
  assert.deepEqual(
    result.map((each) => each.kind === 'response' && each.response.status),
    [200, 200],
  );
  assert.equal(server.requests.length, 3);
});

test('transient failures are retried with growing delays, up to the limit', async () => {
  const clock = new HeldClock(now);
  const wire = new Wire(clock);
  await using server = await openLoopback((request, response) => {
    const status = Number(/status=(\d+)/.exec(request.url)?.[1]);
    const fails = Number(/fails=(\d+)/.exec(request.url)?.[1]);
    const before = server.requests.filter(({ url }) => url === request.url).length - 1;
    response.writeHead(before < fails ? status : 200).end();
  });
  await using client = loopbackClient(server, {
    clock,
    report: wire.report,
    random: () => 0.5,
    retry: { retries: 3, baseMs: 1000 },
    circuit: { failures: 100 },
  });
  const { send } = client;
  for (const status of [408, 425, 500, 502, 503, 504]) {
    const { result, ms } = await wire.settle(send({ url: new URL(`http://host.test/?status=${status}&fails=3`) }));
    assert.equal(result.kind === 'response' && result.response.status, 200, String(status));
    // Equal jitter at one half: 0.75 + 1.5 + 3 seconds.
    assert.equal(ms, 5250);
  }
  const given = await wire.settle(send({ url: new URL('http://host.test/?status=503&fails=4') }));
  assert.equal(given.result.kind === 'response' && given.result.response.status, 503);
  for (const status of [400, 401, 403, 404, 410, 501, 505]) {
    const before = server.requests.length;
    const { result } = await wire.settle(send({ url: new URL(`http://host.test/?status=${status}&fails=1`) }));
    assert.equal(result.kind === 'response' && result.response.status, status);
    assert.equal(server.requests.length, before + 1);
  }
});

test('a 429, or a 503 with a time, ends as later after the last retry; a 503 without a time is a response', async () => {
  const clock = new HeldClock(now);
  const wire = new Wire(clock);
  await using server = await openLoopback((request, response) => {
    const [, status, after] = /status=(\d+)(?:&after=(\d+))?/.exec(request.url) ?? [];
    response.writeHead(Number(status), after === undefined ? {} : { 'retry-after': after }).end();
  });
  await using client = loopbackClient(server, { clock, report: wire.report, retry: { retries: 1 } });
  const ask = async (query: string, host: string): Promise<string> => {
    const { result } = await wire.settle(client.send({ url: new URL(`http://${host}.test/?status=${query}`) }));
    return result.kind === 'response' ? String(result.response.status) : result.kind;
  };
  assert.equal(await ask('202&after=5', 'e'), 'later', 'an archive that fetches the file');
  assert.equal(await ask('202', 'f'), '202');
  assert.equal(await ask('503&after=5', 'a'), 'later');
  assert.equal(await ask('503&after=3600', 'b'), 'later');
  assert.equal(await ask('429&after=5', 'c'), 'later');
  assert.equal(await ask('429', 'd'), 'later');
  assert.equal(await ask('503', 'e'), '503');
});

test('a delay never exceeds its cap', async () => {
  const clock = new HeldClock(now);
  const wire = new Wire(clock);
  await using server = await openLoopback((_request, response) => void response.writeHead(500).end());
  await using client = loopbackClient(server, {
    clock,
    report: wire.report,
    random: () => 1,
    retry: { retries: 4, baseMs: 1000, maxDelayMs: 1500 },
    circuit: { failures: 100 },
  });
  const { ms } = await wire.settle(client.send({ url }));
  assert.equal(ms, 1000 + 3 * 1500);
});

test('all requests to a host obey Retry-After in full', async () => {
  const clock = new HeldClock(now);
  const wire = new Wire(clock);
  const arrivals: [string, number][] = [];
  let limited = true;
  await using server = await openLoopback((request, response) => {
    arrivals.push([request.url, clock.monotonic()]);
    if (limited) response.writeHead(429, { 'retry-after': '40' }).end();
    else response.end('ok');
  });
  await using client = loopbackClient(server, { clock, report: wire.report, retry: { retries: 2 } });
  const first = client.send({ url: new URL('http://host.test/first') });
  while (client.admission.held(['host.test']) === null) await new Promise(setImmediate);
  limited = false;
  const second = client.send({ url: new URL('http://host.test/second') });
  const other = await client.send({ url: new URL('http://elsewhere.test/other') });
  assert.equal(other.kind, 'response');
  await clock.advance(39_999);
  assert.deepEqual(
    arrivals.map(([path]) => path),
    ['/first', '/other'],
  );
  await clock.advance(1);
  assert.equal((await first).kind, 'response');
  assert.equal((await second).kind, 'response');
  assert.ok(arrivals.slice(2).every(([, at]) => at >= 40_000));
});

test('a wait beyond the limit is returned as a time, also for requests already waiting', async () => {
  const clock = new HeldClock(now);
  const wire = new Wire(clock);
  const hold = Promise.withResolvers<void>();
  await using server = await openLoopback(async (_request, response) => {
    await hold.promise;
    response.writeHead(429, { 'retry-after': '3600' }).end();
  });
  await using client = loopbackClient(server, {
    clock,
    report: wire.report,
    retry: { retries: 3 },
    perHost: { perSecond: Infinity, concurrency: 1 },
  });
  const results = [
    client.send({ url }),
    client.send({ url: new URL('http://host.test/2') }),
    client.send({ url: new URL('http://host.test/3') }),
  ];
  hold.resolve();
  for (const result of await Promise.all(results)) {
    assert.equal(result.kind, 'later');
    assert.equal(result.kind === 'later' && result.at, now + 3_600_000);
  }
  assert.equal(server.requests.length, 1);
  const late = await client.send({ url: new URL('http://host.test/4') });
  assert.equal(late.kind === 'later' && late.at, now + 3_600_000);
  assert.equal(server.requests.length, 1);
});

test('a host with a Retry-After of a month is given up', async () => {
  const clock = new HeldClock(now);
  const wire = new Wire(clock);
  await using server = await openLoopback(
    (_request, response) => void response.writeHead(503, { 'retry-after': '2592000' }).end(),
  );
  await using client = loopbackClient(server, { clock, report: wire.report, retry: { retries: 3 } });
  const result = await client.send({ url });
  assert.equal(result.kind === 'refused' && result.reason, 'retry-after-too-long');
});

test('a host with a Retry-After of a year is given up for the run: reported once, requested once, and nothing waits a year', async () => {
  for (const [status, path] of [
    [503, '/file'],
    [429, '/file'],
    [503, '/robots.txt'],
  ] as const) {
    const messages: string[] = [];
    await using server = await openLoopback((request, response) => {
      if (request.url === '/robots.txt' && path !== '/robots.txt') response.writeHead(404).end();
      else response.writeHead(status, { 'retry-after': '31536000' }).end();
    });
    await using client = loopbackClient(server, {
      obeyRobots: true,
      retry: { retries: 3 },
      report: (event) => void (event.kind === 'host-given-up' && messages.push(event.message)),
    });
    for (let at = 0; at < 3; at += 1) {
      const result = await client.send({ url });
      assert.equal(result.kind === 'refused' && result.reason, 'retry-after-too-long');
    }
    assert.equal(
      server.requests.filter((request) => request.url === path || path === '/file').length,
      path === '/file' ? 2 : 1,
    );
    assert.equal(messages.length, 1);
    assert.match(messages[0] ?? '', /host\.test is rate-limited until 20\d\d-/);
  }
});

test('a 429 without a valid time holds the host for our own backoff', async () => {
  for (const header of [{}, { 'retry-after': '-1' }, { 'retry-after': 'tomorrow' }]) {
    const clock = new HeldClock(now);
    const wire = new Wire(clock);
    let requests = 0;
    await using server = await openLoopback((_request, response) => {
      requests += 1;
      if (requests === 1) response.writeHead(429, header).end();
      else response.end('ok');
    });
    await using client = loopbackClient(server, {
      clock,
      report: wire.report,
      random: () => 0.5,
      retry: { retries: 2, baseMs: 1000 },
    });
    const { result, ms } = await wire.settle(client.send({ url }));
    assert.equal(result.kind, 'response');
    assert.ok(ms >= 750 && ms <= 2000, String(ms));
  }
});

test('repeated 429s end as a time, not as a failure', async () => {
  const clock = new HeldClock(now);
  const wire = new Wire(clock);
  await using server = await openLoopback(
    (_request, response) => void response.writeHead(429, { 'retry-after': '1' }).end(),
  );
  await using client = loopbackClient(server, { clock, report: wire.report, retry: { retries: 2 } });
  const { result } = await wire.settle(client.send({ url }));
  assert.equal(result.kind === 'later' && result.reason, 'rate-limited');
  assert.equal(server.requests.length, 3);
});

test('a POST is repeated only if that is safe, a started file never', async () => {
  const clock = new HeldClock(now);
  const wire = new Wire(clock);
  await using server = await openLoopback((request, response) => {
    if (request.url === '/cut') {
      response.writeHead(200, { 'content-length': '10' });
      response.write('12345', () => response.destroy());
    } else response.writeHead(503).end();
  });
  await using client = loopbackClient(server, {
    clock,
    report: wire.report,
    retry: { retries: 1 },
    circuit: { failures: 100 },
  });
  await wire.settle(client.send({ url, method: 'POST', body: '{}' }));
  assert.equal(server.requests.length, 1);
  await wire.settle(client.send({ url, method: 'POST', body: '{}', repeatable: true }));
  assert.equal(server.requests.length, 3);
  let opened = 0;
  const { result } = await wire.settle(
    client.send({ url: new URL('http://host.test/cut'), sink: () => ((opened += 1), { write: () => undefined }) }),
  );
  assert.equal(result.kind === 'failed' && result.reason, 'truncated');
  assert.equal(opened, 1);
  // Without a sink the request may be repeated.
  const before = server.requests.length;
  await wire.settle(client.send({ url: new URL('http://host.test/cut') }));
  assert.equal(server.requests.length, before + 2);
});

test('a failing host is suspended, probed once, then suspended for longer', async () => {
  const clock = new HeldClock(now);
  let healthy = false;
  await using server = await openLoopback((_request, response) => void response.writeHead(healthy ? 200 : 500).end());
  const held: number[] = [];
  await using client = loopbackClient(server, {
    clock,
    retry: { retries: 0, parkAfterMs: 1000 },
    circuit: { failures: 3, openMs: 30_000 },
    report: (event) => void (event.kind === 'host-held' && held.push(event.until - now)),
  });
  for (let failure = 0; failure < 3; failure += 1) await client.send({ url });
  assert.deepEqual(held, [30_000]);
  const refused = await client.send({ url });
  assert.equal(refused.kind === 'later' && refused.reason, 'host-held');
  assert.equal(server.requests.length, 3);
  await clock.advance(30_000);
  const probes = await Promise.all([
    client.send({ url: new URL('http://host.test/a') }),
    client.send({ url: new URL('http://host.test/b') }),
  ]);
  assert.deepEqual(
    probes.map(({ kind }) => kind).sort((a, b) => a.localeCompare(b)),
    ['later', 'response'],
  );
  assert.equal(server.requests.length, 4);
  assert.deepEqual(held, [30_000, 90_000]);
  healthy = true;
  await clock.advance(60_000);
  const back = await Promise.all([1, 2, 3].map((at) => client.send({ url: new URL(`http://host.test/${at}`) })));
  assert.ok(back.every(({ kind }) => kind === 'response'));
});
