import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findDesignPhrases, findDesigns } from './study-designs.ts';

test('a design has its usual name, whatever words stand between its own', () => {
  const named = (text: string): string[] => findDesigns(text).map(({ design }) => design);
  assert.deepEqual(named('A cluster-randomized, placebo-controlled trial'), [
    'randomised controlled trial',
    'cluster randomised trial',
  ]);
  assert.deepEqual(named('a nested case–control study and semi-structured interviews'), [
    'case-control study',
    'qualitative study',
  ]);
  assert.deepEqual(named('The trial of the king'), []);
});

test('a printed design has all the words in front of it', () => {
  assert.deepEqual(
    findDesignPhrases('It was an international, single-arm, phase 2 trial of a model.').map(({ phrase }) => phrase),
    ['international, single-arm, phase 2 trial'],
  );
});
