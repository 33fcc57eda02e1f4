import assert from 'node:assert/strict';
import { test } from 'node:test';

import { figuresOf, MANNERS, missedTargets, PLAIN, scoreSimulated } from '../scripts/score/simulated.ts';

test('simulated papers of every layout keep their facts, headings, cells and reading order', async () => {
  const scores = await scoreSimulated(2 * PLAIN.length, PLAIN);
  assert.equal(scores.length, 14);
  assert.ok(scores.every(({ facts, headings }) => facts.truth > 5 && headings.truth > 3));
  assert.ok(scores.some(({ cells }) => cells.truth > 20));
  assert.deepEqual(missedTargets(scores), [], scores.flatMap(({ misses }) => misses).join('\n'));
});

test('papers in publisher layouts keep their facts', async () => {
  const scores = await scoreSimulated(MANNERS.length, MANNERS);
  assert.ok(figuresOf(scores).facts >= 0.99, scores.flatMap(({ misses }) => misses).join('\n'));
});
