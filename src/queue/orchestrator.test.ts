import assert from 'node:assert/strict';
import { test } from 'node:test';

import { wait } from '../base/index.ts';
import { createMemoryAdmission, HostTable } from '../hosts/index.ts';
import { HeldClock } from '../testing/index.ts';
import type { QueueEvent } from './events.ts';
import type { Handler, HandlerContext, HandlerJob } from './handler.ts';
import { openStore } from './store.ts';
import type { QueueStore } from './types.ts';
import type { OrchestratorOptions } from './options.ts';
import { deathLimits, ORCHESTRATOR_DEFAULTS } from './options.ts';
import { Orchestrator } from './orchestrator.ts';
import { WorkQueue } from './work-queue.ts';

const OPTIONS: OrchestratorOptions = {
  ...ORCHESTRATOR_DEFAULTS,
  maxWorkers: 4,
  maxParked: 8,
  readyPerHost: 0,
  leaseMs: 60_000,
  heartbeatMs: 20_000,
  maxAttempts: 3,
  maxDeaths: 3,
  retryBackoffMs: 1_000,
  retryJitterMs: 0,
  retryMaxDelayMs: 60_000,
  jobTimeoutMs: 0,
  shutdownGraceMs: 30_000,
};

/** Lets everything that is ready run. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
};

/** A queue in memory on a held clock, with the given handler. */
async function stage(handler: Handler, options: Partial<OrchestratorOptions> = {}) {
  const clock = new HeldClock();
  const store = await openStore(':memory:', { clock });
  const queue = new WorkQueue(store, clock);
  const events: QueueEvent[] = [];
  const orchestrator = new Orchestrator({
    ...OPTIONS,
    ...options,
    queue,
    handler,
    clock,
    report: (event) => void events.push(event),
    random: () => 0,
  });
  return { clock, store, queue, events, orchestrator };
}

/** A handler whose jobs the test ends. */
function controlled() {
  const open = new Map<
    string,
    { readonly job: HandlerJob; readonly context: HandlerContext; readonly end: (error?: Error) => void }
  >();
  const handler: Handler = (job, context) =>
    new Promise((resolve, reject) => {
      context.signal.addEventListener('abort', () => reject(context.signal.reason as Error), { once: true });
      open.set(job.artifactId, {
        job,
        context,
        end: (error) => (open.delete(job.artifactId), error === undefined ? resolve() : reject(error)),
      });
    });
  return { open, handler };
}

test('a drained queue has every job finished, and the summary counts them', async () => {
  const { queue, orchestrator } = await stage((job) => {
    const { kind } = job.payload as { kind: string };
    if (kind === 'skip') return { state: 'skipped', reason: 'ROBOTS: not allowed' };
    if (kind === 'fail') return { state: 'error', reason: 'no such thing' };
    return undefined;
  });
  for (let n = 0; n < 20; n += 1) await queue.enqueue(`job ${n}`, { kind: n === 3 ? 'skip' : n === 5 ? 'fail' : 'do' });
  assert.deepEqual(await orchestrator.run({ drain: 'empty' }), {
    done: 18,
    skipped: 1,
    error: 1,
    requeued: 0,
    lost: 0,
    reason: 'drained',
  });
  assert.equal((await queue.store.admin.find('job 3'))?.lastError, 'ROBOTS: not allowed');
  assert.equal((await queue.store.admin.find('job 5'))?.lastError, 'HANDLER_ERROR: no such thing');
});

test('a drain requested during startup is honoured', async () => {
  const { orchestrator } = await stage(() => undefined);
  const running = orchestrator.run({ drain: 'never' });
  orchestrator.drain('empty');
  assert.equal((await running).reason, 'drained');
});

test('no more jobs run than there are workers, and a free worker is used immediately', async () => {
  const { open, handler } = controlled();
  const { queue, orchestrator } = await stage(handler, { maxWorkers: 2 });
  for (const id of ['a', 'b', 'c', 'd']) await queue.enqueue(id, {});
  const run = orchestrator.run({ drain: 'empty' });
  await settle();
  assert.deepEqual([...open.keys()], ['a', 'b']);
  open.get('a')?.end();
  await settle();
  assert.deepEqual([...open.keys()], ['b', 'c']);
  for (const id of ['b', 'c']) open.get(id)?.end();
  await settle();
  open.get('d')?.end();
  assert.equal((await run).done, 4);
});

