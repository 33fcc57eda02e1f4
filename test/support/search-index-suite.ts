import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { DenseEngine } from '../../src/parse/index.ts';
import { analyse } from '../../src/parse/index.ts';
import type { IndexedPassage } from '../../src/search/passage.ts';
import type { SearchIndex, SearchMode } from '../../src/search/search-index.ts';
import { dot } from '../../src/search/segment/vectors.ts';
import type { IndexDense } from '../../src/search/segment/write-segment.ts';
import { seededRandom } from '../fixtures/random-document.ts';

/** An empty index, wherever it is. */
export interface IndexUnderTest extends AsyncDisposable {
  /** Replaces all documents; the passages are grouped by document. */
  build(passages: readonly IndexedPassage[], options?: { readonly dense?: IndexDense }): Promise<void>;
  open(engine?: DenseEngine): Promise<SearchIndex>;
}

export const MODEL = { name: 'test', revision: '1', precision: 'fp32' };

/** Looks vectors up instead of computing them: the model is not tested here. */
export function engineOf(vectors: Readonly<Record<string, Float32Array>>, dimensions: number): DenseEngine {
  return {
    model: MODEL,
    dimensions,
    batchSize: 1,
    concurrency: 1,
    embed: async (texts) => texts.map((text) => vectors[text] ?? new Float32Array(dimensions)),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** A passage of a document of its own. */
export function passage(id: number | string, text: string, vector?: Float32Array): IndexedPassage {
  return { id: String(id), document: `d${id}`, title: 't', headings: ['h'], page: 3, text, file: 'a.pdf', vector };
}

/** An index of texts, each a document named by its position. */
async function indexOf(under: IndexUnderTest, texts: readonly string[]): Promise<SearchIndex> {
  await under.build(texts.map((text, at) => passage(at, text)));
  return await under.open();
}

function randomVector(random: () => number, dimensions: number): Float32Array {
  return Float32Array.from({ length: dimensions }, () => random() * 2 - 1);
}

/** What an index promises, wherever it is. */
export function describeSearchIndex(name: string, open: () => Promise<IndexUnderTest>): void {
  for (const dimensions of [384, 50, 1]) {
    test(`${name}: the scan of ${dimensions} dimensions equals plain arithmetic`, async () => {
      await using under = await open();
      const random = seededRandom(dimensions);
      const rows = Array.from({ length: 203 }, () => randomVector(random, dimensions));
      const query = randomVector(random, dimensions);
      const engine = engineOf({ q: query }, dimensions);
      await under.build(
        rows.map((row, at) => ({ ...passage(at, `text ${at}`, row), document: `d${Math.floor(at / 50)}` })),
        { dense: { model: MODEL, dimensions } },
      );
      await using index = await under.open(engine);
      const hits = await index.search('q', { mode: 'dense', top: 500 });
      assert.equal(hits.length, rows.length);
      for (const { passage: found, score } of hits) {
        const exact = dot(query, rows[Number(found.id)] ?? query);
        assert.ok(Math.abs(score - exact) < 1e-4, `${score} is not ${exact}`);
      }
      const order = rows.map((row, at) => [dot(query, row), at] as const).sort((a, b) => b[0] - a[0]);
      assert.equal(hits[0]?.passage.id, String(order[0]?.[1]));
    });
  }

  test(`${name}: the index computes BM25 by its formula`, async () => {
    await using under = await open();
    const texts = [
      'Whales sing in the deep sea; whales dive deep.',
      'The sea is deep',
      'A whale, whaling and the whales of 1851',
      '我们研究鲸鱼的歌声',
      '',
      'naïve café ﬁeld',
    ];
    await using index = await indexOf(under, texts);
    const documents = texts.map(analyse);
    const average = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
    for (const query of ['deep whales', 'the sea sea', '鲸鱼', 'field', 'CAFÉ', 'nothing of the kind']) {
      const expected = documents.map((terms) => {
        let score = 0;
        for (const term of analyse(query)) {
          const count = terms.filter((each) => each === term).length;
          const frequency = documents.filter((each) => each.includes(term)).length;
          const weight = Math.log(1 + (documents.length - frequency + 0.5) / (frequency + 0.5));
          score += (weight * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * terms.length) / average));
        }
        return score;
      });
      const hits = await index.search(query, { mode: 'lexical', top: 10 });
      assert.equal(hits.length, expected.filter((score) => score > 0).length, query);
      for (const { passage: found, score } of hits)
        assert.ok(Math.abs(score - (expected[Number(found.id)] ?? 0)) < 1e-5);
      assert.deepEqual(
        hits.map(({ score }) => score),
        hits.map(({ score }) => score).toSorted((a, b) => b - a),
      );
    }
  });

  test(`${name}: passages in other languages are found by other forms of their words, like English ones`, async () => {
    await using under = await open();
    const texts = [
      'Die Untersuchungen der Flüsse und das Wasser der Ebene werden von den Bauern nicht für die Felder genutzt.',
      'Les rivières et les poissons sont étudiés dans une plaine qui est pour les agriculteurs sur des années.',
      'The rivers and the fish of the plain are studied by farmers for the water of the fields.',
      'Вода рек и рыбы равнины изучаются много лет, и крестьяне пользуются водой для своих полей и садов.',
    ];
    await using index = await indexOf(under, texts);
    const first = async (query: string): Promise<string | undefined> =>
      (await index.search(query, { mode: 'lexical', top: 1 }))[0]?.passage.id;
    assert.equal(await first('Untersuchung des Flusses'), '0');
    assert.equal(await first('étudier une rivière'), '1');
    assert.equal(await first('studying river'), '2');
    assert.equal(await first('река'), '3');
  });

  test(`${name}: a common word is not rare because one passage is in another language`, async () => {
    await using under = await open();
    const english = Array.from({ length: 8 }, (_, at) =>
      passage(at, `The treatment of asthma is given to the children of clinic ${at} by the doctors of that town.`),
    );
    const other = passage(
      'other',
      'O treatment para os doentes que não são de uma clínica e não por mais dos médicos.',
    );
    await under.build([...english, other]);
    await using index = await under.open();
    const hits = await index.search('the treatment of asthma', { mode: 'lexical', top: 9 });
    assert.equal(hits.at(-1)?.passage.id, 'other');
  });

  test(`${name}: a question about a finding ranks the passage that reports it first within its paper; the order of papers is unchanged`, async () => {
    await using under = await open();
    const aim =
      'Aspirin and placebo were given to patients, and aspirin and placebo pills were weighed for each headache.';
    const finding =
      'Headache was lower with aspirin than with placebo (p < 0.01), a significant difference; sleep was similar and improved.';
    await under.build([
      { ...passage('other', 'Aspirin placebo headache, aspirin placebo headache.'), document: 'first' },
      { ...passage('aim', aim), document: 'paper' },
      { ...passage('finding', finding), document: 'paper' },
    ]);
    await using index = await under.open();
    const found = async (query: string): Promise<string[]> =>
      (await index.search(query, { mode: 'lexical', top: 3 })).map((hit) => hit.passage.id);
    assert.deepEqual(await found('aspirin placebo headache'), ['other', 'aim', 'finding']);
    assert.deepEqual(await found('How did aspirin compare with placebo for headache?'), ['other', 'finding', 'aim']);
  });

  test(`${name}: words in a title count more than words in a text`, async () => {
    await using under = await open();
    await under.build([
      { ...passage('text', 'Whale songs of the deep sea and of the shore'), title: 'Notes' },
      { ...passage('title', 'Songs of the deep sea and of the shore: notes'), title: 'Whale' },
    ]);
    await using index = await under.open();
    const hits = await index.search('whale', { mode: 'lexical', top: 2 });
    assert.deepEqual(
      hits.map((hit) => hit.passage.id),
      ['title', 'text'],
    );
  });

  test(`${name}: hybrid scores are the means of both scaled scores and both reciprocal ranks`, async () => {
    await using under = await open();
    const random = seededRandom(1);
    const words = Array.from({ length: 40 }, (_, at) => `word${at}`);
    const some = (): string => Array.from({ length: 20 }, () => words[Math.floor(random() ** 2 * 40)]).join(' ');
    const all = Array.from({ length: 1003 }, (_, at) => ({
      ...passage(at, some(), randomVector(random, 20)),
      document: `d${100 + Math.floor(at / 50)}`,
    }));
    await under.build(all, { dense: { model: MODEL, dimensions: 20 } });
    const query = randomVector(random, 20);
    const text = 'word3 word20 word39';
    await using index = await under.open(engineOf({ [text]: query }, 20));
    const found = async (mode: 'lexical' | 'dense'): Promise<Map<string, number>> => {
      const hits = await index.search(text, { mode, top: 2000 });
      return new Map(hits.map((hit) => [hit.passage.id, hit.score]));
    };
    const [lexical, dense] = [await found('lexical'), await found('dense')];
    const rows = all.flatMap(({ vector }) => vector ?? []);
    const floor = rows.reduce((sum, row) => sum + dot(query, row), 0) / rows.length;
    const parts = (scores: ReadonlyMap<string, number>, least: number): Map<string, number> => {
      const most = Math.max(...scores.values());
      return new Map(
        [...scores].map(([id, score], at) => [id, ((score - least) / (most - least) + 10 / (10 + at)) / 4]),
      );
    };
    const byWords = parts(lexical, 0);
    const byMeaning = parts(new Map([...dense].filter(([, score]) => score > floor)), floor);
    const expected = all
      .map(({ id }, place) => ({ place, score: (byWords.get(id) ?? 0) + (byMeaning.get(id) ?? 0) }))
      .sort((a, b) => b.score - a.score || a.place - b.place);
    for (const top of [1, 10, 250]) {
      const hits = await index.search(text, { mode: 'hybrid', top });
      assert.equal(hits.length, top);
      for (const [at, hit] of hits.entries()) assert.ok(Math.abs(hit.score - (expected[at]?.score ?? 9)) < 1e-5);
    }
  });

  test(`${name}: a hit has every field needed to show it`, async () => {
    await using under = await open();
    await under.build([{ ...passage('x', 'Penguins march.'), searchText: 'Antarctica\nPenguins march.' }]);
    await using index = await under.open();
    const [hit] = await index.search('antarctica', { mode: 'lexical', top: 1 });
    assert.deepEqual(hit?.passage, {
      id: 'x',
      document: 'dx',
      title: 't',
      headings: ['h'],
      section: 'body',
      page: 3,
      boxes: [],
      hasTable: false,
      hasFigure: false,
      text: 'Penguins march.',
      file: 'a.pdf',
    });
  });

  test(`${name}: hybrid search finds passages that match only by words or only by meaning`, async () => {
    await using under = await open();
    const direction = (angle: number): Float32Array => Float32Array.of(Math.cos(angle), Math.sin(angle));
    const random = seededRandom(7);
    const others = Array.from({ length: 60 }, (_, at) => passage(at, `filler ${at}`, direction(1.5 + random() * 3)));
    await under.build(
      [...others, passage('words', 'blue whale', direction(2)), passage('meaning', 'cetacean', direction(0.1))],
      { dense: { model: MODEL, dimensions: 2 } },
    );
    await using index = await under.open(engineOf({ 'blue whale': direction(0) }, 2));
    const hits = await index.search('blue whale', { mode: 'hybrid', top: 2 });
    assert.deepEqual(hits.map((hit) => hit.passage.id).toSorted(), ['meaning', 'words']);
  });

  test(`${name}: results of a search are unchanged by later and concurrent searches`, async () => {
    await using under = await open();
    const axis = (at: number): Float32Array => Float32Array.from({ length: 4 }, (_, each) => (each === at ? 1 : 0));
    await under.build(
      [0, 1, 2].map((at) => passage(at, `word${at}`, axis(at))),
      { dense: { model: MODEL, dimensions: 4 } },
    );
    await using index = await under.open(engineOf({ word0: axis(0), word1: axis(1) }, 4));
    const alone = await index.rank('word0', { mode: 'hybrid', top: 3 });
    const before = structuredClone(alone);
    const [first, second] = await Promise.all(
      ['word0', 'word1'].map((query) => index.rank(query, { mode: 'hybrid', top: 3 })),
    );
    assert.deepEqual(alone, before);
    assert.deepEqual(first, alone);
    assert.deepEqual(second, await index.rank('word1', { mode: 'hybrid', top: 3 }));
    assert.notEqual(first?.[0]?.place, second?.[0]?.place);
  });

  test(`${name}: a passage without a vector is found by its words alone`, async () => {
    await using under = await open();
    const axis = (at: number): Float32Array => Float32Array.from({ length: 4 }, (_, each) => (each === at ? 1 : 0));
    await under.build([passage('none', 'kelp'), passage('two', 'b', axis(0)), passage('one', 'c', axis(2))], {
      dense: { model: MODEL, dimensions: 4 },
    });
    await using index = await under.open(engineOf({ kelp: axis(0) }, 4));
    const found = async (mode: SearchMode): Promise<unknown> =>
      (await index.search('kelp', { mode, top: 3 })).map((hit) => [hit.passage.id, Math.fround(hit.score), hit.by]);
    assert.deepEqual(await found('dense'), [
      ['two', 1, 'meaning'],
      ['one', 0, 'meaning'],
    ]);
    assert.deepEqual(await found('hybrid'), [
      ['none', 0.5, 'words'],
      ['two', 0.5, 'meaning'],
    ]);
  });

  test(`${name}: the best passages come first, and only one of two versions is shown`, async () => {
    await using under = await open();
    const of = (document: string, title: string, count: number, words: string): IndexedPassage[] =>
      Array.from({ length: count }, (_, at) => ({
        ...passage(`${document}-${at}`, `whale songs ${words.repeat(at + 1)}`),
        document,
        title,
      }));
    const title = 'The songs of whales in warm and cold seas';
    // Shorter passages score higher: all passages of the article, then of its preprint, come before any other.
    await under.build([
      ...of('article', `${title}.`, 4, 'at sea '),
      ...of('other', 'Songs', 2, 'heard by many people on ships in the far north of the world '),
      ...of('preprint', title.toUpperCase(), 4, 'near land '),
      ...of('third', 'Songs', 1, 'heard by many people on ships in the far south of the world '),
    ]);
    await using index = await under.open();
    const found = async (top: number): Promise<string[]> =>
      (await index.search('whale songs', { mode: 'lexical', top })).map((hit) => hit.passage.document);
    assert.deepEqual((await found(5)).slice(0, 4), ['article', 'article', 'article', 'article']);
    assert.deepEqual((await found(20)).slice(4).toSorted(), ['other', 'other', 'third']);
  });

  test(`${name}: a question ranks results before methods with the same words, if it is searched by words`, async () => {
    await using under = await open();
    const inside = (id: string, section: 'methods' | 'results', text: string): IndexedPassage => ({
      ...passage(id, text, Float32Array.of(1, 0)),
      document: 'one',
      section,
    });
    await under.build(
      [
        inside('m', 'methods', 'bleaching after heat'),
        inside('r', 'results', 'bleaching after heat was found in most of the many colonies'),
        inside('s', 'results', 'bleaching after heat was found'),
        passage('other', 'bleaching', Float32Array.of(0, 1)),
      ],
      { dense: { model: MODEL, dimensions: 2 } },
    );
    const question = 'which bleaching after heat?';
    const vector = Float32Array.of(1, 0);
    await using index = await under.open(engineOf({ [question]: vector, 'bleaching after heat': vector }, 2));
    const found = async (query: string): Promise<string> =>
      (await index.search(query, { mode: 'lexical', top: 3 })).map(({ passage: { id } }) => id).join(' ');
    assert.equal(await found(question), 's r m');
    assert.match(await found('bleaching after heat'), /^m/);
  });

  test(`${name}: a question with a rare name finds the passage with that name, also in methods`, async () => {
    await using under = await open();
    const filler = Array.from({ length: 120 }, (_, at) => ({
      ...passage(`r${at}`, 'we cleaned the tank of many fish'),
      section: 'results' as const,
    }));
    await under.build([...filler, { ...passage('m', 'Bubrobruth was bought'), section: 'methods' as const }], {});
    await using index = await under.open();
    const [first] = await index.search('which tank of Bubrobruth?', { mode: 'lexical', top: 3 });
    assert.equal(first?.passage.id, 'm');
    assert.equal((await index.search('which Bubrobruth?', { mode: 'lexical', top: 1 }))[0]?.score, first?.score);
  });

  test(`${name}: a question about a word unknown to the index has no results`, async () => {
    await using under = await open();
    const near = Float32Array.of(Math.cos(1.1), Math.sin(1.1));
    await under.build(
      [
        passage(1, 'Insulin lowers glucose.', near),
        passage(2, 'Insulin in mice.', near),
        passage(3, 'Corals bleach.', Float32Array.of(-1, 0)),
      ],
      {
        dense: { model: MODEL, dimensions: 2 },
      },
    );
    const question = Float32Array.of(1, 0);
    await using index = await under.open(
      engineOf({ metformin: question, insulin: question, 'lowers sugar': question }, 2),
    );
    const count = async (query: string): Promise<number> =>
      (await index.search(query, { mode: 'hybrid', top: 3, minFit: 0.2 })).length;
    assert.equal(await count('insulin'), 2);
    assert.equal(await count('lowers sugar'), 2, 'synonyms are still found by meaning');
    assert.equal(await count('metformin'), 0);
  });

  test(`${name}: words that ask for an amount do not count in the fit`, async () => {
    await using under = await open();
    await using index = await indexOf(under, [
      'Of the colonies, 41 % were still alive.',
      'Reefs change.',
      'Fish eat algae.',
    ]);
    const fit = async (query: string): Promise<number | undefined> =>
      (await index.search(query, { mode: 'lexical', top: 1 }))[0]?.fit;
    assert.equal(await fit('How many colonies were still alive?'), 1);
    assert.ok(((await fit('many colonies still alive')) ?? 1) < 1);
  });

  test(`${name}: without an engine the index is searched by words only, and other modes are refused`, async () => {
    await using under = await open();
    await under.build([passage(1, 'whale', new Float32Array(4))], {
      dense: { model: MODEL, dimensions: 4 },
    });
    await using index = await under.open();
    assert.deepEqual(index.modes, ['lexical']);
    await assert.rejects(index.search('whale', { mode: 'hybrid', top: 1 }), { code: 'INDEX_NOT_DENSE' });
    assert.equal((await index.search('whale', { mode: 'lexical', top: 1 })).length, 1);
  });
}
