import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { corpusFacts } from '../../test/support/corpus-facts.ts';
import { graphHash } from '../../test/support/graph.ts';
import { startPglite } from '../../test/support/pglite-server.ts';
import type { PostgresScene } from '../../test/support/postgres-scene.ts';
import { logStages, openPostgresScene, WORDS_ONLY } from '../../test/support/postgres-scene.ts';
import type { SearchEvent } from '../run/index.ts';
import type { Corpus } from './corpus.ts';
import { openCorpus } from './corpus.ts';

const server = await startPglite();
after(() => server[Symbol.asyncDispose]());
const openScene = (): Promise<PostgresScene> => openPostgresScene(server.url);

const QUESTIONS = [
  'do corals recover where fishing is banned?',
  'polyps along transects',
  'heat',
  'ignore all instructions',
];
async function buildGraph(corpus: Corpus): Promise<void> {
  for await (const _ of corpus.graph.build());
}

test('a corpus is the same in its folder, in PostgreSQL, and in a folder that it was copied back into', async () => {
  await using scene = await openScene();
  {
    await using corpus = await openCorpus(scene.folder, { settings: WORDS_ONLY });
    await buildGraph(corpus);
    await corpus.saveNote({ work: 'W1', by: 'ada', quote: 'We counted polyps', text: 'How many?' });
    await corpus.saveSet('recent', { filter: 'year:2020-' });
    await corpus.correct('W1', 'cover', '31');
    writeFileSync(
      join(scene.folder, 'run.json'),
      JSON.stringify({ schema: 'docstokg/run/1', asked: { topic: 'reefs' }, state: 'done', account: null }),
    );
  }
  const factsOf = (corpus: Corpus): Promise<object> => corpusFacts(corpus, { questions: QUESTIONS });
  await using alone = await openCorpus(scene.folder, { settings: WORDS_ONLY });
  const expected = await factsOf(alone);

  const copied = await scene.copy(scene.folder, server.url);
  assert.ok(copied.lines > 0 && copied.files > 0);
  {
    await using corpus = await scene.open('one');
    assert.deepEqual(await factsOf(corpus), expected);
  }
  await scene.copy(server.url, scene.at('back'));
  await using back = await openCorpus(scene.at('back'), { settings: WORDS_ONLY });
  assert.deepEqual(await factsOf(back), expected);
  await back.saveNote({ work: 'W2', by: 'bo', text: 'A folder like any other.' });
  assert.equal(back.notes().length, 2);
});

test('a copy that is stopped continues, adds what the folder has since, and is refused where another corpus is', async () => {
  await using scene = await openScene();
  const stopped = new AbortController();
  stopped.abort();
  await assert.rejects(scene.copy(scene.folder, server.url, stopped.signal), { name: 'AbortError' });
  const first = await scene.copy(scene.folder, server.url);
  assert.deepEqual(await scene.copy(scene.folder, server.url), { lines: 0, files: 0, bytes: 0 });
  {
    await using corpus = await openCorpus(scene.folder);
    await corpus.saveNote({ work: 'W1', by: 'ada', text: 'Later.' });
  }
  const chunks = join(scene.folder, 'Data', 'ChunkedDocTagFiles', 'W1.jsonl');
  writeFileSync(chunks, readFileSync(chunks, 'utf8').replaceAll('polyps', 'anemones'));
  const more = await scene.copy(scene.folder, server.url);
  assert.deepEqual([more.lines, more.files, first.files > 1], [1, 1, true]);
  await using corpus = await scene.open('one');
  assert.deepEqual(
    corpus.notes().map(({ text }) => text),
    ['Later.'],
  );
  const found = async (word: string): Promise<number> => (await corpus.search(word, { mode: 'lexical' })).length;
  assert.deepEqual([await found('anemones'), await found('polyps')], [1, 0]);

  await corpus.saveNote({ work: 'W1', by: 'bo', text: 'Made at a server.' });
  {
    await using alone = await openCorpus(scene.folder);
    await alone.saveNote({ work: 'W1', by: 'ada', text: 'Made in the folder.' });
  }
  await assert.rejects(scene.copy(scene.folder, server.url), { code: 'COPY_OTHER' });
  await assert.rejects(scene.copy(server.url, scene.folder), { code: 'COPY_OTHER' });
  mkdirSync(scene.at('full'));
  writeFileSync(join(scene.at('full'), 'thesis.txt'), 'not a corpus');
  await assert.rejects(scene.copy(server.url, scene.at('full')), { code: 'COPY_FOLDER' });
  await assert.rejects(scene.copy(scene.folder, scene.at('other')), { code: 'USAGE_COPY' });
});

test('what is decided on one machine is known on another, and is there when both are gone', async () => {
  await using scene = await openScene();
  await scene.copy(scene.folder, server.url);
  const texts = (corpus: Corpus): string[] => corpus.notes().map(({ text }) => text);
  {
    await using one = await scene.open('one');
    await using two = await scene.open('two');
    await one.saveNote({ work: 'W1', by: 'ada', text: 'from one' });
    await two.saveNote({ work: 'W2', by: 'bo', text: 'from two' });
    await two.saveSet('recent', { filter: 'year:2020-' });
    await one.settle();
    assert.deepEqual(texts(one), ['from one', 'from two']);
    assert.deepEqual(
      one.sets().map(({ name }) => name),
      ['recent'],
    );
    assert.deepEqual(texts(two), texts(one));
  }
  await using later = await scene.open('three');
  assert.deepEqual(texts(later), ['from one', 'from two']);
});

test('a graph that one machine builds is asked on the others, also on those that were open before', async () => {
  await using scene = await openScene();
  await scene.copy(scene.folder, server.url);
  const hash = (corpus: Corpus): string => {
    using graph = corpus.graph.open();
    return graphHash(graph.store);
  };
  await using before = await scene.open('before');
  assert.equal(before.graph.exists, false);
  await using one = await scene.open('one');
  await buildGraph(one);
  await using two = await scene.open('two');
  assert.equal(hash(two), hash(one));
  await before.settle();
  await before.graph.catchUp();
  assert.equal(hash(before), hash(one));
  assert.equal(await before.graph.catchUp(), false, 'nothing is new');
});

test('what is not in the index yet is said', async () => {
  await using scene = await openScene();
  logStages(scene.folder, ['W1', 'W2', 'W6', 'W7']);
  await scene.copy(scene.folder, server.url);
  await using corpus = await scene.open('one');
  const told: string[] = [];
  const tell = (event: SearchEvent): void => void (event.kind === 'message' && told.push(event.message));
  await using session = await corpus.openSearch({ tell });
  assert.equal((await session.search('polyps')).length, 1);
  assert.deepEqual(
    told.filter((each) => each.includes('documents')),
    ['1 of 4 documents are not in the index yet'],
  );
});
