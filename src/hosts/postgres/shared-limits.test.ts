import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Pace } from '../host.ts';
import { HeldClock } from '../../testing/index.ts';
import { SharedLimits } from './shared-limits.ts';

const STRICT: Pace = { cap: 1, intervalMs: 3_000, burst: 1, from: 'answer' };
const EVEN: Pace = { cap: 4, intervalMs: 1_000, burst: 1, from: 'request' };

/** Limits, the replies of their server, and how many processes share them during an outage. */
function shared(pace: Pace): { limits: SharedLimits; server: { away: number | undefined } } {
  const server: { away: number | undefined } = { away: undefined };
  const limits = new SharedLimits({
    key: 'a.org',
    clock: new HeldClock(),
    pace,
    margin: 0,
    ask: () => undefined,
    isAway: () => server.away,
    forget: () => undefined,
  });
  return { limits, server };
}

const isOpen = (limits: SharedLimits, now: number): boolean => limits.opensAt(0, now) <= now;

const grant = (firstAt: number, turns: number, slots = 1): Parameters<SharedLimits['granted']>[0] => ({
  firstAt,
  turns,
  slots,
  contended: false,
  behind: 0,
});

test('a turn requested before the response arrived is not used after it', () => {
  const { limits } = shared(STRICT);
  limits.want(2);
  assert.equal(limits.request(0)?.turns, 1);
  limits.granted(grant(0, 1), 0);
  limits.take(0);
  limits.sent(0, 0);
  assert.equal(limits.request(1), undefined, 'the next turn is unknown until the response');
  limits.answered(100);
  limits.release();
  // A reply to an earlier request is still on its way.
  limits.granted(grant(120, 1), 120);
  assert.equal(limits.opensAt(0, 130), Infinity);
  const request = limits.request(130);
  assert.deepEqual([request?.spaced, request?.turns], [true, 0]);
});

test('a process that sends late moves its next turns and informs the fleet', () => {
  const { limits } = shared(EVEN);
  limits.want(3);
  assert.equal(limits.request(0)?.turns, 1);
  limits.granted(grant(0, 2, 4), 0);
  limits.take(0);
  limits.sent(600, 0);
  assert.equal(limits.opensAt(0, 600), Infinity, 'the turn at 1030 would come 430 ms after it');
  assert.equal(limits.request(600)?.spaced, true);
});

test('a turn missed by a moment is used; one missed by more is not', () => {
  const { limits } = shared({ cap: 4, intervalMs: 100, burst: 1, from: 'request' });
  limits.want(3);
  limits.request(0);
  limits.granted(grant(0, 3, 4), 0);
  assert.equal(isOpen(limits, 19), true);
  assert.equal(isOpen(limits, 21), false);
  assert.equal(limits.opensAt(0, 21), 103, 'the next turn, plus its margin');
});

test('while the server is unreachable each process has its share, and reports its requests when it is back', () => {
  const { limits, server } = shared(EVEN);
  limits.want(1);
  limits.request(0);
  limits.granted(grant(0, 1, 4), 0);
  limits.take(0);
  limits.sent(0, 0);
  limits.release();
  server.away = 4;
  assert.equal(isOpen(limits, 1_000), false, 'a quarter of the rate');
  assert.equal(isOpen(limits, 5_200), true);
  limits.take(5_200);
  limits.sent(5_200, 5_200);
  assert.equal(isOpen(limits, 5_200), false);
  server.away = undefined;
  assert.equal(isOpen(limits, 5_300), false);
  const request = limits.request(5_300);
  assert.deepEqual([request?.spaced, request?.used], [true, 1]);
});

test('while the server is unreachable the limit is divided, but never below one', () => {
  const { limits, server } = shared({ cap: 8, intervalMs: 0, burst: 1, from: 'request' });
  server.away = 3;
  let taken = 0;
  while (isOpen(limits, 0)) {
    limits.take(0);
    taken += 1;
  }
  assert.equal(taken, 2);
  const { limits: small, server: away } = shared({ cap: 1, intervalMs: 0, burst: 1, from: 'request' });
  away.away = 8;
  assert.equal(isOpen(small, 0), true);
});

test('a released slot is gone once reported, and its turn with it', () => {
  const { limits } = shared(STRICT);
  limits.want(1);
  assert.equal(limits.request(0)?.slots, 1);
  limits.granted({ ...grant(0, 1), contended: true }, 0);
  assert.equal(limits.request(10), undefined, 'a slot not yet used is kept, even if others wait');
  limits.want(0);
  assert.equal(limits.request(1_000)?.slots, 0);
  assert.equal(isOpen(limits, 1_001), false, 'another process may have it already');
  limits.granted(grant(5_000, 0, 0), 1_010);
  limits.want(1);
  assert.deepEqual([limits.request(1_020)?.slots, isOpen(limits, 1_020)], [1, false]);
  limits.granted(grant(5_000, 0), 1_030);
  assert.equal(isOpen(limits, 1_030), false, 'its turn was before that of another process');
});

test('a used slot goes to waiters elsewhere before it is used here again', () => {
  const { limits } = shared(STRICT);
  limits.want(2);
  limits.request(0);
  limits.granted({ ...grant(0, 1), contended: true }, 0);
  limits.take(0);
  limits.sent(0, 0);
  limits.want(1);
  limits.answered(100);
  limits.request(110);
  limits.granted({ ...grant(3_100, 0), contended: true }, 120);
  limits.release();
  assert.equal(limits.request(130)?.slots, 0);
  limits.granted(grant(3_100, 0, 0), 140);
  assert.equal(limits.request(200)?.slots, 1, 'then it waits like all others');
});
