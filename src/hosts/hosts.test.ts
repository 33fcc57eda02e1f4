import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Clock } from '../base/index.ts';
import { describeAdmission, HeldClock } from '../testing/index.ts';
import type { AcquireOptions } from './admission.ts';
import { HostTable } from './host-table.ts';
import { LocalLimits, newState, DEFAULT_POLICY } from './host.ts';
import type { HostsOptions } from './hosts.ts';
import { createMemoryAdmission, Hosts } from './hosts.ts';

/** A clock that advances each time it is read, as on a busy machine. */
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

test('no request stays queued if its host opens between the check and setting its timer', async () => {
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

test('a request sent just before its host is slowed counts against the new rate', () => {
  const clock = new HeldClock(0);
  const pace = { cap: 4, intervalMs: 100, burst: 1, from: 'request' } as const;
  const limits = new LocalLimits(pace, clock);
  limits.take();
  limits.sent(0);
  limits.change({ ...pace, intervalMs: 1_000 }, 50);
  assert.equal(limits.opensAt(0, 50), 1_050);
});

test('the number of concurrent requests that a service states applies to its host too', async () => {
  const pool = { name: 'crossref', hosts: ['api.a.org'], perSecond: 10, concurrency: 5, learns: true };
  const table = new HostTable({ perHost: { perSecond: 5, concurrency: 4 }, pools: [pool] });
  await using admission = createMemoryAdmission({ clock: new HeldClock(), table });
  const keys = table.keysOf('api.a.org');
  admission.observe(keys, { kind: 'answer', status: 200, retryAt: undefined, limits: { perSecond: 2, cap: 3 } });
  const caps = new Map(admission.snapshot().map(({ key, cap }) => [key, cap]));
  assert.deepEqual([caps.get('api.a.org'), caps.get('pool/crossref')], [3, 3]);
});

test('information from another process never shortens a hold requested here', () => {
  const clock = new HeldClock();
  const table = new HostTable({ perHost: { perSecond: 5, concurrency: 2 } });
  const limits: HostsOptions['limits'] = (_key, pace) => new LocalLimits(pace, clock);
  const hosts = new Hosts({ clock, table, policy: DEFAULT_POLICY, limits });
  const heldFor = (): number => hosts.held(['a.org'])?.leftMs ?? 0;
  hosts.hold('a.org', { at: clock.now() + 60_000, reason: 'rate-limited' });
  const stored = newState('a.org', table.rulesOf('a.org'));
  hosts.learn('a.org', stored);
  assert.equal(heldFor(), 60_000, 'the other process has no hold');
  hosts.learn('a.org', { ...stored, hold: { at: clock.now() + 1_000, reason: 'rate-limited' } });
  assert.equal(heldFor(), 60_000, 'the other process has a shorter hold');
  hosts.holdElsewhere('a.org', { at: clock.now() + 1_000, reason: 'rate-limited' });
  assert.equal(heldFor(), 60_000, 'a message has a shorter hold');
  hosts.learn('a.org', { ...stored, hold: { at: clock.now() + 90_000, reason: 'rate-limited' } });
  assert.equal(heldFor(), 90_000, 'a longer hold counts');
});

/** Hosts whose slots are granted from outside, and the last request for slots. */
function grantedElsewhere(): {
  hosts: Hosts;
  wanted: (key: string) => number | undefined;
  give: (key: string, more: { slots?: number; lineMs?: number }) => void;
} {
  const clock = new HeldClock();
  const wants = new Map<string, number>();
  const given = new Map<string, { slots: number; lineMs: number; changed: () => void }>();
  const limits: HostsOptions['limits'] = (key, pace, changed) => {
    const slot = { slots: 0, lineMs: 0, changed };
    given.set(key, slot);
    const local = new LocalLimits(pace, clock);
    return Object.assign(local, {
      opensAt: (ahead: number, now: number) => (local.inFlight + ahead < slot.slots ? now : Infinity),
      hasSlot: (ahead: number) => local.inFlight + ahead < slot.slots,
      lineMs: () => slot.lineMs,
      want: (waiting: number) => void wants.set(key, waiting),
    });
  };
  const table = new HostTable({ perHost: { perSecond: Infinity, concurrency: 4 }, pools: [] });
  return {
    hosts: new Hosts({ clock, table, policy: DEFAULT_POLICY, limits }),
    wanted: (key) => wants.get(key),
    give: (key, more) => {
      const slot = given.get(key);
      if (slot) Object.assign(slot, more).changed();
    },
  };
}

const IN_LINE: AcquireOptions = { patienceMs: 60_000, longestLineMs: 60_000 };
const BOTH = ['pool/a', 'www.a.org'];

test('a request that needs a host and its service acquires the service slot after the host slot', async () => {
  const { hosts, wanted, give } = grantedElsewhere();
  const waiting = hosts.acquire(BOTH, IN_LINE);
  assert.deepEqual([wanted('www.a.org'), wanted('pool/a')], [1, 0]);
  give('www.a.org', { slots: 1 });
  assert.deepEqual([wanted('www.a.org'), wanted('pool/a')], [1, 1]);
  give('pool/a', { slots: 1 });
  assert.equal((await waiting).kind, 'go');
  await hosts[Symbol.asyncDispose]();
});

test('requests that were rejected or sent no longer wait for anything', async () => {
  const { hosts, wanted, give } = grantedElsewhere();
  const rejected = hosts.acquire(BOTH, IN_LINE);
  give('www.a.org', { slots: 1 });
  give('pool/a', { lineMs: 3_600_000 });
  assert.equal((await rejected).kind, 'later');
  assert.deepEqual([wanted('www.a.org'), wanted('pool/a')], [0, 0]);
  give('pool/a', { lineMs: 0, slots: 1 });
  assert.equal((await hosts.acquire(BOTH, IN_LINE)).kind, 'go');
  assert.deepEqual([wanted('www.a.org'), wanted('pool/a')], [0, 0]);
  await hosts[Symbol.asyncDispose]();
});

describeAdmission('admission within one process', (options) => {
  const clock = new HeldClock();
  const admission = createMemoryAdmission({ ...options, clock });
  return Promise.resolve({
    admission,
    clock,
    async pass(promise) {
      let isSettled = false;
      const done = promise.finally(() => (isSettled = true));
      done.catch(() => undefined);
      for (;;) {
        for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
        if (isSettled) return await done;
        await clock.advanceToNext();
      }
    },
    [Symbol.asyncDispose]: () => admission[Symbol.asyncDispose](),
  });
});
