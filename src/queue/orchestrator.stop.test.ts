import assert from 'node:assert/strict';
import { test } from 'node:test';

import { OPTIONS, controlled, settle, stage } from '../../test/support/run-orchestrator.ts';
import { HeldClock } from '../testing/index.ts';
import type { Handler } from './handler.ts';
import { openStore } from './store.ts';
import type { QueueStore } from './types.ts';
import { Orchestrator } from './orchestrator.ts';
import { WorkQueue } from './work-queue.ts';

test('stopping lets running jobs finish and starts no new ones', async () => {
  const { open, handler } = controlled();
  const { queue, orchestrator } = await stage(handler, { maxWorkers: 1 });
  for (const id of ['a', 'b']) await queue.enqueue(id, {});
  const stop = new AbortController();
  const run = orchestrator.run({ signal: stop.signal });
  await settle();
  stop.abort();
  await settle();
  open.get('a')?.end();
  assert.deepEqual(await run, { done: 1, skipped: 0, error: 0, requeued: 0, lost: 0, reason: 'stopped' });
  assert.equal((await queue.store.admin.find('b'))?.state, 'queued');
});

test('a stop while jobs are being leased returns them immediately', async () => {
  let ran = 0;
  const { queue, orchestrator, store } = await stage(() => void (ran += 1));
  await queue.enqueue('a', {});
  const exchange = store.exchange.bind(store);
  const { promise: leased, resolve: markLeased } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  store.exchange = async (request) => {
    const result = await exchange(request);
    markLeased();
    await released;
    return result;
  };
  const stop = new AbortController();
  const run = orchestrator.run({ signal: stop.signal });
  await leased;
  stop.abort();
  await settle();
  release();
  assert.equal((await run).reason, 'stopped');
  const job = await store.admin.find('a');
  assert.deepEqual([ran, job?.state, job?.attempts, job?.workerId], [0, 'queued', 0, null]);
});

test('after the grace time running jobs are aborted and requeued without counting the attempt', async () => {
  const { handler } = controlled();
  const { queue, orchestrator, clock } = await stage(handler);
  await queue.enqueue('a', {});
  const stop = new AbortController();
  const run = orchestrator.run({ signal: stop.signal });
  await settle();
  stop.abort();
  await clock.advance(29_999);
  assert.equal((await queue.store.admin.find('a'))?.state, 'in_progress');
  await clock.advance(1);
  assert.equal((await run).requeued, 1);
  const job = await queue.store.admin.find('a');
  assert.deepEqual([job?.state, job?.attempts, job?.availableAt, job?.workerId], ['queued', 0, null, null]);
});

test('stopping returns jobs that wait for a host without waiting for the grace time', async () => {
  const { queue, orchestrator } = await stage(
    (_job, context) =>
      context.withLimits(
        null,
        'https://a.org/',
        () =>
          new Promise<void>((_, reject) =>
            context.signal.addEventListener('abort', () => reject(context.signal.reason as Error)),
          ),
      ),
    {
      maxPerHost: 1,
      maxWorkers: 2,
      shutdownGraceMs: 0,
    },
  );
  for (const id of ['runs', 'waits']) await queue.enqueue(id, {});
  const stop = new AbortController();
  const run = orchestrator.run({ signal: stop.signal });
  await settle();
  assert.equal(orchestrator.status.parked, 1);
  stop.abort();
  await settle();
  assert.equal((await queue.store.admin.find('waits'))?.state, 'queued');
  void run;
});

test('a paused queue starts nothing until it is resumed', async () => {
  let ran = 0;
  const { queue, orchestrator, store, clock } = await stage(() => void (ran += 1));
  await store.admin.pause('all', '', clock.now());
  await queue.enqueue('a', {});
  const run = orchestrator.run({ drain: 'empty' });
  await clock.advance(100_000);
  assert.equal(ran, 0);
  await store.admin.resume('all', '');
  assert.equal((await run).done, 1);
});

test('draining waits for paused jobs and ends when they are cancelled; drain-now does not wait', async () => {
  const { queue, store, clock, orchestrator } = await stage(() => undefined);
  await store.admin.pause('all', '', clock.now());
  await queue.enqueue('a', {});
  const due = await new Orchestrator({ ...OPTIONS, queue, clock, handler: () => undefined }).run({ drain: 'due' });
  assert.deepEqual([due.reason, due.done], ['drained', 0]);
  let ended = false;
  const run = orchestrator.run({ drain: 'empty' }).finally(() => (ended = true));
  await clock.advance(100_000);
  assert.equal(ended, false);
  await store.admin.cancel((await store.admin.find('a'))?.id ?? 0, clock.now());
  await clock.advance(1_000);
  assert.equal((await run).reason, 'drained');
});

test('drain-now does not wait for due jobs of a paused host or resolver', async () => {
  const { queue, store, clock, orchestrator } = await stage(() => undefined);
  await store.admin.pause('host', 'a.org', clock.now());
  await store.admin.pause('resolver', 'arxiv', clock.now());
  await queue.enqueue('host', { url: 'https://a.org/1' });
  await queue.enqueue('resolver', {}, { resolverHint: 'arxiv' });
  await queue.enqueue('free', {});
  assert.equal((await orchestrator.run({ drain: 'due' })).done, 1);
  assert.equal((await store.admin.stats(clock.now())).due, 2);
});

test('draining waits for delayed jobs; drain-now does not', async () => {
  const handler: Handler = (job) => (job.artifactId === 'later' ? { retryAt: clock.now() + 50_000 } : undefined);
  const { queue, orchestrator, clock } = await stage(handler);
  await queue.enqueue('later', {});
  await queue.enqueue('now', {});
  assert.deepEqual(await orchestrator.run({ drain: 'due' }), {
    done: 1,
    skipped: 0,
    error: 0,
    requeued: 1,
    lost: 0,
    reason: 'drained',
  });
});

test('draining waits for jobs of another process, and takes them over when it dies', async () => {
  const { queue, orchestrator, clock } = await stage(() => undefined);
  await queue.enqueue('a', {});
  await queue.lease('other process', 1, { leaseMs: 30_000 });
  let ended = false;
  const run = orchestrator.run({ drain: 'empty' }).finally(() => (ended = true));
  await clock.advance(29_999);
  assert.equal(ended, false);
  await clock.advance(2_000);
  assert.equal((await run).done, 1);
});

test('a process that leaves is not announced again by a pending write', async () => {
  const clock = new HeldClock();
  const store = await openStore(':memory:', { clock });
  const slow = Promise.withResolvers<void>();
  let announcements = 0;
  const announce: QueueStore['announce'] = async (...given) => {
    announcements += 1;
    if (announcements === 2) await slow.promise;
    await store.announce(...given);
  };
  const slowed = new Proxy(store, {
    get: (target, name): unknown => {
      const value: unknown = name === 'announce' ? announce : Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const orchestrator = new Orchestrator({
    ...OPTIONS,
    queue: new WorkQueue(slowed, clock),
    handler: () => undefined,
    clock,
  });
  const stop = new AbortController();
  await orchestrator.start({ signal: stop.signal });
  await clock.advance(OPTIONS.heartbeatMs);
  assert.equal(announcements, 2);
  stop.abort();
  await orchestrator.ended;
  const left = orchestrator.leave();
  slow.resolve();
  await left;
  assert.deepEqual((await store.admin.stats(clock.now())).workers, []);
});
