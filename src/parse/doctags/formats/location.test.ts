import assert from 'node:assert/strict';
import { test } from 'node:test';

import { boxFromGrid, locationTokens, toGrid } from './location.ts';

test('positions are rounded half to even, as Python does', () => {
  assert.equal(toGrid(0.5, 500), 0);
  assert.equal(toGrid(1.5, 500), 2);
  assert.equal(toGrid(2.5, 500), 2);
  assert.equal(toGrid(2.6, 500), 3);
});

test('positions stay on the grid, whatever the page and the box', () => {
  assert.equal(toGrid(612, 612), 499);
  assert.equal(toGrid(-3, 612), 0);
  assert.equal(toGrid(10, 0), 0);
});

test('a box is written left, top, right, bottom and comes back to within a step of the grid', () => {
  const page = { number: 1, width: 612, height: 792 };
  const box = { left: 72, top: 90.25, right: 540, bottom: 700.5 };
  const tokens = locationTokens(box, page);
  assert.equal(tokens, '<loc_59><loc_57><loc_441><loc_442>');
  const back = boxFromGrid([59, 57, 441, 442], page);
  for (const side of ['left', 'top', 'right', 'bottom'] as const)
    assert.ok(Math.abs(back[side] - box[side]) <= 792 / 500);
});
