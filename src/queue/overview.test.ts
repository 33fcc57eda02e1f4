import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { HostReport } from '../hosts/index.ts';
import { hostOverview, overviewOf, RateMeter } from './overview.ts';
import { openStore } from './store.ts';
import type { QueueStats, WorkerInfo } from './types.ts';

const REPORT: HostReport = {
  key: 'a.org',
  cap: 4,
  perSecond: 2,
  inFlight: 1,
  waiting: 2,
  nextInMs: 0,
  hold: null,
  slowed: false,
  done: 3,
  failed: { '404': 1 },
  budgetLeft: null,
};

const worker = (pid: number, more: Partial<WorkerInfo> = {}): WorkerInfo => ({
  pid,
  hostname: 'machine',
  startedAt: 0,
  maxWorkers: 8,
  running: 1,
  parked: 0,
  heartbeatMs: 10_000,
  perSecond: 2,
  hosts: [],
  ...more,
});

/** A queue of three jobs, one of them leased to `early`, and two workers that reported at 0 and at 60 s. */
async function stats(early: WorkerInfo, late: WorkerInfo): Promise<QueueStats> {
  await using store = await openStore(':memory:');
  const jobs = ['x', 'y', 'z'].map((artifactId) => ({ artifactId, artifactJson: '{}', host: 'a.org' }));
  await store.enqueue(jobs, 0);
  await store.announce('early', early, 0);
  await store.exchange({
    workerId: 'early',
    settlements: [],
    picks: [{ host: 'a.org', resolver: null, limit: 1 }],
    now: 0,
    leaseMs: 90_000,
  });
  await store.announce('late', late, 60_000);
  await store.admin.pause('host', 'p.org', 60_000);
  return await store.admin.stats(61_000);
}

test('a silent worker counts as dead with its leases; rate and time left are those of active workers', async () => {
  const overview = overviewOf(await stats(worker(1), worker(2)));
  assert.deepEqual(
    overview.workers.map(({ pid, alive, holds, leaseEndsAt }) => [pid, alive, holds, leaseEndsAt]),
    [
      [1, false, 1, 90_000],
      [2, true, 0, null],
    ],
  );
  assert.deepEqual([overview.perSecond, overview.leftMs], [2, 1_500]);
  assert.deepEqual(overview.oldestDue, { artifactId: 'y', since: 0 });
  const dead = overviewOf(await stats(worker(1), worker(2)), { isDead: (workerId) => workerId === 'late' });
  assert.deepEqual([dead.workers.some(({ alive }) => alive), dead.perSecond, dead.leftMs], [false, null, null]);
});

test('no time left is shown while no worker is active, whatever the rate was before', async () => {
  const overview = overviewOf(await stats(worker(1), worker(2)), { perSecond: 2, isDead: () => true });
  assert.deepEqual([overview.perSecond, overview.leftMs], [2, null]);
});

test('each count has one definition: jobs waiting for a host, retries and dead processes are separate', async () => {
  await using store = await openStore(':memory:');
  const ids = Array.from({ length: 12 }, (_, n) => ({ artifactId: `job ${n}`, artifactJson: '{}' }));
  await store.enqueue(ids, 0);
  const exchange = { settlements: [], picks: [{ host: null, resolver: null, limit: 2 }], now: 0 };
  const error = { code: 'HTTP_503', message: 'busy' };
  const { leased: ended } = await store.exchange({ ...exchange, workerId: 'alive', leaseMs: 60_000 });
  const settlements = [
    { kind: 'finish', state: 'error', error } as const,
    { kind: 'requeue', delayMs: 5_000, refund: false, error } as const,
  ].map((settlement, at) => ({ id: ended[at]?.id ?? 0, token: ended[at]?.token ?? 0, settlement }));
  await store.exchange({
    ...exchange,
    workerId: 'alive',
    leaseMs: 60_000,
    settlements,
    picks: [{ host: null, resolver: null, limit: 5 }],
  });
  // Another process died with three jobs, whose leases have expired.
  await store.exchange({
    ...exchange,
    workerId: 'dead',
    leaseMs: 1_000,
    picks: [{ host: null, resolver: null, limit: 3 }],
  });
  await store.announce('alive', worker(1, { running: 2, parked: 3, maxWorkers: 2 }), 1_000);
  await store.announce('dead', worker(2), 0);
  const overview = overviewOf(await store.admin.stats(1_000), { isDead: (workerId) => workerId === 'dead' });
  assert.deepEqual(overview.counts, {
    waiting: 3,
    running: 5,
    waitingForHost: 3,
    done: 0,
    skipped: 0,
    failed: 1,
    retrying: 1,
    processes: 1,
    workers: 2,
  });
  assert.deepEqual(overview.failures, [{ code: 'HTTP_503', jobs: 1 }]);
  assert.deepEqual(overview.retries, [{ code: 'HTTP_503', jobs: 1 }]);
});

test('a host held by one worker is slow for all while that lasts', async () => {
  const hold = { forMs: 30_000, reason: 'rate-limited' } as const;
  const slow = worker(2, { hosts: [{ ...REPORT, cap: 1, slowed: true, hold }] });
  const { slowed } = overviewOf(await stats(worker(1), slow));
  assert.deepEqual(
    slowed.map(({ key, cap, perSecond, hold: found }) => ({ key, cap, perSecond, hold: found })),
    [{ key: 'a.org', cap: 1, perSecond: 2, hold: { until: 90_000, reason: 'rate-limited' } }],
  );
  const over = worker(2, { hosts: [{ ...REPORT, hold: { forMs: 500, reason: 'rate-limited' } }] });
  assert.deepEqual(overviewOf(await stats(worker(1), over)).slowed, []);
});

test('hosts are shown once, merged from workers, the fleet, operators and the queue', async () => {
  const two = worker(1, { heartbeatMs: 60_000, hosts: [{ ...REPORT, failed: { '404': 1, reset: 2 } }] });
  const told = await stats(two, worker(2, { hosts: [REPORT, { ...REPORT, key: 'pool/arxiv', nextInMs: 4_000 }] }));
  const rows = hostOverview(told, {
    jobs: [],
    shared: [
      { ...REPORT, inFlight: 3, done: 0, failed: {}, hold: { forMs: 5_000, reason: 'host-held' }, budgetLeft: 0.5 },
    ],
    rulesOf: () => ({ cap: 9, perSecond: null }),
  });
  const row = (name: string): (typeof rows)[number] => rows.find((each) => each.name === name) ?? assert.fail(name);
  const { inFlight, waiting, done, failed, hold, budgetLeft } = row('a.org');
  assert.deepEqual([inFlight, waiting, done, failed, budgetLeft], [3, 4, 6, { '404': 2, reset: 2 }, 0.5]);
  assert.deepEqual(hold, { until: 66_000, reason: 'host-held' });
  assert.deepEqual([row('arxiv').kind, row('arxiv').nextAt], ['service', 64_000]);
  assert.deepEqual([row('p.org').hold, row('p.org').cap], [{ until: null, reason: 'paused' }, 9]);
});

test('a rate covers the last minute, and restarts when its counter does', () => {
  const meter = new RateMeter();
  assert.equal(meter.perSecond, null);
  for (let at = 0; at <= 100; at += 1) meter.note(at < 40 ? 0 : at - 40, at * 1000);
  assert.equal(meter.perSecond, 1);
  meter.note(0, 101_000);
  assert.equal(meter.perSecond, null);
});
