import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HeldClock } from '../testing/index.ts';
import { backoffDelay, systemClock, wait } from './clock.ts';

test('equal jitter is at least half of the doubled delay, up to the cap', () => {
  const delays = (random: number) =>
    [1, 2, 3, 10, 5_000].map((attempt) => backoffDelay(attempt, { baseMs: 100, capMs: 1_000, random: () => random }));
  assert.deepEqual(delays(0), [50, 100, 200, 500, 500]);
  assert.deepEqual(delays(1), [100, 200, 400, 1_000, 1_000]);
});

test('additive jitter is added to the doubled delay', () => {
  assert.equal(backoffDelay(3, { baseMs: 60, jitterMs: 15, capMs: 1e9, random: () => 0 }), 240);
  assert.equal(backoffDelay(3, { baseMs: 60, jitterMs: 15, capMs: 100, random: () => 1 }), 115);
});

test('a wait ends with the clock or its signal', async () => {
  const clock = new HeldClock();
  let ended = false;
  const waiting = wait(clock, 1_000).then(() => (ended = true));
  await clock.advance(999);
  assert.equal(ended, false);
  await clock.advance(1);
  await waiting;
  const stop = new AbortController();
  const stopped = wait(clock, 1_000, stop.signal);
  stop.abort(new Error('stop'));
  await assert.rejects(stopped, /stop/);
  assert.equal(clock.pending, 0);
});

test('a wait of a month does not fire immediately', () => {
  let fired = false;
  const timer = systemClock.setTimer(2 ** 31 + 5, () => (fired = true));
  timer[Symbol.dispose]();
  assert.equal(fired, false);
});
