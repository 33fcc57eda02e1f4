import assert from 'node:assert/strict';
import { test } from 'node:test';

import { controlled, settle, stage } from '../../test/support/run-orchestrator.ts';

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
