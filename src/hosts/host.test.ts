import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { HostState } from './host.ts';
import { capNow, newState, answered, applyLimits, DEFAULT_POLICY, failed, held, throttled } from './host.ts';

const now = Date.UTC(2026, 0, 15);
const POLICY = { ...DEFAULT_POLICY, random: () => 0 };
const host = (): HostState =>
  newState('a.org', { cap: 4, perSecond: 8, burst: 1, from: 'request', pauseMs: 0, slows: 'rate' });

test('a 429 holds the host until its time, or for a growing time, and halves its rate; a 503 does not change the rate', () => {
  const once = throttled(host(), { now, retryAt: now + 5_000, status: 429 }, POLICY);
  assert.deepEqual([once.hold?.at, once.perSecond, once.cap], [now + 5_000, 4, 4]);
  const twice = throttled(once, { now: now + 6_000, retryAt: undefined, status: 429 }, POLICY);
  assert.deepEqual([twice.hold?.at, twice.perSecond, twice.cap], [now + 7_000, 2, 2]);
  assert.equal(throttled(host(), { now, retryAt: now + 1, status: 503 }, POLICY).perSecond, 8);
  const documented = { ...host(), strikes: 1, rules: { ...host().rules, slows: 'cap' as const } };
  const slowed = throttled(documented, { now, retryAt: undefined, status: 429 }, POLICY);
  assert.deepEqual([slowed.perSecond, slowed.cap], [8, 2], 'a documented rate is not lowered');
});

test('a host that refuses every request is rate-limited for minutes, whatever time it names', () => {
  const policy = { ...DEFAULT_POLICY, random: () => 1 };
  for (const named of [undefined, 50]) {
    let refusing = host();
    const waits: number[] = [];
    for (let at = now; waits.length < 12; at = refusing.hold?.at ?? 0) {
      const retryAt = named === undefined ? undefined : at + named * 1000;
      refusing = throttled(refusing, { now: at, retryAt, status: 429 }, policy);
      waits.push(((refusing.hold?.at ?? 0) - at) / 1000);
    }
    assert.deepEqual(waits.slice(6), [64, 128, 256, 512, 900, 900]);
    assert.deepEqual(waits.slice(0, 6), named === undefined ? [1, 2, 4, 8, 16, 32] : Array(6).fill(named));
  }
});

test('429s of one burst count once and never shorten a hold', () => {
  const once = throttled(host(), { now, retryAt: now + 5_000, status: 429 }, POLICY);
  const again = throttled(once, { now: now + 1, retryAt: now + 1_000, status: 429 }, POLICY);
  assert.deepEqual(again, once);
  assert.equal(held(once, { at: now + 9_000, reason: 'rate-limited' }).hold?.at, now + 9_000);
});

test('the rate never drops below a sixteenth, the concurrency never below one', () => {
  let slow = host();
  for (let at = 0; at < 20; at += 1)
    slow = throttled(slow, { now: now + at * 1e6, retryAt: now + at * 1e6 + 1, status: 429 }, POLICY);
  assert.deepEqual([slow.cap, slow.perSecond], [1, 0.5]);
});

test('ten successes raise the limit by one, twenty raise the rate by a quarter, never above the rules', () => {
  let slow: HostState = { ...host(), cap: 2, perSecond: 4, strikes: 2 };
  const after = (answers: number): readonly number[] => {
    for (let at = 0; at < answers; at += 1) slow = answered(slow);
    return [slow.cap, slow.perSecond, slow.strikes];
  };
  assert.deepEqual(after(9), [2, 4, 0]);
  assert.deepEqual(after(1), [3, 4, 0]);
  assert.deepEqual(after(9), [3, 4, 0]);
  assert.deepEqual(after(1), [4, 5, 0]);
  for (let at = 0; at < 200; at += 1) slow = answered(slow);
  assert.deepEqual([slow.cap, slow.perSecond], [4, 8]);
});

test('consecutive failures open the circuit for twice as long each time; one probe at a time until it succeeds', () => {
  let failing = host();
  for (let at = 0; at < 4; at += 1) failing = failed(failing, now, POLICY);
  assert.equal(failing.hold, null);
  failing = failed(failing, now, POLICY);
  assert.deepEqual([failing.hold?.at, failing.hold?.reason, capNow(failing)], [now + 30_000, 'host-held', 1]);
  failing = failed(failing, now + 30_000, POLICY);
  assert.equal(failing.hold?.at, now + 90_000);
  assert.equal(capNow(answered(failing)), 4);
});

test('limits stated by a service apply from then on', () => {
  const crossref = applyLimits(host(), { perSecond: 2, cap: 1 });
  assert.deepEqual([crossref.cap, crossref.perSecond, crossref.rules.cap], [1, 2, 1]);
  assert.equal(applyLimits(crossref, { perSecond: 2, cap: 1 }), crossref);
});
