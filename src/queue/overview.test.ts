import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

import type { HostReport } from '../hosts/index.ts';
import { hostOverview, isoTime, queueJson, RateMeter } from './overview.ts';
import { openStore } from './store.ts';
import type { QueueStats, WorkerInfo } from './types.ts';
import { createWorkerId } from './worker-identity.ts';

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

test('a silent worker counts as dead with its leases; rate and time left count active workers only', async () => {
  const json = queueJson(await stats(worker(1), worker(2)));
  assert.deepEqual(
    json.workers.map(({ pid, alive, holds, lease_ends_at }) => [pid, alive, holds, lease_ends_at]),
    [
      [1, false, 1, isoTime(90_000)],
      [2, true, 0, null],
    ],
  );
  assert.deepEqual([json.per_second, json.left_seconds], [2, 1.5]);
  assert.deepEqual([json.oldest_queued_id, json.oldest_queued_at], ['y', isoTime(0)]);
});

test('no time left is shown while no worker is active, whatever the rate was before', async () => {
  const found = await stats(worker(1), worker(2, { heartbeatMs: 100 }));
  for (const perSecond of [null, 2]) {
    const json = queueJson(found, perSecond);
    assert.deepEqual([json.counts.processes, json.per_second, json.left_seconds], [0, perSecond, null]);
  }
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
  // Another process of this machine died with three jobs, whose leases have expired.
  const { pid } = spawnSync('true');
  const dead = createWorkerId().replace(`-${process.pid}-`, `-${pid}-`);
  await store.exchange({
    ...exchange,
    workerId: dead,
    leaseMs: 1_000,
    picks: [{ host: null, resolver: null, limit: 3 }],
  });
  await store.announce('alive', worker(1, { running: 2, parked: 3, maxWorkers: 2 }), 1_000);
  await store.announce(dead, worker(2), 0);
  const json = queueJson(await store.admin.stats(1_000));
  assert.deepEqual([json.queued, json.error], [3, 1]);
  assert.deepEqual(json.counts, { running: 5, waiting_for_host: 3, retrying: 1, processes: 1, workers: 2 });
});

test('a host held by one worker is slow for all while that lasts', async () => {
  const hold = { forMs: 30_000, reason: 'rate-limited' } as const;
  const slow = worker(2, { hosts: [{ ...REPORT, cap: 1, slowed: true, hold }] });
  assert.deepEqual(queueJson(await stats(worker(1), slow)).slowed_hosts, [
    { host: 'a.org', cap: 1, per_second: 2, held_until: isoTime(90_000), held_why: 'rate-limited' },
  ]);
  const over = worker(2, { hosts: [{ ...REPORT, hold: { forMs: 500, reason: 'rate-limited' } }] });
  assert.deepEqual(queueJson(await stats(worker(1), over)).slowed_hosts, []);
});

test('hosts are shown once, merged from workers, the fleet, operators and the queue', async () => {
  const two = worker(1, { heartbeatMs: 60_000, hosts: [{ ...REPORT, failed: { '404': 1, reset: 2 } }] });
  const found = await stats(two, worker(2, { hosts: [REPORT, { ...REPORT, key: 'pool/arxiv', nextInMs: 4_000 }] }));
  const rows = hostOverview(found, {
    jobs: [],
    shared: [
      { ...REPORT, inFlight: 3, done: 0, failed: {}, hold: { forMs: 5_000, reason: 'host-held' }, budgetLeft: 0.5 },
    ],
    rulesOf: () => ({ cap: 9, perSecond: null }),
  });
  const row = (name: string): (typeof rows)[number] => rows.find((each) => each.name === name) ?? assert.fail(name);
  const { line, done, failed } = row('a.org');
  assert.deepEqual([line.in_flight, line.waiting, line.budget_left], [3, 4, 0.5]);
  assert.deepEqual([done, failed], [6, { '404': 2, reset: 2 }]);
  assert.deepEqual([line.held_until, line.held_why], [isoTime(66_000), 'host-held']);
  assert.deepEqual([row('arxiv').line.kind, row('arxiv').line.next_at], ['service', isoTime(64_000)]);
  const paused = row('p.org').line;
  assert.deepEqual([paused.held_until, paused.held_why, paused.cap], [null, 'paused', 9]);
});

test('a rate covers the last minute, and restarts when its counter does', () => {
  const meter = new RateMeter();
  assert.equal(meter.perSecond, null);
  for (let at = 0; at <= 100; at += 1) meter.note(at < 40 ? 0 : at - 40, at * 1000);
  assert.equal(meter.perSecond, 1);
  meter.note(0, 101_000);
  assert.equal(meter.perSecond, null);
});
