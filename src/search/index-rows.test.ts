import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';

import { seededRandom } from '../../test/fixtures/random-document.ts';
import type { DenseEngine } from '../parse/index.ts';
import type { IndexedPassage } from './passage.ts';
import type { SearchMode } from './search-index.ts';
import { openIndex, readManifest } from './segment-reader.ts';
import type { IndexedDocument } from './segment/write-segment.ts';
import { buildIndex } from '../../test/support/build-index.ts';
import { IndexRows, segmentsToMerge } from './index-rows.ts';

let folder = '';
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'segments-'))));
afterEach(() => rm(folder, { recursive: true }));

const MODEL = { name: 'test', revision: '1', precision: 'fp32' };
const DENSE = { model: MODEL, dimensions: 32 } as const;
const WORDS = Array.from({ length: 60 }, (_, at) => `word${at}`);

function vectorOf(text: string): Float32Array {
  const random = seededRandom(Buffer.from(text).reduce((sum, byte) => (sum * 31 + byte) % 1e9, 7));
  const vector = Float32Array.from({ length: 32 }, () => random() - 0.5);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

const engine: DenseEngine = {
  model: MODEL,
  dimensions: 32,
  batchSize: 1,
  concurrency: 1,
  embed: async (texts) => texts.map(vectorOf),
  [Symbol.asyncDispose]: async () => undefined,
};

function document(id: string, seed: number, passages = 3): IndexedDocument {
  const random = seededRandom(seed);
  const some = (): string => Array.from({ length: 20 }, () => WORDS[Math.floor(random() ** 2 * 60)]).join(' ');
  const own = Array.from({ length: passages }, (_, at): IndexedPassage => {
    const text = `${id} ${some()}`;
    const place = { title: `Title of ${id}`, headings: [], page: at, file: `${id}.pdf` };
    return { id: `${id}-${at}`, document: id, ...place, text, vector: vectorOf(text) };
  });
  return { id, stamp: String(seed), passages: own };
}

async function empty(): Promise<IndexRows> {
  await buildIndex(folder, [], { dense: DENSE });
  return IndexRows.open(folder);
}

/** The results of an index as ids and rounded scores, independent of places and segments. */
async function answers(path: string, mode: SearchMode): Promise<string[]> {
  await using index = await openIndex(path, engine);
  const hits = await index.search('word3 word17 word40', { mode, top: 10 });
  return hits.map(({ passage, score }) => `${score.toFixed(4)} ${passage.id}`).toSorted();
}

test('an index updated document by document answers like one built at once', async () => {
  const whole = await mkdtemp(join(tmpdir(), 'whole-'));
  try {
    using catalogue = await empty();
    for (let at = 0; at < 40; at += 1) await catalogue.update({ documents: [document(`d${at}`, at)] });
    await catalogue.update({
      documents: [document('d3', 100), document('d7', 101)],
      removed: ['d9', 'd20', 'none'],
    });
    const seeds = Array.from({ length: 40 }, (_, at) => ({ id: `d${at}`, seed: at === 3 ? 100 : at === 7 ? 101 : at }));
    const left = seeds.filter(({ id }) => id !== 'd9' && id !== 'd20');
    assert.deepEqual(catalogue.manifest, {
      passages: 38 * 3,
      documents: 38,
      segments: catalogue.segments().length,
      dense: DENSE,
    });
    // Deleted passages count in the word statistics until their segment is rewritten.
    await catalogue.update({ documents: left.map(({ id, seed }) => document(id, seed)) });
    assert.equal(catalogue.segments().length, 1);
    await buildIndex(
      whole,
      left.flatMap(({ id, seed }) => [...(document(id, seed).passages as IndexedPassage[])]),
      { dense: DENSE },
    );
    for (const mode of ['lexical', 'dense', 'hybrid'] as const) {
      assert.deepEqual(await answers(folder, mode), await answers(whole, mode), mode);
    }
  } finally {
    await rm(whole, { recursive: true });
  }
});

test('a removed or replaced document is no longer found, even before a merge', async () => {
  using catalogue = await empty();
  await catalogue.update({ documents: [document('a', 1), document('b', 2)] });
  await catalogue.update({ documents: [document('b', 3)], removed: ['a'] });
  {
    await using index = await openIndex(folder, engine);
    for (const mode of ['lexical', 'dense', 'hybrid'] as const) {
      const hits = await index.search('word3 a b', { mode, top: 100 });
      assert.ok(hits.length > 0 && hits.every(({ passage }) => passage.document === 'b'), mode);
    }
  }
});

test('segments stay few, and merged ones are removed', async () => {
  using catalogue = await empty();
  for (let at = 0; at < 70; at += 1) {
    const again = catalogue.documentsToMerge().map((id) => document(id, Number(id.slice(1)), 1));
    await catalogue.update({ documents: [...again, document(`d${at}`, at, 1)] });
  }
  const { segments, passages } = readManifest(folder);
  assert.ok(segments <= 16, `${segments} segments`);
  assert.equal(passages, 70);
  assert.equal((await readdir(join(folder, 'Index'))).filter((name) => name.endsWith('.bin')).length, segments);
});

test('only segments of similar size are merged, within the cost limit of an update unless there are far too many', () => {
  const sized = (count: number, live: number) =>
    Array.from({ length: count }, (_, at) => ({ name: `${live}-${at}`, passages: live, live }));
  assert.deepEqual(segmentsToMerge([...sized(7, 10), ...sized(9, 5000)]), []);
  assert.equal(segmentsToMerge([...sized(8, 10), ...sized(1, 1_000_000)]).length, 8);
  assert.deepEqual(segmentsToMerge(sized(20, 200_000)), []);
  assert.equal(segmentsToMerge(sized(65, 200_000)).length, 8);
  assert.deepEqual(
    segmentsToMerge([{ name: 'hollow', passages: 100, live: 40 }, ...sized(2, 9)]).map(({ name }) => name),
    ['hollow'],
  );
});

test('a failed update changes nothing and leaves no file', async () => {
  using catalogue = await empty();
  await catalogue.update({ documents: [document('a', 1)] });
  const before = await answers(folder, 'hybrid');
  const broken = async function* (): AsyncGenerator<IndexedDocument> {
    yield document('b', 2);
    throw new Error('the disk is full');
  };
  await assert.rejects(catalogue.update({ documents: broken(), removed: ['a'] }), {
    message: 'the disk is full',
  });
  assert.deepEqual(await answers(folder, 'hybrid'), before);
  assert.equal((await readdir(join(folder, 'Index'))).filter((name) => name.startsWith('segment-')).length, 1);
});

test('copies of a document count once, and front matter and references are found only on request', async () => {
  const text = 'Heads of attention look at other tokens of the sentence.';
  const base = { title: 'Paper', headings: [], page: 1, file: undefined, vector: vectorOf(text) };
  const passages: IndexedPassage[] = [
    { id: 'a', document: 'a', ...base, text },
    { id: 'b', document: 'b', ...base, text },
    {
      id: 'c',
      document: 'c',
      ...base,
      text: 'Tim Head, Department of Attention, University of Heads',
      section: 'front',
    },
    {
      id: 'd',
      document: 'd',
      ...base,
      text: 'Head T. Attention heads. Journal of Heads 3, 2001',
      section: 'references',
    },
    { id: 'e', document: 'e', ...base, text: 'Table 1: attention of heads', section: 'results', hasTable: true },
  ];
  await buildIndex(folder, passages, { dense: DENSE });
  {
    await using index = await openIndex(folder, engine);
    for (const mode of ['lexical', 'dense', 'hybrid'] as const) {
      const found = async (filter: object): Promise<string[]> =>
        (await index.search('attention heads', { mode, top: 9, filter })).map(({ passage }) => passage.id).toSorted();
      assert.deepEqual(await found({}), ['a', 'e'], mode);
      assert.deepEqual(await found({ sections: ['references'] }), ['d']);
      assert.deepEqual(await found({ sections: ['front', 'results'] }), ['c', 'e']);
      assert.deepEqual(await found({ has: 'table' }), ['e']);
      const documents = { key: 'only a', accepts: (id: string) => id === 'a' };
      assert.deepEqual(await found({ documents }), ['a']);
    }
  }
});

test('each passage has a fit; one below the minimum is left out, and an empty question is refused', async () => {
  await buildIndex(folder, [...(document('a', 1).passages as IndexedPassage[])]);
  await using index = await openIndex(folder);
  const [first] = await index.search('word0 a', { mode: 'lexical', top: 1 });
  assert.equal(first?.fit, 1);
  const question = 'word0 zebra giraffe elephant';
  const [half] = await index.search(question, { mode: 'lexical', top: 1 });
  assert.ok(half && half.fit < 0.2, `${half?.fit}`);
  assert.deepEqual(await index.search(question, { mode: 'lexical', top: 1, minFit: 0.3 }), []);
  for (const nothing of ['', '  \n'])
    await assert.rejects(index.search(nothing, { mode: 'lexical', top: 1 }), { code: 'USAGE_QUESTION' });
});
