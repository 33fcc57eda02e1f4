import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Candidate, IndexReader } from './index-reader.ts';
import type { Passage } from './passage.ts';
import { SearchIndex } from './search-index.ts';

const PASSAGE: Passage = {
  id: 'p',
  document: 'd',
  title: 'Whales',
  headings: [],
  section: 'body',
  page: undefined,
  boxes: [],
  hasTable: false,
  hasFigure: false,
  text: 'a whale',
  file: undefined,
};

/** An index with one passage, whose document is replaced while each of the first questions is answered. */
function replacedReader(times: number): IndexReader & { readonly asked: () => number } {
  let place = 0;
  const candidate = (): Candidate => ({
    place,
    lexical: 1,
    similarity: undefined,
    hasVector: false,
    section: 'body',
    isRare: false,
  });
  let asked = 0;
  return {
    asked: () => asked,
    manifest: { passages: 1, documents: 1, dense: null },
    snapshot: async () => ({
      passages: 1,
      centroid: new Float32Array(),
      frequency: () => 1,
      candidates: async () => [candidate()],
      read: async (places) => {
        asked += 1;
        if (asked <= times) place += 1;
        return new Map(places.filter((each) => each === place).map((each) => [each, PASSAGE]));
      },
    }),
    documents: async () => ['d'],
    passagesOf: async () => [PASSAGE],
    [Symbol.asyncDispose]: async () => undefined,
  };
}

test('a passage that is replaced while a question is answered is found by asking again', async () => {
  const reader = replacedReader(2);
  await using index = new SearchIndex(reader, undefined);
  const hits = await index.search('whale', { mode: 'lexical', top: 1 });
  assert.deepEqual([hits.map(({ passage }) => passage.id), reader.asked()], [['p'], 3]);
});

test('passages that are replaced all the time are left out: the question is answered from the others', async () => {
  const reader = replacedReader(Infinity);
  await using index = new SearchIndex(reader, undefined);
  assert.deepEqual(await index.search('whale', { mode: 'lexical', top: 1 }), []);
  assert.equal(reader.asked(), 3);
});
