import assert from 'node:assert/strict';
import { test } from 'node:test';

import { controlled, settle, stage } from '../../test/support/run-orchestrator.ts';
import type { Handler } from './handler.ts';
import { deathLimits } from './options.ts';

test('leases of running and waiting jobs are extended in one write', async () => {
  const { open, handler } = controlled();
  const { queue, orchestrator, clock, store } = await stage(handler);
  for (const id of ['a', 'b', 'c']) await queue.enqueue(id, {});
  const sizes: number[] = [];
  const extend = store.extend.bind(store);
  store.extend = (leases, now, leaseMs) => {
    sizes.push(leases.length);
    return extend(leases, now, leaseMs);
  };
  const run = orchestrator.run({ drain: 'empty' });
  await clock.advance(200_000);
  assert.deepEqual([...open.keys()], ['a', 'b', 'c']);
  assert.ok(sizes.length === 10 && sizes.every((size) => size === 3), String(sizes));
  for (const id of open.keys()) open.get(id)?.end();
  assert.equal((await run).done, 3);
});

test('a job whose lease was lost is aborted and its result discarded', async () => {
  const { open, handler } = controlled();
  const { queue, orchestrator, clock, store } = await stage(handler);
  await queue.enqueue('a', {});
  const run = orchestrator.run({ drain: 'empty' });
  await settle();
  // Another worker takes it, as after a long freeze of this process.
  await store.expire([orchestrator.workerId], clock.now());
  const [stolen] = await queue.lease('thief', 1, { leaseMs: 600_000 });
  assert.ok(stolen);
  const first = open.get('a');
  await clock.advance(20_000);
  assert.equal(first?.context.signal.aborted, true);
  assert.equal(await queue.ack(stolen, 'done'), true);
  await clock.advance(2_000);
  assert.deepEqual(await run, { done: 0, skipped: 0, error: 0, requeued: 0, lost: 1, reason: 'drained' });
  assert.equal((await store.admin.find('a'))?.state, 'done');
});

test('a cancelled job is aborted without waiting for the next heartbeat', async () => {
  const { open, handler } = controlled();
  const { queue, orchestrator, clock, store } = await stage(handler);
  await queue.enqueue('a', {});
  const run = orchestrator.run({ drain: 'empty' });
  await settle();
  const running = open.get('a');
  await store.admin.cancel(running?.job.id ?? 0, clock.now());
  await settle();
  assert.equal(running?.context.signal.aborted, true);
  await clock.advance(1_000);
  assert.equal((await run).lost, 1);
});

test('a job whose lease expired in its own process continues there, and does not run twice', async () => {
  const { open, handler } = controlled();
  let starts = 0;
  const { clock, queue, orchestrator, events, store } = await stage(
    (job, context) => {
      starts += 1;
      return handler(job, context);
    },
    // Such settings are rejected when loaded; a laptop that was asleep has the same effect.
    { leaseMs: 30_000, heartbeatMs: 600_000 },
  );
  await queue.enqueue('slow', {});
  const run = orchestrator.run({ drain: 'empty' });
  await settle();
  // Another process took it for dead and requeued the job; only this process leases it again.
  await store.expire([orchestrator.workerId], clock.now());
  await store.backlog(clock.now(), deathLimits(3));
  for (let second = 0; second < 70; second += 5) await clock.advance(5_000);
  await settle();
  assert.equal(starts, 1);
  assert.equal(open.get('slow')?.context.signal.aborted, false);
  open.get('slow')?.end();
  const summary = await run;
  assert.equal(summary.done, 1);
  assert.equal(summary.lost, 0);
  assert.equal(events.filter(({ kind }) => kind === 'job-started').length, 1);
});

test('a result after lease expiry counts if no other worker had the job in between', async () => {
  const { open, handler } = controlled();
  const { clock, queue, orchestrator, store } = await stage(handler, { leaseMs: 30_000, heartbeatMs: 600_000 });
  await queue.enqueue('late', {});
  const run = orchestrator.run({ drain: 'empty' });
  await settle();
  // The lease expires and the job is requeued just as its result arrives.
  await store.expire([orchestrator.workerId], clock.now());
  await store.backlog(clock.now(), deathLimits(3));
  open.get('late')?.end();
  await settle();
  assert.equal(open.size, 0);
  for (let second = 0; second < 20; second += 5) await clock.advance(5_000);
  const summary = await run;
  assert.equal(summary.done, 1);
});

test('a result after lease expiry does not count if another worker had the job in between', async () => {
  const { open, handler } = controlled();
  let starts = 0;
  const { clock, queue, orchestrator, store } = await stage(
    (job, context) => {
      starts += 1;
      return handler(job, context);
    },
    { leaseMs: 30_000, heartbeatMs: 600_000 },
  );
  await queue.enqueue('late', {});
  const run = orchestrator.run({ drain: 'empty' });
  await settle();
  await store.expire([orchestrator.workerId], clock.now());
  await store.backlog(clock.now(), deathLimits(3));
  const exchange = { workerId: 'other', now: clock.now(), leaseMs: 60_000 };
  const picks = [{ host: null, resolver: null, limit: 1 }];
  const [other] = (await store.exchange({ ...exchange, settlements: [], picks })).leased;
  assert.ok(other);
  const settlement = { kind: 'requeue', delayMs: 0, refund: true } as const;
  await store.exchange({ ...exchange, settlements: [{ ...other, settlement }], picks: [] });
  open.get('late')?.end();
  for (let second = 0; second < 20; second += 5) await clock.advance(5_000);
  assert.equal(starts, 2);
  open.get('late')?.end();
  for (let second = 0; second < 20; second += 5) await clock.advance(5_000);
  const { done, lost } = await run;
  assert.deepEqual([done, lost], [1, 1]);
});

test('a job leased by another process in between is aborted here, and starts again only after it has ended', async () => {
  const { open, handler } = controlled();
  let starts = 0;
  const stubborn: Handler = async (job, context) => {
    starts += 1;
    if (starts > 1) return undefined;
    try {
      return await handler(job, context);
    } catch {
      return undefined;
    }
  };
  const { clock, queue, orchestrator, store } = await stage(stubborn, { leaseMs: 30_000, heartbeatMs: 600_000 });
  await queue.enqueue('shared', {});
  const run = orchestrator.run({ drain: 'empty' });
  await settle();
  const mine = open.get('shared');
  await store.expire([orchestrator.workerId], clock.now());
  await store.backlog(clock.now(), deathLimits(9));
  // Another process leases it and returns it.
  const exchange = { workerId: 'other', now: clock.now(), leaseMs: 60_000 };
  const picks = [{ host: null, resolver: null, limit: 1 }];
  const [other] = (await store.exchange({ ...exchange, settlements: [], picks })).leased;
  assert.ok(other);
  const settlement = { kind: 'requeue', delayMs: 0, refund: true } as const;
  await store.exchange({ ...exchange, settlements: [{ ...other, settlement }], picks: [] });
  for (let second = 0; second < 60 && !mine?.context.signal.aborted; second += 1) await clock.advance(1_000);
  assert.ok(mine?.context.signal.aborted);
  for (let second = 0; second < 20; second += 1) await clock.advance(1_000);
  assert.equal((await run).done, 1);
  assert.equal(starts, 2);
});
