import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Situation } from './lanes.ts';
import { SuspectTurn } from './lanes.ts';

const BUSY: Situation = { now: 0, inHand: 3, suspectWaits: true, otherWaits: () => true };

test('a busy process makes room for a quarantined job after a while, and not before', () => {
  const turn = new SuspectTurn(() => 0.5);
  assert.equal(turn.decide(BUSY), 'others');
  assert.equal(turn.wakeAt, 2_500);
  assert.equal(turn.decide({ ...BUSY, now: 2_499 }), 'others');
  assert.equal(turn.decide({ ...BUSY, now: 2_500 }), 'wait');
  assert.equal(turn.decide({ ...BUSY, now: 2_600, suspectWaits: false }), 'others');
  // Waiting for the next one starts again.
  assert.equal(turn.decide({ ...BUSY, now: 3_000 }), 'others');
});

test('jobs still running after that time are returned, a long job only for the sake of others', () => {
  const turn = new SuspectTurn(() => 0);
  assert.equal(turn.decide(BUSY), 'wait');
  assert.equal(turn.wakeAt, 60_000);
  assert.equal(turn.decide({ ...BUSY, now: 59_999 }), 'wait');
  assert.equal(turn.decide({ ...BUSY, now: 60_000, otherWaits: () => false }), 'give-back-parked');
  assert.equal(turn.decide({ ...BUSY, now: 60_000 }), 'give-back-all');
  assert.equal(turn.decide({ ...BUSY, now: 60_500, inHand: 0 }), 'suspect');
  assert.equal(turn.decide({ ...BUSY, now: 60_600, inHand: 1 }), 'wait');
});

test('quarantined jobs run for a minute, then the others have four times as long', () => {
  const turn = new SuspectTurn(() => 0);
  const idle = { ...BUSY, inHand: 0 };
  assert.equal(turn.decide(idle), 'suspect');
  assert.equal(turn.decide({ ...idle, now: 59_999 }), 'suspect');
  assert.equal(turn.decide({ ...idle, now: 60_000 }), 'others');
  assert.equal(turn.decide({ ...idle, now: 61_000 }), 'others');
  assert.equal(turn.wakeAt, 300_000);
  assert.equal(turn.decide({ ...BUSY, now: 299_999 }), 'others');
  assert.equal(turn.decide({ ...BUSY, now: 300_000 }), 'wait');
});

test('quarantined jobs do not wait if nothing else could run', () => {
  const turn = new SuspectTurn(() => 0);
  const idle = { ...BUSY, inHand: 0, otherWaits: () => false };
  for (const now of [0, 60_000, 500_000]) assert.equal(turn.decide({ ...idle, now }), 'suspect');
  assert.equal(turn.decide({ ...idle, now: 500_001, suspectWaits: false }), 'others');
  assert.equal(turn.decide({ ...idle, now: 500_002 }), 'suspect');
});
