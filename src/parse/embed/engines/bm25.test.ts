import assert from 'node:assert/strict';
import { test } from 'node:test';

import { analyse } from '../../terms/index.ts';
import type { SparseVector } from '../engine.ts';
import { bm25 } from './bm25.ts';

const PASSAGES = [
  'The blue whale is the largest whale, and the largest animal.',
  'A whale shark is a fish and not a whale; it is large.',
  'Coral reefs bleach in warm water.',
];

/** What a store computes: the inner product, each term weighted by its rarity among the passages that it holds. */
function scores(query: SparseVector, passages: readonly SparseVector[]): number[] {
  const frequency = (index: number): number => passages.filter(({ indices }) => indices.includes(index)).length;
  const rarity = (index: number): number =>
    Math.log(1 + (passages.length - frequency(index) + 0.5) / (frequency(index) + 0.5));
  const weightIn = ({ indices, values }: SparseVector, index: number): number => values[indices.indexOf(index)] ?? 0;
  return passages.map((passage) =>
    [...query.indices].reduce(
      (sum, index, at) => sum + (query.values[at] ?? 0) * rarity(index) * weightIn(passage, index),
      0,
    ),
  );
}

test('the inner product with the rarity of terms is BM25 with the average length of the model', () => {
  const query = 'largest whale';
  const { k1, b, averageLength } = bm25.model;
  const found = scores(
    bm25.embed(query, 'query'),
    PASSAGES.map((text) => bm25.embed(text, 'passage')),
  );
  const terms = PASSAGES.map((text) => analyse(text));
  const expected = terms.map((passage) =>
    analyse(query).reduce((sum, term) => {
      const count = passage.filter((each) => each === term).length;
      const holding = terms.filter((each) => each.includes(term)).length;
      const rarity = Math.log(1 + (terms.length - holding + 0.5) / (holding + 0.5));
      return sum + (rarity * count * (k1 + 1)) / (count + k1 * (1 - b + (b * passage.length) / averageLength));
    }, 0),
  );
  for (const [at, score] of found.entries()) assert.ok(Math.abs(score - (expected[at] ?? NaN)) < 1e-6, String(score));
  assert.ok((found[0] ?? 0) > (found[1] ?? 0) && (found[1] ?? 0) > 0 && found[2] === 0);
});

test('the vector of a passage depends on its text alone, and a query counts its words', () => {
  const [first = ''] = PASSAGES;
  assert.deepEqual(bm25.embed(first, 'passage'), bm25.embed(first, 'passage'));
  assert.deepEqual(new Set(bm25.embed('whale, whale or shark', 'query').values), new Set([1, 2]));
  assert.deepEqual(bm25.embed('', 'passage'), { indices: new Uint32Array(), values: new Float32Array() });
});