test('hosts and resolvers never exceed their limit', async () => {
  const used = new Map<string, number>();
  const most = new Map<string, number>();
  const enter = (key: string, change: number): void => {
    used.set(key, (used.get(key) ?? 0) + change);
    most.set(key, Math.max(most.get(key) ?? 0, used.get(key) ?? 0));
  };
  const { queue, orchestrator } = await stage(
    async (job, context) => {
      const { host, resolver } = job.payload as { host: string; resolver: string };
      await context.withLimits(resolver, `https://${host}/`, async () => {
        for (const key of [host, resolver, 'all']) enter(key, 1);
        await new Promise(setImmediate);
        for (const key of [host, resolver, 'all']) enter(key, -1);
      });
    },
    { maxWorkers: 16, maxPerHost: 3, maxPerResolver: { unpaywall: 2 }, maxParked: 5 },
  );
  for (let n = 0; n < 300; n += 1) {
    await queue.enqueue(`job ${n}`, {
      host: `h${n % 7 === 0 ? 1 : n % 3}.org`,
      resolver: n % 2 ? 'unpaywall' : 'crossref',
    });
  }
  assert.equal((await orchestrator.run({ drain: 'empty' })).done, 300);
  for (const [key, value] of most)
    assert.ok(value <= (key.endsWith('.org') ? 3 : key === 'unpaywall' ? 2 : 16), `${key} had ${value}`);
  assert.equal(most.get('unpaywall'), 2);
});

test('a job that waits for a busy host releases its worker to jobs of other hosts', async () => {
  const entered: string[] = [];
  const gates = new Map<string, () => void>();
  const { queue, orchestrator, events } = await stage(
    (job, context) =>
      context.withLimits(null, (job.payload as { at: string }).at, async () => {
        entered.push(job.artifactId);
        await new Promise<void>((resolve) => gates.set(job.artifactId, resolve));
      }),
    { maxWorkers: 2, maxPerHost: 1 },
  );
  for (const id of ['slow 1', 'slow 2', 'slow 3']) await queue.enqueue(id, { at: 'https://slow.org/' });
  await queue.enqueue('other', { at: 'https://other.org/' });
  const run = orchestrator.run({ drain: 'empty' });
  await settle();
  assert.deepEqual(entered, ['slow 1', 'other']);
  assert.deepEqual([orchestrator.status.running, orchestrator.status.parked], [2, 2]);
  for (const id of ['other', 'slow 1', 'slow 2', 'slow 3']) {
    gates.get(id)?.();
    await settle();
  }
  assert.equal((await run).done, 4);
  assert.equal(events.filter(({ kind }) => kind === 'limits-waited').length, 2);
});

test('when too many wait, a job returns to the queue with its host, without counting an attempt', async () => {
  const gates: (() => void)[] = [];
  const attempts: number[] = [];
  const { queue, orchestrator } = await stage(
    (job, context) => {
      attempts.push(job.attempt);
      return context.withLimits(null, 'https://slow.org/', () => new Promise<void>((resolve) => gates.push(resolve)));
    },
    { maxWorkers: 4, maxPerHost: 1, maxParked: 1 },
  );
  for (const id of ['a', 'b', 'c', 'd']) await queue.enqueue(id, {});
  const run = orchestrator.run({ drain: 'empty' });
  await settle();
  const returned = await queue.store.admin.list({ states: ['queued'] }, { limit: 9 });
  assert.deepEqual(
    returned.map(({ artifactId, host, attempts: spent }) => [artifactId, host, spent]),
    [
      ['c', 'slow.org', 0],
      ['d', 'slow.org', 0],
    ],
  );
  for (let n = 0; n < 4; n += 1) {
    gates.shift()?.();
    await settle();
  }
  assert.equal((await run).done, 4);
  assert.ok(attempts.every((attempt) => attempt === 1));
});

