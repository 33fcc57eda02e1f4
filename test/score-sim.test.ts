import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Layout } from '../sim/content/index.ts';
import type { SimulatedScore } from '../scripts/score/simulated.ts';
import { MANNERS, PLAIN, scoreSimulated, summarise } from '../scripts/score/simulated.ts';

async function score(papers: number, layouts: readonly Layout[]): Promise<SimulatedScore[]> {
  const scores: SimulatedScore[] = [];
  for await (const each of scoreSimulated(papers, 2, layouts)) scores.push(each);
  return scores;
}

test('simulated papers of every layout keep their facts, headings, cells and reading order', async () => {
  const scores = await score(2 * PLAIN.length, PLAIN);
  assert.equal(scores.length, 14);
  assert.ok(scores.every(({ facts, headings }) => facts.truth > 5 && headings.truth > 3));
  assert.ok(scores.some(({ cells }) => cells.truth > 20));
  const { missed } = summarise(scores);
  assert.deepEqual(
    missed.filter((target) => target.startsWith('plain')),
    [],
    scores.flatMap((each) => each.misses).join('\n'),
  );
});

test('papers in publisher layouts keep their facts', async () => {
  const scores = await score(MANNERS.length, MANNERS);
  const { manners } = summarise(scores);
  assert.ok(manners.facts >= 0.99, scores.flatMap(({ misses }) => misses).join('\n'));
});
