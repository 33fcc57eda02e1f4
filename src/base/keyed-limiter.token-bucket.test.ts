import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HeldClock } from '../testing/index.ts';
import { TokenBucket } from './keyed-limiter.ts';

const create = (options: { capacity: number; refillPerSecond: number; burst?: number }) => {
  const clock = new HeldClock();
  return { clock, bucket: new TokenBucket({ clock, ...options }) };
};

test('requests up to the capacity pass immediately, the next gets a delay', () => {
  const { bucket } = create({ capacity: 2, refillPerSecond: 4, burst: 1 });
  assert.deepEqual([bucket.consume(), bucket.consume(), bucket.consume()], [0, 0, 0]);
  assert.equal(bucket.consume(), 250);
  assert.equal(bucket.consume(2), 500);
});

test('tokens refill over time up to capacity and burst', async () => {
  const { bucket, clock } = create({ capacity: 3, refillPerSecond: 1, burst: 2 });
  bucket.consume(5);
  await clock.advance(2_000);
  assert.equal(bucket.available, 2);
  await clock.advance(3_600_000);
  assert.equal(bucket.available, 5);
});

test('unused tokens are returned, up to the capacity', () => {
  const { bucket } = create({ capacity: 1, refillPerSecond: 0.001 });
  bucket.consume();
  bucket.refund();
  assert.equal(bucket.consume(), 0);
  bucket.refund(10);
  assert.equal(bucket.available, 1);
  assert.equal(bucket.consume(), 0);
});

test('overdrawn tokens make others wait longer', async () => {
  const { bucket, clock } = create({ capacity: 1, refillPerSecond: 1 });
  bucket.spend(3);
  assert.equal(bucket.waitMs(), 3_000);
  await clock.advance(3_000);
  assert.equal(bucket.isFull(), true);
});

test('a bucket without refill waits forever instead of dividing by zero', () => {
  const { bucket } = create({ capacity: 1, refillPerSecond: 0 });
  assert.equal(bucket.consume(), 0);
  assert.equal(bucket.consume(), Infinity);
});

test('a burst of zero is fine', () => {
  const { bucket } = create({ capacity: 0, refillPerSecond: 10, burst: 1 });
  assert.equal(bucket.consume(), 0);
  assert.equal(bucket.consume(), 100);
});

test('clock jumps have no effect', async () => {
  const { bucket, clock } = create({ capacity: 1, refillPerSecond: 1 });
  bucket.consume();
  clock.jump(1e9);
  assert.equal(bucket.consume(), 1_000);
  clock.jump(-2e9);
  await clock.advance(1_000);
  assert.equal(bucket.consume(), 0);
});
