import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HeldClock } from '../testing/index.ts';
import { scaledClock, wait } from './clock.ts';

test('waits of a scaled clock take their share of real time, and the clock shows the full time', async () => {
  const real = new HeldClock();
  const fast = scaledClock(real, 0.05);
  const [began, readBegan] = [fast.monotonic(), fast.now()];
  let ended = false;
  const waiting = wait(fast, 20_000).then(() => (ended = true));
  await real.advance(999);
  assert.equal(ended, false);
  await real.advance(1);
  await waiting;
  assert.equal(Math.round(fast.monotonic() - began), 20_000);
  assert.equal(Math.round(fast.now() - readBegan), 20_000);
});
