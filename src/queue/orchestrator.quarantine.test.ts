import assert from 'node:assert/strict';
import { test } from 'node:test';

import { controlled, settle, stage } from '../../test/support/run-orchestrator.ts';
import type { HeldClock } from '../testing/index.ts';
import type { QueueStore } from './types.ts';
import { deathLimits } from './options.ts';

/** Leases jobs to processes that die, until the jobs are quarantined. */
async function dieWith(store: QueueStore, clock: HeldClock, deaths: number): Promise<void> {
  for (let death = 0; death < deaths; death += 1) {
    const { lanes, quarantined } = await store.backlog(clock.now(), deathLimits(3));
    for (const [standing, found] of [['trusted', lanes] as const, ['quarantined', quarantined] as const]) {
      const picks = found.map(({ host, resolver, jobs }) => ({ host, resolver, limit: jobs }));
      await store.exchange({ workerId: 'dead', settlements: [], picks, standing, now: clock.now(), leaseMs: 1 });
    }
    await clock.advance(2);
  }
}

test('a job failed by the queue counts as failed', async () => {
  const { clock, queue, orchestrator, store } = await stage(() => undefined, { maxDeaths: 1 });
  await queue.enqueue('poison', {});
  await dieWith(store, clock, 3);
  const run = orchestrator.run({ drain: 'empty' });
  for (let second = 0; second < 5; second += 1) await clock.advance(1_000);
  assert.deepEqual([(await run).error, (await store.admin.find('poison'))?.state], [1, 'error']);
});

test('quarantined jobs run alone, one after another, after the others have run together', async () => {
  const running = new Set<string>();
  const concurrent = new Map<string, number>();
  const { clock, queue, orchestrator, store } = await stage(async (job) => {
    running.add(job.artifactId);
    await new Promise(setImmediate);
    for (const id of running) concurrent.set(id, Math.max(concurrent.get(id) ?? 0, running.size));
    running.delete(job.artifactId);
  });
  for (const id of ['s1', 's2', 's3']) await queue.enqueue(id, {});
  await dieWith(store, clock, 2);
  for (const id of ['a', 'b', 'c', 'd']) await queue.enqueue(id, {});
  const run = orchestrator.run({ drain: 'empty' });
  for (let second = 0; second < 5; second += 1) await clock.advance(1_000);
  assert.deepEqual((await run).done, 7);
  assert.deepEqual(
    ['s1', 's2', 's3'].map((id) => concurrent.get(id)),
    [1, 1, 1],
  );
  assert.equal(concurrent.get('b'), 4);
  assert.equal((await store.admin.stats(clock.now())).quarantined, 0);
});

test('a quarantined job waits until its process has nothing else to run', async () => {
  const { open, handler } = controlled();
  const { clock, queue, orchestrator, store } = await stage(handler, { maxWorkers: 2, leaseMs: 600_000 });
  for (const id of ['quick', 'long']) await queue.enqueue(id, {});
  const run = orchestrator.run({ drain: 'empty' });
  await settle();
  await queue.enqueue('quarantined', {}, { priority: 1 });
  await dieWith(store, clock, 2);
  await queue.enqueue('later', {});
  open.get('quick')?.end();
  for (let second = 0; second < 100; second += 1) await clock.advance(1_000);
  assert.deepEqual([...open.keys()], ['long', 'later']);
  for (const { end } of open.values()) end();
  for (let second = 0; second < 5; second += 1) await clock.advance(1_000);
  assert.deepEqual([...open.keys()], ['quarantined']);
  assert.equal(open.get('quarantined')?.job.attempt, 1);
  open.get('quarantined')?.end();
  for (let second = 0; second < 5; second += 1) await clock.advance(1_000);
  assert.equal((await run).done, 4);
});

test('a quarantined job runs alone, also beside a job that arrives while it runs', async () => {
  const { open, handler } = controlled();
  const { clock, queue, orchestrator, store } = await stage(handler);
  await queue.enqueue('quarantined', {});
  await dieWith(store, clock, 2);
  const run = orchestrator.run({ drain: 'empty' });
  await settle();
  assert.deepEqual([...open.keys()], ['quarantined']);
  await queue.enqueue('arrives', {});
  for (let second = 0; second < 5; second += 1) await clock.advance(1_000);
  assert.deepEqual([...open.keys()], ['quarantined']);
  open.get('quarantined')?.end();
  for (let second = 0; second < 5; second += 1) await clock.advance(1_000);
  assert.deepEqual([...open.keys()], ['arrives']);
  open.get('arrives')?.end();
  for (let second = 0; second < 5; second += 1) await clock.advance(1_000);
  assert.equal((await run).done, 2);
});

test('a quarantined job runs after ten minutes, also where the process always has others', async () => {
  const { open, handler } = controlled();
  const { clock, queue, orchestrator, store } = await stage(handler, { maxWorkers: 2, leaseMs: 600_000 });
  await queue.enqueue('quarantined', {});
  await dieWith(store, clock, 2);
  for (let number = 0; number < 200; number += 1) await queue.enqueue(`job ${number}`, {});
  const run = orchestrator.run({ drain: 'empty' });
  await settle();
  let ended = 0;
  // One of two jobs ends every ten seconds.
  for (; ended < 100 && !open.has('quarantined'); ended += 1) {
    const [oldest] = open.values();
    oldest?.end();
    await clock.advance(10_000);
  }
  assert.ok(ended >= 60 && ended < 70, String(ended));
  while (open.size > 0) {
    for (const { end } of open.values()) end();
    await clock.advance(1_000);
  }
  assert.equal((await run).done, 201);
});

test('a quarantined job whose host is paused holds up nothing', async () => {
  const { clock, queue, orchestrator, store } = await stage(() => undefined);
  await queue.enqueue('quarantined', { url: 'https://paused.example/x.pdf' });
  await dieWith(store, clock, 2);
  await store.admin.pause('host', 'paused.example', clock.now());
  for (const id of ['a', 'b']) await queue.enqueue(id, {});
  const run = orchestrator.run({ drain: 'due' });
  for (let second = 0; second < 5; second += 1) await clock.advance(1_000);
  assert.equal((await run).done, 2);
  assert.equal((await store.admin.stats(clock.now())).quarantined, 1);
});
