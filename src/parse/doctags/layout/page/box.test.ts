import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Box } from '../../../document.ts';
import { joinBoxes, overlapX } from './box.ts';

test('a box that belongs to two others joins them, in whatever order they come', () => {
  const box = (left: number, right: number): Box => ({
    left,
    right,
    top: 10,
    bottom: 11,
  });
  const pieces = [box(0, 40), box(80, 120), box(200, 240), box(30, 90)];
  assert.deepEqual(
    joinBoxes(pieces, (host, other) => overlapX(host, other) > 0),
    [box(0, 120), box(200, 240)],
  );
});
