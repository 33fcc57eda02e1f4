import assert from 'node:assert/strict';
import { test } from 'node:test';

import { expanded, spellings, wordFinder } from './phrases.ts';

test('a phrase with optional parts and choices stands for each of its spellings', () => {
  assert.deepEqual(expanded('abstract'), ['abstract']);
  assert.deepEqual(expanded('[a |b ]c(d|e[f])'), ['a cd', 'a cef', 'a ce', 'b cd', 'b cef', 'b ce', 'cd', 'cef', 'ce']);
});

test('the phrases of all languages are one set, without spaces between Chinese characters', () => {
  assert.deepEqual([...spellings({ en: ['Key[ ]words'], zh: ['关 键 词'] })], ['key words', 'keywords', '关键词']);
});

test('a word is found between others, or inside one where that is allowed', () => {
  const finds = wordFinder({ en: ['inc', '-universit-', '-center', 'p.o.-'] });
  for (const text of ['Sand Inc.', 'Universities of the Plain', 'the Epicenter', 'P.O. Box 3', 'incense, inc'])
    assert.ok(finds(text), text);
  for (const text of ['incense', 'centers', 'Plain', '']) assert.ok(!finds(text), text);
});
