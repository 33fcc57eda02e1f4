import assert from 'node:assert/strict';
import { test } from 'node:test';

import { citationsOf } from '../../src/serve/page/reader/citations.ts';

const CITATIONS = [
  ['The oil was tested before in two towns [3].', 2, '3'],
  ['Grain was stored as others did [3,8].', 2, '3,8'],
  ['Rivers carry small grains far [3].', 5, '3'],
].map(([sentence, page, printed], at) => ({
  block: at,
  page: Number(page),
  printed: String(printed),
  sentence: String(sentence),
  references: [at],
}));
const cited = (quote: string, page?: number): readonly number[] =>
  citationsOf(CITATIONS, { quote, page }).map(({ block }) => block);

test('a sentence, a part of it and words around it cite what it cites', () => {
  assert.deepEqual(cited('Grain was stored as others did [3,8].'), [1]);
  assert.deepEqual(cited('Grain was stored as\nothers did', 2), [1]);
  assert.deepEqual(cited('It rained. Rivers carry small grains far [3]. It was late.'), [2]);
  assert.deepEqual(cited('oil was tested before in two towns [3]. Grain was stored as others did [3,8]. Then'), [0, 1]);
});

test('few words cite what is printed among them, on their page', () => {
  assert.deepEqual(cited('two towns [3]', 2), [0]);
  assert.deepEqual(cited('[3]', 5), [2]);
  assert.deepEqual(cited('towns', 2), []);
  assert.deepEqual(cited(''), []);
});
