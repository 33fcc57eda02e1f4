import assert from 'node:assert/strict';
import { test } from 'node:test';

import { OPTIONS, settle, stage } from '../../test/support/run-orchestrator.ts';
import { wait } from '../base/index.ts';
import { createMemoryAdmission, HostTable } from '../hosts/index.ts';
import { HeldClock } from '../testing/index.ts';
import { openStore } from './store.ts';
import { Orchestrator } from './orchestrator.ts';
import { WorkQueue } from './work-queue.ts';

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