test('jobs that wait for each other never block workers that others need', async () => {
  const robots = Promise.withResolvers<void>();
  const begun: string[] = [];
  const { queue, orchestrator } = await stage(
    async (job, context) => {
      begun.push(job.artifactId);
      const isFirst = begun.length === 1;
      // The first job reads robots.txt for all; the others wait for its result.
      await context.whileWaiting(isFirst ? settle : () => robots.promise);
      if (isFirst) robots.resolve();
    },
    { maxWorkers: 2, maxParked: 1 },
  );
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await queue.enqueue(id, {});
  const run = orchestrator.run({ drain: 'empty' });
  await settle();
  assert.ok(begun.length >= 3);
  for (let turn = 0; turn < 5; turn += 1) await settle();
  assert.equal((await queue.stats()).states.done, 6);
  assert.equal((await run).done, 6);
});

test('no more jobs are leased than workers plus the allowed waiters', async () => {
  const gate = Promise.withResolvers<void>();
  const { queue, orchestrator } = await stage((_job, context) => context.whileWaiting(() => gate.promise), {
    maxWorkers: 2,
    maxParked: 3,
  });
  for (let n = 0; n < 20; n += 1) await queue.enqueue(`job ${n}`, {});
  const run = orchestrator.run({ drain: 'empty' });
  await settle();
  assert.equal((await queue.stats()).states.in_progress, 5);
  gate.resolve();
  assert.equal((await run).done, 20);
});

test('jobs of a full host stay in the queue while others run', async () => {
  const { open, handler } = controlled();
  const { queue, orchestrator } = await stage(
    (job, context) =>
      context.withLimits(null, (job.payload as { url: string }).url, () => Promise.resolve(handler(job, context))),
    {
      maxWorkers: 4,
      maxPerHost: 1,
    },
  );
  for (const n of [1, 2, 3, 4]) await queue.enqueue(`a${n}`, { url: `https://a.org/${n}` });
  for (const n of [1, 2]) await queue.enqueue(`b${n}`, { url: `https://b.org/${n}` });
  const run = orchestrator.run({ drain: 'empty' });
  await settle();
  assert.deepEqual([...open.keys()].sort(), ['a1', 'b1']);
  assert.equal(orchestrator.status.parked, 0);
  while (open.size > 0) {
    for (const id of open.keys()) open.get(id)?.end();
    await settle();
  }
  assert.equal((await run).done, 6);
});

test('a handler that throws is retried with a growing delay, and fails after the last attempt', async () => {
  const at: number[] = [];
  const { queue, orchestrator, clock } = await stage(() => {
    at.push(clock.monotonic());
    throw Object.assign(new Error('nothing there'), { code: 'HTTP_500' });
  });
  await queue.enqueue('a', {});
  const run = orchestrator.run({ drain: 'empty' });
  await clock.advance(10_000);
  assert.deepEqual(await run, { done: 0, skipped: 0, error: 1, requeued: 2, lost: 0, reason: 'drained' });
  assert.deepEqual([at.length, at[0], at[1], at[2]], [3, 0, 1000, 3000]);
  assert.equal((await queue.store.admin.find('a'))?.lastError, 'HTTP_500: nothing there');
});

test('an error marked as final is not retried', async () => {
  const { queue, orchestrator } = await stage(() => {
    throw Object.assign(new Error('never'), { retryable: false });
  });
  await queue.enqueue('a', {});
  assert.equal((await orchestrator.run({ drain: 'empty' })).error, 1);
  assert.equal((await queue.store.admin.find('a'))?.attempts, 1);
});

test('a retryAt does not count as an attempt', async () => {
  let calls = 0;
  const { queue, orchestrator, clock } = await stage((job) => {
    calls += 1;
    assert.equal(job.attempt, 1);
    return calls < 6 ? { retryAt: clock.now() + 5_000, reason: 'HTTP_429: later' } : undefined;
  });
  await queue.enqueue('a', {});
  const run = orchestrator.run({ drain: 'empty' });
  await clock.advance(24_999);
  assert.equal(calls, 5);
  await clock.advance(1_500);
  assert.equal((await run).done, 1);
});

