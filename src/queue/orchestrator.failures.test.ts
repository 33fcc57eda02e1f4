import assert from 'node:assert/strict';
import { test } from 'node:test';

import { controlled, settle, stage } from '../../test/support/run-orchestrator.ts';
import type { Handler } from './handler.ts';

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
