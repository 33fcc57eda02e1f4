import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Limits } from './limits.ts';

const POOL = { name: 'arxiv', perSecond: 1 / 3, burst: 1, concurrency: 1 };

test('a slightly early request is tolerated, but not repeatedly', () => {
  const limits = new Limits(50);
  const verdicts = [0, 2_900, 5_800, 8_700].map((at) => {
    const admission = limits.arrive(POOL, at);
    if (admission.kind === 'admitted') limits.leave(POOL);
    return admission.kind;
  });
  assert.deepEqual(verdicts, ['admitted', 'admitted', 'refused', 'admitted']);
});

test('a burst is allowed once and refills at the rate of the pool', () => {
  const limits = new Limits(0);
  const pool = { name: 'doaj', perSecond: 2, burst: 5 };
  const many = (at: number): number =>
    Array.from({ length: 10 }, () => limits.arrive(pool, at)).filter(({ kind }) => kind === 'admitted').length;
  assert.deepEqual([many(0), many(500), many(1_000), many(60_000)], [5, 1, 1, 5]);
});

test('requests in flight count until they end, and the wait is in whole seconds', () => {
  const limits = new Limits(0);
  limits.arrive(POOL, 0);
  assert.deepEqual(limits.arrive(POOL, 10_000), { kind: 'refused', rule: 'concurrency', waitSeconds: 1 });
  limits.leave(POOL);
  assert.deepEqual(limits.arrive(POOL, 1_000), { kind: 'refused', rule: 'rate', waitSeconds: 2 });
});
