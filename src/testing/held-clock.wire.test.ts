import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HeldClock, Wire } from './index.ts';

test('no time passes for a request that is sent while the clock is about to move', async () => {
  const turns = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
  };
  // Whenever the request is sent, its deadline must not pass before it ends.
  for (let before = 0; before <= 12; before += 1) {
    const clock = new HeldClock(0);
    const wire = new Wire(clock);
    const request = async (): Promise<void> => {
      await turns(before);
      wire.report({ kind: 'request-sent', host: 'a.test', waitedMs: 0, waited: null, cap: 1 });
      using _deadline = clock.setTimer(30_000, () => undefined);
      await turns(30);
      wire.report({ kind: 'request-done', host: 'a.test', outcome: '200', wireBytes: 1, ms: 0 });
    };
    const { ms } = await wire.settle(request());
    assert.equal(ms, 0, `sent after ${before} turns`);
  }
});