test('an invalid return value is a failure like any other', async () => {
  const { queue, orchestrator } = await stage((() => ({ state: 'perhaps' })) as unknown as Handler, { maxAttempts: 1 });
  await queue.enqueue('a', {});
  assert.equal((await orchestrator.run({ drain: 'empty' })).error, 1);
  assert.match((await queue.store.admin.find('a'))?.lastError ?? '', /^HANDLER_OUTCOME_INVALID: .*perhaps/);
});

test('a job that runs too long is aborted; one that ignores it is abandoned, and its worker is free again', async () => {
  const signals: AbortSignal[] = [];
  const { queue, orchestrator, clock, events } = await stage(
    (job, context) => {
      if (job.artifactId === 'quick') return undefined;
      signals.push(context.signal);
      return new Promise(() => undefined);
    },
    { maxWorkers: 1, jobTimeoutMs: 10_000, maxAttempts: 1 },
  );
  await queue.enqueue('hangs', {});
  await queue.enqueue('quick', {});
  const run = orchestrator.run({ drain: 'empty' });
  await clock.advance(10_500);
  assert.equal(signals[0]?.aborted, true);
  await clock.advance(7_000);
  assert.deepEqual(await run, { done: 1, skipped: 0, error: 1, requeued: 0, lost: 0, reason: 'drained' });
  assert.match((await queue.store.admin.find('hangs'))?.lastError ?? '', /^JOB_TIMEOUT: /);
  assert.equal(events.filter(({ kind }) => kind === 'job-abandoned').length, 1);
});

test('the time that a job waits for its host does not count towards its time limit', async () => {
  const { open, handler } = controlled();
  const { queue, orchestrator, clock } = await stage(
    (job, context) => context.withLimits(null, 'https://a.org/', () => Promise.resolve(handler(job, context))),
    { maxPerHost: 1, jobTimeoutMs: 10_000, maxAttempts: 1 },
  );
  for (const id of ['first', 'second']) await queue.enqueue(id, {});
  const run = orchestrator.run({ drain: 'empty' });
  await settle();
  for (const id of ['first', 'second']) {
    for (let second = 0; second < 8; second += 1) await clock.advance(1_000);
    assert.deepEqual([...open.keys()], [id]);
    open.get(id)?.end();
    await settle();
  }
  assert.deepEqual([(await run).done, (await run).error], [2, 0]);
});

test('half of the parking places stay free for jobs that learn their host while they run', async () => {
  const { open, handler } = controlled();
  const { queue, orchestrator } = await stage(
    (job, context) =>
      context.withLimits(null, (job.payload as { url: string }).url, () => Promise.resolve(handler(job, context))),
    { maxWorkers: 6, maxPerHost: 1, readyPerHost: 1, maxParked: 4 },
  );
  for (let n = 0; n < 20; n += 1) await queue.enqueue(`job ${n}`, { url: `https://host-${n % 5}.org/${n}` });
  const run = orchestrator.run({ drain: 'empty' });
  await settle();
  const { parked } = orchestrator.status;
  while (open.size > 0) {
    for (const { end } of open.values()) end();
    await settle();
  }
  const { done, requeued } = await run;
  assert.deepEqual([parked, done, requeued], [2, 20, 0]);
});

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

test('a paused host starts no download of any job', async () => {
  const entered: string[] = [];
  const { queue, orchestrator, store, clock } = await stage((job, context) =>
    context.withLimits(null, (job.payload as { at: string }).at, () =>
      Promise.resolve(void entered.push(job.artifactId)),
    ),
  );
  await store.admin.pause('host', 'a.org', clock.now());
  await queue.enqueue('unknown', { at: 'https://a.org/1' });
  await queue.enqueue('known', { url: 'https://a.org/2', at: 'https://a.org/2' });
  await queue.enqueue('other', { at: 'https://b.org/' });
  const run = orchestrator.run({ drain: 'empty' });
  await clock.advance(60_000);
  assert.deepEqual(entered, ['other']);
  await store.admin.resume('host', 'a.org');
  assert.equal((await run).done, 3);
});

