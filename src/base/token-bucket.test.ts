import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HeldClock } from '../testing/index.ts';
import { TokenBucket } from './token-bucket.ts';

const create = (options: { capacity: number; refillPerSecond: number; burst?: number }) => {
  const clock = new HeldClock();
  return { clock, bucket: new TokenBucket({ clock, ...options }) };
};

test('as many as fit go through at once, the next is told how long to wait', () => {
  const { bucket } = create({ capacity: 2, refillPerSecond: 4, burst: 1 });
  assert.deepEqual([bucket.consume(), bucket.consume(), bucket.consume()], [0, 0, 0]);
  assert.equal(bucket.consume(), 250);
  assert.equal(bucket.consume(2), 500);
});

test('tokens come back with time and never exceed capacity and burst', async () => {
  const { bucket, clock } = create({ capacity: 3, refillPerSecond: 1, burst: 2 });
  bucket.consume(5);
  await clock.advance(2_000);
  assert.equal(bucket.available, 2);
  await clock.advance(3_600_000);
  assert.equal(bucket.available, 5);
});

test('what was not used is given back, and whoever waits gets it', async () => {
  const { bucket } = create({ capacity: 1, refillPerSecond: 0.001 });
  bucket.consume();
  const waiting = bucket.take();
  bucket.refund();
  await waiting;
  bucket.refund(10);
  assert.equal(bucket.available, 1);
});

test('a bucket that is never refilled asks to wait for ever instead of dividing by zero', () => {
  const { bucket } = create({ capacity: 1, refillPerSecond: 0 });
  assert.equal(bucket.consume(), 0);
  assert.equal(bucket.consume(), Infinity);
});

test('an empty burst does not matter', () => {
  const { bucket } = create({ capacity: 0, refillPerSecond: 10, burst: 1 });
  assert.equal(bucket.consume(), 0);
  assert.equal(bucket.consume(), 100);
});

test('those who wait are served in order, exactly as fast as tokens come', async () => {
  const { bucket, clock } = create({ capacity: 10, refillPerSecond: 100 });
  const served: { n: number; at: number }[] = [];
  const waiting = Array.from({ length: 2_010 }, (_, n) =>
    bucket.take().then(() => served.push({ n, at: clock.monotonic() })),
  );
  await clock.advance(19_990);
  assert.equal(served.length, 2_009);
  await clock.advance(10);
  await Promise.all(waiting);
  assert.deepEqual(
    served.map(({ n }) => n),
    Array.from({ length: 2_010 }, (_, n) => n),
  );
  for (const [at, each] of served.slice(10).entries())
    assert.ok(Math.abs(each.at - (at + 1) * 10) < 0.01, `${at} came at ${each.at}`);
});

test('one who asks without waiting does not overtake those who wait', async () => {
  const { bucket, clock } = create({ capacity: 1, refillPerSecond: 1 });
  bucket.consume();
  const waiting = bucket.take();
  assert.ok(bucket.consume() > 0);
  await clock.advance(1_000);
  assert.equal(await waiting, 1_000);
});

test('one who gives up makes room for the next', async () => {
  const { bucket, clock } = create({ capacity: 5, refillPerSecond: 1 });
  bucket.consume(5);
  const giveUp = new AbortController();
  const large = bucket.take(5, giveUp.signal);
  const small = bucket.take(1);
  giveUp.abort(new Error('enough'));
  await assert.rejects(large, /enough/);
  await clock.advance(1_000);
  await small;
});

test('a calendar that jumps changes nothing', async () => {
  const { bucket, clock } = create({ capacity: 1, refillPerSecond: 1 });
  bucket.consume();
  clock.jump(1e9);
  assert.equal(bucket.consume(), 1_000);
  clock.jump(-2e9);
  await clock.advance(1_000);
  assert.equal(bucket.consume(), 0);
});

test('an amount that can never fit is refused', async () => {
  const { bucket } = create({ capacity: 1, refillPerSecond: 1 });
  await assert.rejects(bucket.take(2), { code: 'RATE_AMOUNT_TOO_LARGE' });
});
