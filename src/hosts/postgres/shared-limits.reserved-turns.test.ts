import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ReservedTurns } from './shared-limits.ts';

test('only turns of the last batch are returned, because others may have turns in between', () => {
  const turns = new ReservedTurns();
  const shared = { slots: 1, contended: false };
  turns.add({ firstAt: 0, turns: 2, behind: 1_000, ...shared }, 500);
  turns.add({ firstAt: 2_000, turns: 1, behind: 2_500, ...shared }, 500);
  assert.equal(turns.dropBefore(5_000), true);
  assert.deepEqual(turns.takeUnused(), { unused: 1, behind: 2_500 });
  assert.deepEqual(turns.takeUnused(), { unused: 0, behind: 2_500 });
});

test('a used turn is not returned, nor are turns before one that is still reserved', () => {
  const turns = new ReservedTurns();
  turns.add({ firstAt: 0, turns: 3, behind: 1_500, slots: 1, contended: false }, 500);
  turns.take();
  assert.equal(turns.dropBefore(700), false);
  assert.equal(turns.hasUnused, false);
  turns.leave(0);
  assert.deepEqual(turns.takeUnused(), { unused: 1, behind: 1_500 });
});