test('a rate-limited host is held and gets a smaller limit, which success restores step by step', async () => {
  const { queue, orchestrator, clock, events } = await stage(
    (job, context) =>
      context.withLimits(null, 'https://busy.org/', (window) => {
        if (job.artifactId.startsWith('early')) window.throttled({ retryAt: clock.now() + 10_000 });
        return Promise.resolve();
      }),
    { maxWorkers: 1 },
  );
  for (const n of [1, 2]) await queue.enqueue(`early ${n}`, {});
  for (let n = 0; n < 25; n += 1) await queue.enqueue(`late ${n}`, {});
  const run = orchestrator.run({ drain: 'empty' });
  await settle();
  assert.deepEqual(
    orchestrator.throttled.map(({ host, cap }) => [host, cap]),
    [['busy.org', 4]],
  );
  await clock.advance(9_999);
  assert.equal(orchestrator.status.counts.done, 1);
  await clock.advance(1);
  assert.deepEqual(
    orchestrator.throttled.map(({ cap }) => cap),
    [2],
  );
  await clock.advance(10_000);
  assert.equal((await run).done, 27);
  assert.deepEqual(
    events.flatMap((event) => (event.kind === 'host-restored' ? [event.cap] : [])),
    [3, 4],
  );
  assert.deepEqual(orchestrator.throttled, []);
});

test('an error with status 429 or 503 slows down its host automatically', async () => {
  const { queue, orchestrator, events, clock } = await stage((job, context) =>
    context.withLimits(null, 'https://busy.org/', () =>
      job.attempt === 1
        ? Promise.reject(Object.assign(new Error('busy'), { status: 503, retryAt: clock.now() + 500 }))
        : Promise.resolve(),
    ),
  );
  await queue.enqueue('a', {});
  const run = orchestrator.run({ drain: 'empty' });
  await clock.advance(3_000);
  assert.equal((await run).done, 1);
  assert.equal(events.filter(({ kind }) => kind === 'host-throttled').length, 1);
  assert.deepEqual(
    events.flatMap((event) => (event.kind === 'host-restored' ? [event.full] : [])),
    [true],
    'the end is reported even if the cap was never lowered',
  );
});

test('jobs of a held host are not leased before their time, and delay no others', async () => {
  const started: string[] = [];
  const { queue, store, clock, orchestrator } = await stage(
    (job, context) =>
      context.withLimits(null, (job.payload as { url: string }).url, async (window) => {
        started.push(job.artifactId);
        if (job.artifactId === 'held 0') window.throttled({ retryAt: clock.now() + 100_000 });
        else if (job.artifactId.startsWith('free')) await wait(clock, 1_000);
      }),
    { maxWorkers: 40, maxPerHost: 1, readyPerHost: 1 },
  );
  await queue.bulkImport(
    Array.from({ length: 2_000 }, (_, at) => ({
      artifactId: at % 2 ? `free ${at}` : `held ${at}`,
      payload: { url: at % 2 ? `https://h${at % 40}.org/` : 'https://held.org/' },
    })),
  );
  const run = orchestrator.run({ drain: 'empty' });
  await settle();
  // A thousand jobs of twenty hosts, a second each, one at a time per host.
  await clock.advance(52_500);
  assert.equal(started.filter((id) => id.startsWith('free')).length, 1_000);
  assert.equal(orchestrator.status.counts.done, 1_001);
  assert.deepEqual(
    started.filter((id) => id.startsWith('held')),
    ['held 0'],
  );
  const { leases } = await store.admin.stats(clock.now());
  assert.ok(leases.reduce((sum, { jobs }) => sum + jobs, 0) <= 1, 'at most the job that was ready when the hold began');
  await clock.advance(50_000);
  assert.equal((await run).done, 2_000);
});

