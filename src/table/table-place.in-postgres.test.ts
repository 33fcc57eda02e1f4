import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { startPglite } from '../../test/support/pglite-server.ts';
import { logStages, openPostgresScene, WORDS_ONLY } from '../../test/support/postgres-scene.ts';
import type { Corpus } from '../corpus/index.ts';
import { openCorpus } from '../corpus/index.ts';
import { columnsFrom } from './columns.ts';
import { fillTable } from './fill-table.ts';
import { readTable, savedTables } from './saved-tables.ts';

const server = await startPglite();
after(() => server[Symbol.asyncDispose]());

/** What people did in a corpus, and what its account counts. */
async function doneIn(corpus: Corpus): Promise<object> {
  const tables = [];
  for (const { id } of await savedTables(corpus)) {
    await using session = await corpus.openSearch();
    tables.push((await readTable(corpus, session, id)).rows);
  }
  return {
    notes: corpus.notes(),
    sets: corpus.sets(),
    corrections: [...corpus.corrections()],
    account: await corpus.library.account(),
    run: await corpus.account(),
    tables,
  };
}

/** Fills in a table with one column; returns how many rows that took. */
async function fill(corpus: Corpus, name: string): Promise<number> {
  await using session = await corpus.openSearch();
  return (await fillTable(corpus, session, { columns: columnsFrom([name]) })).outcome.succeeded;
}

test('a corpus moves into PostgreSQL, is worked on there, and moves back into its folder, as often as one likes', async () => {
  await using scene = await openPostgresScene(server.url);
  const inFolder = async <T>(work: (corpus: Corpus) => Promise<T>): Promise<T> => {
    await using corpus = await openCorpus(scene.folder, { settings: WORDS_ONLY });
    return await work(corpus);
  };
  logStages(scene.folder, ['W1', 'W2', 'W6']);
  await inFolder(async (corpus) => {
    await corpus.saveNote({ work: 'W1', by: 'ada', text: 'in the folder' });
    await fill(corpus, 'country');
  });
  let expected: object = {};
  for (const turn of [1, 2]) {
    await scene.copy(scene.folder, server.url);
    {
      await using corpus = await scene.open(`turn ${turn}`);
      assert.equal((await savedTables(corpus)).length, turn, 'tables come along');
      assert.equal(await fill(corpus, 'country'), 0, 'and are not filled in again');
      await corpus.saveNote({ work: 'W2', by: 'bo', text: `at a server, turn ${turn}` });
      await corpus.saveSet('recent', { filter: `year:202${turn}-` });
      await corpus.correct('W1', 'country', `Fiji ${turn}`);
      await fill(corpus, `funding ${turn}`);
      expected = await doneIn(corpus);
    }
    await assert.rejects(scene.copy(scene.folder, server.url), { code: 'COPY_OTHER', hint: /copy postgres:.* first/ });
    const stopped = new AbortController();
    stopped.abort();
    await assert.rejects(scene.copy(server.url, scene.folder, stopped.signal), { name: 'AbortError' });
    const back = await scene.copy(server.url, scene.folder);
    assert.ok(back.lines >= 3 && back.files > 0);
    assert.deepEqual(await inFolder(doneIn), expected);
    assert.equal(await inFolder((corpus) => fill(corpus, `funding ${turn}`)), 0);
    assert.deepEqual(await scene.copy(server.url, scene.folder), { lines: 0, files: 0, bytes: 0 }, 'nothing twice');
  }
  await inFolder((corpus) => corpus.saveNote({ work: 'W1', by: 'ada', text: 'home again' }));
  await scene.copy(scene.folder, server.url);
  await using corpus = await scene.open('last');
  assert.deepEqual(await doneIn(corpus), await inFolder(doneIn));
});

test('a copy into a folder that was killed at its very beginning is made again', async () => {
  await using scene = await openPostgresScene(server.url);
  await scene.copy(scene.folder, server.url);
  mkdirSync(join(scene.at('begun'), 'state'), { recursive: true });
  writeFileSync(join(scene.at('begun'), 'state', 'fleet.lock'), '');
  assert.ok((await scene.copy(server.url, scene.at('begun'))).lines > 0);
});
