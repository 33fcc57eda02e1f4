import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openStore, WorkQueue } from '../queue/index.ts';
import { HeldClock } from '../testing/index.ts';
import { askAgain } from './run.ts';

test('works that failed because a service was down are retried by the next run, unavailable works are not', async () => {
  const clock = new HeldClock();
  await using store = await openStore(':memory:');
  const queue = new WorkQueue(store, clock);
  for (const [id, code] of [
    ['W1', 'LOOKUP_FAILED'],
    ['W2', 'NO_PLAN'],
  ] as const) {
    await queue.enqueue(id, {});
    const [leased] = await queue.lease('worker', 1);
    assert.ok(leased);
    await queue.ack(leased, 'error', { code, message: 'no' });
  }
  const logged: string[] = [];
  await askAgain({ queue, clock, log: (_level, message) => void logged.push(message) });
  assert.deepEqual(logged, ['retrying 1 work whose lookup failed']);
  const [again, ...none] = await queue.lease('worker', 5);
  assert.deepEqual([again?.artifactId, none.length], ['W1', 0]);
});
