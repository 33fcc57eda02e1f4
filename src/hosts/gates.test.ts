import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Clock } from '../base/index.ts';
import { HostTable } from './host-table.ts';
import { createMemoryAdmission } from './memory/admission.ts';

/** A clock on which time passes whenever it is looked at, as it does on a busy machine. */
function creepingClock(stepMs: number): Clock {
  let time = 0;
  return {
    now: () => (time += stepMs),
    monotonic: () => (time += stepMs),
    setTimer(delayMs, fire) {
      time += delayMs;
      const handle = setImmediate(fire);
      return { ref: () => undefined, unref: () => undefined, [Symbol.dispose]: () => clearImmediate(handle) };
    },
  };
}

test('nobody is left in line when a gate opens between the look at it and the setting of its alarm', async () => {
  for (let stepMs = 1; stepMs <= 210; stepMs += 1) {
    await using admission = createMemoryAdmission({
      clock: creepingClock(stepMs),
      table: new HostTable({ perHost: { perSecond: 5, concurrency: 2 }, pools: [] }),
    });
    for (let request = 0; request < 4; request += 1) {
      let isSettled = false;
      const turn = admission.acquire(['slow.org'], { patienceMs: 60_000, longestLineMs: 60_000 });
      void turn.then(() => (isSettled = true));
      for (let look = 0; look < 10; look += 1) await new Promise(setImmediate);
      assert.ok(isSettled, `request ${request} with steps of ${stepMs} ms`);
      const answer = await turn;
      if (answer.kind === 'go') answer.slot[Symbol.dispose]();
    }
  }
});