test('a job that finds its host paused is returned without counting an attempt, and does not hold up drain-now', async () => {
  const { queue, store, clock, orchestrator } = await stage((job, context) =>
    context.withLimits(null, (job.payload as { at: string }).at, () => Promise.resolve()),
  );
  await store.admin.pause('host', 'a.org', clock.now());
  await queue.enqueue('unknown', { at: 'https://a.org/1' });
  const run = orchestrator.run({ drain: 'due' });
  await clock.advance(2_000);
  const summary = await run;
  assert.deepEqual([summary.done, summary.reason], [0, 'drained']);
  const job = await store.admin.find('unknown');
  assert.deepEqual([job?.state, job?.host, job?.attempts], ['queued', 'a.org', 0]);
});

test('a work with other sources tries a host held for hours last', async () => {
  const ran: string[] = [];
  const clock = new HeldClock();
  const store = await openStore(':memory:', { clock });
  const queue = new WorkQueue(store, clock);
  const admission = createMemoryAdmission({
    clock,
    table: new HostTable({ perHost: { perSecond: Infinity, concurrency: 1 } }),
  });
  admission.hold('held.org', { at: clock.now() + 3_600_000, reason: 'rate-limited' });
  const orchestrator = new Orchestrator({
    ...OPTIONS,
    heldLanes: 'try',
    queue,
    clock,
    admission,
    handler: (job) => void ran.push(job.artifactId),
  });
  await queue.enqueue('held', { url: 'https://held.org/' });
  await queue.enqueue('free', { url: 'https://free.org/' });
  const run = orchestrator.run({ drain: 'due' });
  await clock.advance(2_000);
  assert.equal((await run).done, 2);
  assert.deepEqual(ran, ['free', 'held']);
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

test('jobs enqueued while the queue is idle start immediately', async () => {
  const { open, handler } = controlled();
  const { queue, orchestrator } = await stage(handler);
  const stop = new AbortController();
  const run = orchestrator.run({ signal: stop.signal });
  await settle();
  await queue.enqueue('a', {});
  await settle();
  assert.deepEqual([...open.keys()], ['a']);
  open.get('a')?.end();
  stop.abort();
  assert.equal((await run).done, 1);
});

test('jobs of higher priority overtake waiting ones', async () => {
  const order: string[] = [];
  const { queue, orchestrator } = await stage((job) => void order.push(job.artifactId), { maxWorkers: 1 });
  await queue.enqueue('low', {}, { priority: -1 });
  await queue.enqueue('hosted', { url: 'https://a.org/' });
  await queue.enqueue('high', {}, { priority: 9, resolverHint: 'arxiv' });
  await orchestrator.run({ drain: 'empty' });
  assert.deepEqual(order, ['high', 'hosted', 'low']);
});

test('jobs with known and with unknown hosts alternate', async () => {
  const order: string[] = [];
  const { queue, orchestrator } = await stage((job) => void order.push(job.artifactId.slice(0, 1)), { maxWorkers: 1 });
  for (let n = 0; n < 10; n += 1) {
    await queue.enqueue(`hosted ${n}`, { url: 'https://a.org/' });
    await queue.enqueue(`unknown ${n}`, {});
  }
  await orchestrator.run({ drain: 'empty' });
  assert.ok(order.slice(0, 10).filter((letter) => letter === 'h').length === 5, order.join(''));
});

test('a payload that is not JSON fails its job immediately', async () => {
  const { store, orchestrator } = await stage(() => undefined);
  await store.enqueue([{ artifactId: 'a', artifactJson: '{broken' }], 0);
  assert.equal((await orchestrator.run({ drain: 'empty' })).error, 1);
  assert.match((await store.admin.find('a'))?.lastError ?? '', /^ARTIFACT_INVALID: /);
});

test('a failing store stops the run with its error after running jobs have ended', async () => {
  const { open, handler } = controlled();
  const { queue, orchestrator, store } = await stage(handler);
  await queue.enqueue('a', {});
  const run = orchestrator.run({ drain: 'empty' });
  await settle();
  store.exchange = () => Promise.reject(Object.assign(new Error('no space'), { code: 'DISK_FULL' }));
  open.get('a')?.end();
  await assert.rejects(run, { code: 'DISK_FULL' });
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
