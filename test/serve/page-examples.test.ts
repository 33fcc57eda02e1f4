import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exampleQuestions, topicsOf } from '../../src/serve/page/examples.ts';

test('topics are what several titles share, without words that say nothing, each once', () => {
  const topics = topicsOf([
    'Coral bleaching in warm years: a review',
    'The effect of coral bleaching on reef fish',
    'REEF FISH AND WARM YEARS',
    'Reef fish of the north',
    'Something else entirely',
  ]);
  assert.deepEqual(topics, ['reef fish', 'coral bleaching', 'warm years']);
});

test('names keep their capitals, and a corpus without common topics has no examples', () => {
  assert.deepEqual(topicsOf(['DNA Methylation in mice', 'DNA methylation of plants']), ['DNA methylation']);
  assert.deepEqual(exampleQuestions(['One paper about rivers', 'Another of mountains']), []);
  assert.deepEqual(exampleQuestions([]), []);
  assert.match(
    exampleQuestions(['DNA methylation in mice', 'DNA methylation of plants'])[0] ?? '',
    /DNA methylation\?$/,
  );
});
