import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Clock } from '../base/index.ts';
import { HeldClock } from '../testing/index.ts';
import { LocalAllowance } from './allowance.ts';
import type { CreateAllowance } from './gates.ts';
import { Gates } from './gates.ts';
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

test('who needs a host and its service wants a place at the service once it has one at the host', async () => {
  const wants = new Map<string, number[]>();
  const places = new Map<string, { count: number; changed: () => void }>();
  /** Places that somebody else gives out. */
  const elsewhere: CreateAllowance = (key, pace, changed) => {
    const place = { count: 0, changed };
    places.set(key, place);
    const local = new LocalAllowance(pace);
    return Object.assign(local, {
      isOpen: (ahead: number) => local.inFlight + ahead < place.count,
      opensAt: (ahead: number, now: number) => (local.inFlight + ahead < place.count ? now : Infinity),
      hasPlace: (ahead: number) => local.inFlight + ahead < place.count,
      want: (waiting: number) => void wants.set(key, [...(wants.get(key) ?? []), waiting]),
    });
  };
  using gates = new Gates({
    clock: new HeldClock(),
    table: new HostTable({ perHost: { perSecond: Infinity, concurrency: 4 }, pools: [] }),
    allowance: elsewhere,
    giveUpAfterMs: 60_000,
  });
  const both = ['pool/a', 'www.a.org'].map((key) => gates.at(key));
  const waiting = gates.claim(both, { patienceMs: 60_000, longestLineMs: 60_000 }, (wait) => wait());
  assert.deepEqual([wants.get('www.a.org')?.at(-1), wants.get('pool/a')?.at(-1)], [1, 0]);
  const give = (key: string): void => {
    const place = places.get(key);
    if (place) place.count = 1;
    place?.changed();
  };
  give('www.a.org');
  assert.deepEqual([wants.get('www.a.org')?.at(-1), wants.get('pool/a')?.at(-1)], [1, 1]);
  give('pool/a');
  await waiting;
});
