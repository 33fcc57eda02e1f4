import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Pool } from '../hosts/index.ts';
import type { HttpEvent } from './with-admission.ts';
import { HeldClock, loopbackClient, openLoopback, Wire } from '../testing/index.ts';

const now = Date.UTC(2026, 0, 15);

test('requests to one host are spaced, with a margin, while other hosts continue', async () => {
  const clock = new HeldClock(now);
  const wire = new Wire(clock);
  const arrivals: number[] = [];
  await using server = await openLoopback((request, response) => {
    if (request.host === 'slow.test') arrivals.push(clock.monotonic());
    response.end();
  });
  await using client = loopbackClient(server, {
    clock,
    report: wire.report,
    perHost: { perSecond: 1, concurrency: 2 },
  });
  const slow = [1, 2, 3, 4].map((at) => client.send({ url: new URL(`http://slow.test/${at}`) }));
  const other = await client.send({ url: new URL('http://other.test/') });
  assert.equal(other.kind, 'response');
  assert.equal(clock.monotonic(), 0);
  await wire.settle(Promise.all(slow));
  assert.deepEqual(arrivals, [0, 1050, 2100, 3150]);
});

test('hosts of one pool share its limit, one at a time, measured from the headers', async () => {
  const clock = new HeldClock(now);
  const wire = new Wire(clock);
  const arrivals: number[] = [];
  let inside = 0;
  let most = 0;
  await using server = await openLoopback(async (_request, response) => {
    inside += 1;
    most = Math.max(most, inside);
    arrivals.push(clock.monotonic());
    await new Promise(setImmediate);
    inside -= 1;
    response.end();
  });
  const arxiv: Pool = {
    name: 'arxiv',
    hosts: ['*.arxiv.test', 'arxiv.test'],
    perSecond: 1 / 3,
    concurrency: 1,
    strict: true,
  };
  await using client = loopbackClient(server, { clock, report: wire.report, pools: [arxiv] });
  const urls = [
    'http://export.arxiv.test/1',
    'http://arxiv.test/2',
    'http://oaipmh.arxiv.test/3',
    'http://export.arxiv.test/4',
  ];
  await wire.settle(Promise.all(urls.map((href) => client.send({ url: new URL(href) }))));
  assert.deepEqual(arrivals, [0, 3150, 6300, 9450]);
  assert.equal(most, 1);
});

test('the reported limit of a host is the one that applies: a service may state another than configured', async () => {
  const clock = new HeldClock(now);
  const caps: number[] = [];
  await using server = await openLoopback((_request, response) => {
    const stated = { 'x-rate-limit-limit': '50', 'x-rate-limit-interval': '1s', 'x-concurrency-limit': '3' };
    response.writeHead(200, stated).end();
  });
  const crossref: Pool = { name: 'crossref', hosts: ['api.test'], perSecond: 50, concurrency: 1, learns: true };
  const report = (event: HttpEvent): void => void (event.kind === 'request-sent' && caps.push(event.cap));
  await using client = loopbackClient(server, { clock, report, pools: [crossref] });
  const url = new URL('http://api.test/works');
  await client.send({ url, robots: 'terms' });
  await clock.advance(1_000);
  await client.send({ url, robots: 'terms' });
  assert.deepEqual(caps, [1, 3]);
});

test('a request can use its own pool in addition to that of its host', async () => {
  const clock = new HeldClock(now);
  const wire = new Wire(clock);
  const arrivals: [string, number][] = [];
  await using server = await openLoopback((request, response) => {
    arrivals.push([request.url, clock.monotonic()]);
    response.end();
  });
  const pools: Pool[] = [
    { name: 'zenodo', hosts: ['zenodo.test'], perSecond: 1, concurrency: 2 },
    { name: 'zenodo-search', hosts: [], perSecond: 0.5, concurrency: 1 },
  ];
  await using client = loopbackClient(server, { clock, report: wire.report, pools, margin: 0 });
  const ask = (path: string, pool?: string): Promise<unknown> =>
    client.send({ url: new URL(path, 'http://zenodo.test'), ...(pool !== undefined && { pool }) });
  await wire.settle(Promise.all([ask('/search1', 'zenodo-search'), ask('/search2', 'zenodo-search'), ask('/file')]));
  const at = new Map(arrivals);
  const times = [...at.values()];
  assert.ok(
    times.every((each, index) => index === 0 || each - (times[index - 1] ?? 0) >= 1000),
    JSON.stringify(arrivals),
  );
  assert.ok(Math.abs((at.get('/search1') ?? 0) - (at.get('/search2') ?? 0)) >= 2000, JSON.stringify(arrivals));
});

