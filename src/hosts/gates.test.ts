import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Clock } from '../base/index.ts';
import { HeldClock } from '../testing/index.ts';
import type { AcquireOptions } from './admission.ts';
import { LocalAllowance } from './allowance.ts';
import type { CreateAllowance } from './gates.ts';
import { Gatekeeper } from './gatekeeper.ts';
import { Gates } from './gates.ts';
import { HostTable } from './host-table.ts';
import { newHost } from './host.ts';
import { createMemoryAdmission } from './memory/admission.ts';
import { DEFAULT_POLICY } from './policy.ts';

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

test('what another process has learned never shortens a hold that was asked for here', () => {
  const clock = new HeldClock();
  const table = new HostTable({ perHost: { perSecond: 5, concurrency: 2 } });
  const keeper = new Gatekeeper({
    clock,
    table,
    policy: DEFAULT_POLICY,
    allowance: (_key, pace) => new LocalAllowance(pace),
  });
  const heldFor = (): number => keeper.held(['a.org'])?.leftMs ?? 0;
  keeper.hold('a.org', { at: clock.now() + 60_000, reason: 'rate-limited' });
  const stored = newHost('a.org', table.rulesOf('a.org'));
  keeper.learn('a.org', stored);
  assert.equal(heldFor(), 60_000, 'the other knew of none');
  keeper.learn('a.org', { ...stored, hold: { at: clock.now() + 1_000, reason: 'rate-limited' } });
  assert.equal(heldFor(), 60_000, 'the other knew of a shorter one');
  keeper.heard('a.org', { at: clock.now() + 1_000, reason: 'rate-limited' });
  assert.equal(heldFor(), 60_000, 'a message names a shorter one');
  keeper.learn('a.org', { ...stored, hold: { at: clock.now() + 90_000, reason: 'rate-limited' } });
  assert.equal(heldFor(), 90_000, 'a longer one counts');
});

/** Gates whose places somebody else gives out, and what was wanted of them last. */
function givenElsewhere(): {
  gates: Gates;
  wanted: (key: string) => number | undefined;
  give: (key: string, more: { places?: number; lineMs?: number }) => void;
} {
  const wants = new Map<string, number>();
  const given = new Map<string, { places: number; lineMs: number; changed: () => void }>();
  const elsewhere: CreateAllowance = (key, pace, changed) => {
    const place = { places: 0, lineMs: 0, changed };
    given.set(key, place);
    const local = new LocalAllowance(pace);
    return Object.assign(local, {
      isOpen: (ahead: number) => local.inFlight + ahead < place.places,
      opensAt: (ahead: number, now: number) => (local.inFlight + ahead < place.places ? now : Infinity),
      hasPlace: (ahead: number) => local.inFlight + ahead < place.places,
      lineMs: () => place.lineMs,
      want: (waiting: number) => void wants.set(key, waiting),
    });
  };
  const gates = new Gates({
    clock: new HeldClock(),
    table: new HostTable({ perHost: { perSecond: Infinity, concurrency: 4 }, pools: [] }),
    allowance: elsewhere,
    giveUpAfterMs: 60_000,
  });
  return {
    gates,
    wanted: (key) => wants.get(key),
    give: (key, more) => {
      const place = given.get(key);
      if (place) Object.assign(place, more).changed();
    },
  };
}

const IN_LINE: AcquireOptions = { patienceMs: 60_000, longestLineMs: 60_000 };

test('who needs a host and its service wants a place at the service once it has one at the host', async () => {
  const { gates, wanted, give } = givenElsewhere();
  const both = ['pool/a', 'www.a.org'].map((key) => gates.at(key));
  const waiting = gates.claim(both, IN_LINE, (wait) => wait());
  assert.deepEqual([wanted('www.a.org'), wanted('pool/a')], [1, 0]);
  give('www.a.org', { places: 1 });
  assert.deepEqual([wanted('www.a.org'), wanted('pool/a')], [1, 1]);
  give('pool/a', { places: 1 });
  await waiting;
  gates[Symbol.dispose]();
});

test('nothing is wanted any more by who was sent away, nor by who came and did not go', async () => {
  const { gates, wanted, give } = givenElsewhere();
  const both = ['pool/a', 'www.a.org'].map((key) => gates.at(key));
  const sentAway = gates.claim(both, IN_LINE, (wait) => wait());
  give('www.a.org', { places: 1 });
  give('pool/a', { lineMs: 3_600_000 });
  await sentAway;
  assert.deepEqual([wanted('www.a.org'), wanted('pool/a')], [0, 0]);
  give('pool/a', { lineMs: 0, places: 1 });
  await gates.claim(both, IN_LINE, (wait) => wait());
  assert.deepEqual([wanted('www.a.org'), wanted('pool/a')], [0, 0]);
  gates[Symbol.dispose]();
});
