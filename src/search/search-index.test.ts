import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { DenseEngine } from '../parse/index.ts';
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

const MODEL = { name: 'two numbers', precision: 'fp32' } as DenseEngine['model'];
const ENGINE: DenseEngine = { model: MODEL, dimensions: 2, embed: async () => [new Float32Array([1, 0])] } as never;

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

/** An index of a passage that shares words with every question, and of one that is near to it in meaning. */
function twoPassages(lexical: number): IndexReader {
  const shared = { hasVector: true, section: 'body', isRare: false } as const;
  const passages = [
    { ...shared, place: 0, lexical, similarity: 0.2 },
    { ...shared, place: 1, lexical: 0, similarity: 0.6 },
  ];
  return {
    manifest: { passages: 100, documents: 2, dense: { model: MODEL, dimensions: 2 } },
    snapshot: async () => ({
      passages: 100,
      centroid: new Float32Array(2),
      frequency: () => 1,
      candidates: async () => passages,
      read: async (places) =>
        new Map(places.map((at) => [at, { ...PASSAGE, id: at === 0 ? 'words' : 'meaning', document: String(at) }])),
    }),
    documents: async () => ['0', '1'],
    passagesOf: async () => [],
    [Symbol.asyncDispose]: async () => undefined,
  };
}

test('words that even the best passage has few of are taken for chance, and meaning decides', async () => {
  const firstOf = async (lexical: number): Promise<string | undefined> => {
    await using index = new SearchIndex(twoPassages(lexical), ENGINE);
    const [first] = await index.search('what makes whales swim deeper during colder winter nights', {
      mode: 'hybrid',
      top: 2,
    });
    return first?.passage.id;
  };
  assert.deepEqual([await firstOf(1), await firstOf(30)], ['meaning', 'words']);
});
