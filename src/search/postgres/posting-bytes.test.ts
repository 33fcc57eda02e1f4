import assert from 'node:assert/strict';
import { test } from 'node:test';

import { encodePostings, readPostings } from './posting-bytes.ts';

function read(bytes: Uint8Array): number[] {
  const found: number[] = [];
  readPostings(bytes, (passage, times) => found.push(passage * 4096 + times - 1));
  return found;
}

test('postings are read as they were written, also far ones and frequent words', () => {
  const postings = [
    0,
    1 * 4096,
    2 * 4096 + 1,
    63 * 4096,
    127 * 4096 + 4095,
    128 * 4096,
    20_000 * 4096 + 127,
    5e6 * 4096,
  ];
  assert.deepEqual(read(encodePostings(postings)), postings);
  assert.deepEqual(read(encodePostings([])), []);
});

test('a word that a passage has once takes one byte while such passages are near', () => {
  assert.equal(encodePostings([3 * 4096, 60 * 4096, 100 * 4096]).length, 3);
});