test('a request does not wait if the wait would be too long', async () => {
  const clock = new HeldClock(now);
  await using server = await openLoopback((_request, response) => void response.end());
  const osf: Pool = { name: 'osf', hosts: ['osf.test'], perSecond: 1 / 40, burst: 3, concurrency: 4 };
  await using client = loopbackClient(server, { clock, pools: [osf], margin: 0, retry: { parkAfterMs: 60_000 } });
  for (let at = 0; at < 3; at += 1)
    assert.equal((await client.send({ url: new URL(`http://osf.test/${at}`) })).kind, 'response');
  const waiting = client.send({ url: new URL('http://osf.test/4') });
  const turned = await client.send({ url: new URL('http://osf.test/5') });
  assert.equal(turned.kind === 'later' && turned.reason, 'pool-exhausted');
  assert.equal(turned.kind === 'later' && turned.at, now + 80_000);
  await clock.advance(40_000);
  assert.equal((await waiting).kind, 'response');
});

test('limits in the headers of a service are applied', async () => {
  const clock = new HeldClock(now);
  const wire = new Wire(clock);
  const arrivals: number[] = [];
  await using server = await openLoopback((_request, response) => {
    arrivals.push(clock.monotonic());
    response
      .setHeader('x-rate-limit-limit', '2')
      .setHeader('x-rate-limit-interval', '1s')
      .setHeader('x-concurrency-limit', '1')
      .end();
  });
  const crossref: Pool = { name: 'crossref', hosts: ['crossref.test'], perSecond: 5, concurrency: 3, learns: true };
  await using client = loopbackClient(server, { clock, report: wire.report, pools: [crossref], margin: 0 });
  for (let at = 0; at < 4; at += 1) await wire.settle(client.send({ url: new URL(`http://crossref.test/${at}`) }));
  assert.deepEqual(arrivals, [0, 500, 1000, 1500]);
  assert.equal(client.admission.room(['pool/crossref']), 1);
});

test('a host in a pool has the concurrency of the pool, other hosts less', async () => {
  let inside = 0;
  const most = new Map<string, number>();
  const all = Promise.withResolvers<void>();
  await using server = await openLoopback(async (request, response) => {
    inside += 1;
    most.set(request.host, Math.max(most.get(request.host) ?? 0, inside));
    if (inside === 4) all.resolve();
    if (request.host === 'api.test') await all.promise;
    inside -= 1;
    response.end();
  });
  const pool: Pool = { name: 'api', hosts: ['api.test'], perSecond: Infinity, concurrency: 4 };
  await using client = loopbackClient(server, { pools: [pool], perHost: { perSecond: Infinity, concurrency: 2 } });
  await Promise.all([1, 2, 3, 4, 5, 6].map((at) => client.send({ url: new URL(`http://api.test/${at}`) })));
  assert.equal(most.get('api.test'), 4);
  await Promise.all([1, 2, 3, 4, 5, 6].map((at) => client.send({ url: new URL(`http://stranger.test/${at}`) })));
  assert.ok((most.get('stranger.test') ?? 9) <= 2);
});

test('a slot is held until the last byte of the body', async () => {
  const clock = new HeldClock(now);
  const finish = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  await using server = await openLoopback(async (_request, response) => {
    response.write('begin');
    await finish.promise;
    response.end('end');
  });
  await using client = loopbackClient(server, { clock, perHost: { perSecond: Infinity, concurrency: 1 } });
  const result = client.send({ url: new URL('http://host.test/'), sink: () => ({ write: () => begun.resolve() }) });
  await begun.promise;
  assert.equal(client.admission.room(['host.test']), 0);
  finish.resolve();
  await result;
  assert.equal(client.admission.room(['host.test']), 1);
});

test('a waiting request can be aborted', async () => {
  const clock = new HeldClock(now);
  await using server = await openLoopback((_request, response) => void response.end());
  await using client = loopbackClient(server, { clock, perHost: { perSecond: 0.1, concurrency: 1 } });
  await client.send({ url: new URL('http://host.test/1') });
  const controller = new AbortController();
  const waiting = [2, 3].map((at) => client.send({ url: new URL(`http://host.test/${at}`) }, controller.signal));
  controller.abort();
  for (const each of waiting) await assert.rejects(each, { name: 'AbortError' });
  assert.equal(server.requests.length, 1);
});

test('a host that returns 429 gets half the rate, once per burst, and recovers slowly', async () => {
  const clock = new HeldClock(now);
  const arrivals: number[] = [];
  let refusals = 1;
  await using server = await openLoopback((request, response) => {
    if (request.url === '/robots.txt') return void response.end();
    arrivals.push(clock.now());
    if (refusals > 0) response.statusCode = 429;
    refusals -= 1;
    response.end();
  });
  const wire = new Wire(clock);
  await using client = loopbackClient(server, { clock, report: wire.report, margin: 0, perHost: { perSecond: 1 } });
  await wire.settle(
    Promise.all(Array.from({ length: 30 }, (_, at) => client.send({ url: new URL(`http://a.test/${at}`) }))),
  );
  const gaps = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? 0));
  assert.ok(
    gaps.slice(1, 18).every((gap) => gap >= 2000),
    JSON.stringify(gaps),
  );
  assert.ok(
    gaps.slice(-5).every((gap) => gap < 2000),
    JSON.stringify(gaps),
  );
});
