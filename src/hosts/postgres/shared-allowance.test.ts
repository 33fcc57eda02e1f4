import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Pace } from '../allowance.ts';
import { SharedAllowance } from './shared-allowance.ts';

const STRICT: Pace = { cap: 1, intervalMs: 3_000, burst: 1, from: 'answer' };
const EVEN: Pace = { cap: 4, intervalMs: 1_000, burst: 1, from: 'request' };

/** An allowance, the answers of its server, and whether that is away and for how many. */
function shared(pace: Pace): { allowance: SharedAllowance; server: { away: number | undefined } } {
  const server: { away: number | undefined } = { away: undefined };
  const allowance = new SharedAllowance({
    key: 'a.org',
    pace,
    margin: 0,
    jitterMs: 20,
    ask: () => undefined,
    isAway: () => server.away,
    forget: () => undefined,
  });
  return { allowance, server };
}

const grant = (firstAt: number, turns: number, slots = 1): Parameters<SharedAllowance['granted']>[0] => ({
  firstAt,
  turns,
  slots,
  contended: false,
  behind: 0,
});

test('a turn that was asked for before the answer came is not used after it', () => {
  const { allowance } = shared(STRICT);
  allowance.want(2);
  assert.equal(allowance.wish(0)?.turns, 1);
  allowance.granted(grant(0, 1), 0);
  allowance.take(0);
  allowance.sent(0, 0);
  assert.equal(allowance.wish(1), undefined, 'while it is under way nobody can know the next turn');
  allowance.answered(100);
  allowance.release();
  // An answer to something that was asked before is still on its way.
  allowance.granted(grant(120, 1), 120);
  assert.equal(allowance.opensAt(0, 130), Infinity);
  const wish = allowance.wish(130);
  assert.deepEqual([wish?.spaced, wish?.turns], [true, 0]);
});

test('one that leaves late takes its own next turns with it, and tells the fleet', () => {
  const { allowance } = shared(EVEN);
  allowance.want(3);
  assert.equal(allowance.wish(0)?.turns, 1);
  allowance.granted(grant(0, 2, 4), 0);
  allowance.take(0);
  allowance.sent(600, 0);
  assert.equal(allowance.opensAt(0, 600), Infinity, 'the turn at 1030 would come 430 ms after it');
  assert.equal(allowance.wish(600)?.spaced, true);
});

test('a turn that a busy process missed by a moment is used; one that it missed by more is not', () => {
  const { allowance } = shared({ cap: 4, intervalMs: 100, burst: 1, from: 'request' });
  allowance.want(3);
  allowance.wish(0);
  allowance.granted(grant(0, 3, 4), 0);
  assert.equal(allowance.isOpen(0, 19), true);
  assert.equal(allowance.isOpen(0, 21), false);
  assert.equal(allowance.opensAt(0, 21), 103, 'the next one, with the distance that its margin asks for');
});

test('while the server is away each process has its share, and what it sent then is told when the server is back', () => {
  const { allowance, server } = shared(EVEN);
  allowance.want(1);
  allowance.wish(0);
  allowance.granted(grant(0, 1, 4), 0);
  allowance.take(0);
  allowance.sent(0, 0);
  allowance.release();
  server.away = 4;
  assert.equal(allowance.isOpen(0, 1_000), false, 'a quarter of the rate');
  assert.equal(allowance.isOpen(0, 5_200), true);
  allowance.take(5_200);
  allowance.sent(5_200, 5_200);
  assert.equal(allowance.isOpen(0, 5_200), false);
  server.away = undefined;
  assert.equal(allowance.isOpen(0, 5_300), false);
  const wish = allowance.wish(5_300);
  assert.deepEqual([wish?.spaced, wish?.used], [true, 1]);
});

test('while the server is away a cap is divided too, and never below one', () => {
  const { allowance, server } = shared({ cap: 8, intervalMs: 0, burst: 1, from: 'request' });
  server.away = 3;
  let taken = 0;
  while (allowance.isOpen(0, 0)) {
    allowance.take(0);
    taken += 1;
  }
  assert.equal(taken, 2);
  const { allowance: small, server: away } = shared({ cap: 1, intervalMs: 0, burst: 1, from: 'request' });
  away.away = 8;
  assert.equal(small.isOpen(0, 0), true);
});

test('pauses shorter than a timer keeps are kept by the group; some are taken, and more before they are used up', () => {
  const { allowance } = shared({ cap: 4, intervalMs: 1, burst: 1, from: 'request' });
  allowance.want(1);
  const wish = allowance.wish(0);
  assert.deepEqual([wish?.turns, wish?.pace.burst, wish?.slots], [12, 4, 1]);
  allowance.granted(grant(0, 5), 0);
  allowance.take(200);
  assert.equal(allowance.isOpen(0, 200), false, 'one place');
  allowance.sent(200, 200);
  allowance.want(0);
  assert.equal(allowance.wish(200), undefined, 'a whole group is left');
  allowance.release();
  assert.ok(allowance.isOpen(0, 400), 'what is left of the group is there for the next, however late');
  allowance.take(400);
  assert.equal(allowance.wish(400)?.turns, 9, 'before the last ones are used');
});

test('a place that is given back is gone when that is told, and its turn with it', () => {
  const { allowance } = shared(STRICT);
  allowance.want(1);
  assert.equal(allowance.wish(0)?.slots, 1);
  allowance.granted({ ...grant(0, 1), contended: true }, 0);
  assert.equal(allowance.wish(10), undefined, 'a place that is still to be used is kept, whoever waits');
  allowance.want(0);
  assert.equal(allowance.wish(1_000)?.slots, 0);
  assert.equal(allowance.isOpen(0, 1_001), false, 'somebody else may have it already');
  allowance.granted(grant(5_000, 0, 0), 1_010);
  allowance.want(1);
  assert.deepEqual([allowance.wish(1_020)?.slots, allowance.isOpen(0, 1_020)], [1, false]);
  allowance.granted(grant(5_000, 0), 1_030);
  assert.equal(allowance.isOpen(0, 1_030), false, 'the turn that it had was before somebody else went');
});

test('a place that was used goes to those who wait elsewhere before it is used here again', () => {
  const { allowance } = shared(STRICT);
  allowance.want(2);
  allowance.wish(0);
  allowance.granted({ ...grant(0, 1), contended: true }, 0);
  allowance.take(0);
  allowance.sent(0, 0);
  allowance.want(1);
  allowance.answered(100);
  allowance.wish(110);
  allowance.granted({ ...grant(3_100, 0), contended: true }, 120);
  allowance.release();
  assert.equal(allowance.wish(130)?.slots, 0);
  allowance.granted(grant(3_100, 0, 0), 140);
  assert.equal(allowance.wish(200)?.slots, 1, 'then it is in line as all others');
});
