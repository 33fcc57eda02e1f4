import assert from 'node:assert/strict';
import { test } from 'node:test';

import { systemClock, wait } from '../base/index.ts';
import { loadConfig } from '../config/index.ts';
import { HeldClock } from '../testing/index.ts';
import { openAsking, scaledClock } from './open-download.ts';

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

test('pauses between requests cannot be shortened on the real web', async () => {
  const settings = (allow: readonly string[]): Parameters<typeof loadConfig>[0] => ({
    flags: [
      { path: ['http', 'contact'], value: 'ada@university.example', origin: 'test' },
      { path: ['http', 'time_scale'], value: 0.05, origin: 'test' },
      { path: ['http', 'allow'], value: allow, origin: 'test' },
    ],
  });
  const runtime = { clock: systemClock, log: () => undefined };
  const { config: real } = loadConfig(settings([]));
  assert.throws(() => openAsking(real, runtime), { code: 'CONFIG_INVALID', message: /http\.time_scale/ });
  const { config: simulated } = loadConfig(settings(['127.0.0.1:8080']));
  await using _asking = openAsking(simulated, runtime);
});
