import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Label } from './decode.ts';
import { LABELS, stretchesOf } from './decode.ts';

/** Tokens as words with their place, and the classes O, B and I of one label. */
function read(words: string, classes: string, label: Label) {
  const tokens = [...words.matchAll(/\S+/g)].map(({ 0: word, index }) => ({ start: index, end: index + word.length }));
  const numbers = new Float32Array(tokens.length * LABELS.length * 3);
  for (const [at, each] of classes.split('').entries())
    numbers[(at * LABELS.length + LABELS.indexOf(label)) * 3 + 'OBI'.indexOf(each)] = 4;
  return { tokens, numbers };
}

test('stretches begin at B, go on with I and end before O or another B', () => {
  const found = stretchesOf('disease', read('lung cancer and malaria influenza', 'BIOBB', 'disease'));
  assert.deepEqual(
    found.map(({ start, end }) => [start, end]),
    [
      [0, 11],
      [16, 23],
      [24, 33],
    ],
  );
  assert.ok(found.every(({ sure }) => sure > 0.9 && sure < 1));
  assert.deepEqual(stretchesOf('chemical', read('lung cancer', 'BI', 'disease')).length, 0);
});

test('an I without a B begins a stretch', () => {
  assert.deepEqual(
    stretchesOf('place', read('in Rio Branco', 'OII', 'place')).map(({ start, end }) => [start, end]),
    [[3, 13]],
  );
});

test('a word of several pieces belongs to what its first piece belongs to', () => {
  const { numbers } = read('a b c d', 'BOBI', 'gene');
  const word = { start: 0, end: 8 };
  const tokens = [word, word, { start: 9, end: 12 }, { start: 13, end: 14 }];
  assert.deepEqual(
    stretchesOf('gene', { tokens, numbers }).map(({ start, end }) => [start, end]),
    [
      [0, 8],
      [9, 14],
    ],
  );
});
