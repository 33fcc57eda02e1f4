import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { SimulatedScore } from '../scripts/score/simulated.ts';
import { LAYOUTS, scoreSimulated, summarise } from '../scripts/score/simulated.ts';

test('simulated papers of every layout come back with their facts, headings, cells and reading order', async () => {
  const scores: SimulatedScore[] = [];
  for await (const score of scoreSimulated(2 * LAYOUTS.length, 2)) scores.push(score);
  assert.equal(scores.length, 14);
  assert.ok(scores.every(({ facts, headings }) => facts.truth > 5 && headings.truth > 3));
  assert.ok(scores.some(({ cells }) => cells.truth > 20));
  assert.deepEqual(summarise(scores).missed, [], scores.flatMap(({ misses }) => misses).join('\n'));
});
