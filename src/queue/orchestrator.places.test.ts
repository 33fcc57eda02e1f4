import assert from 'node:assert/strict';
import { test } from 'node:test';

import { controlled, settle, stage } from '../../test/support/run-orchestrator.ts';

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
