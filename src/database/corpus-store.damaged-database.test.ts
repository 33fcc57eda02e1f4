import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { appendLine, corpusLines, dumpOf } from '../../test/support/corpus-logs.ts';
import type { AppError } from '../base/index.ts';
import { sha256 } from '../base/index.ts';
import { emptyRecord } from '../works/index.ts';
import { CorpusStore, removeStore } from './corpus-store.ts';
import { Records } from './records.ts';

/** A folder with every log, read once, and its rows. */
function readFolder(folder: string): { readonly logs: readonly string[]; readonly rows: string } {
  for (const line of corpusLines(400, 3)) appendLine(folder, line);
  using store = CorpusStore.create(folder);
  store.ingest();
  return { logs: store.column('select name from logs order by name'), rows: sha256(dumpOf(store)) };
}

test('a database of another program is refused and not changed, whatever it contains', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  const path = join(folder.path, 'corpus.sqlite');
  for (const line of corpusLines(20, 1)) appendLine(folder.path, line);
  const files: Readonly<Record<string, () => void>> = {
    'its tables': () => {
      using other = new DatabaseSync(path);
      other.exec('create table thesis (chapter text); insert into thesis values (1); pragma user_version = 7');
    },
    'a write-ahead log': () => {
      using other = new DatabaseSync(path);
      other.exec('pragma journal_mode = wal; create table logs (name text)');
    },
    'its mark': () => {
      using other = new DatabaseSync(path);
      other.exec('pragma application_id = 1234');
    },
    'no database': () => writeFileSync(path, 'minutes of a meeting\n'),
  };
  for (const [what, make] of Object.entries(files)) {
    make();
    const before = readFileSync(path);
    for (const open of ['open', 'create'] as const)
      assert.throws(() => CorpusStore[open](folder.path), { code: 'DATABASE_FOREIGN' }, what);
    assert.deepEqual(readFileSync(path), before, what);
    removeStore(folder.path);
  }
});

test('a newer database is refused, an older one gives its logs what they lost and is built again', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  const { rows } = readFolder(folder.path);
  const path = join(folder.path, 'corpus.sqlite');
  const setVersion = (change: number): void => {
    using database = new DatabaseSync(path);
    const { user_version: version } = database.prepare('pragma user_version').get() as { user_version: number };
    database.exec(`pragma user_version = ${version + change}`);
  };
  using running = CorpusStore.create(folder.path);
  setVersion(1);
  for (const open of ['open', 'create'] as const)
    assert.throws(() => CorpusStore[open](folder.path), { code: 'CORPUS_NEWER' });
  assert.throws(() => running.append('decisions', [{ kind: 'set' }]), { code: 'CORPUS_NEWER' });
  assert.throws(() => running.all('select * from a_table_that_was_renamed'), { code: 'CORPUS_NEWER' });
  setVersion(-2);
  rmSync(join(folder.path, 'decisions.jsonl'));
  using store = CorpusStore.open(folder.path, { warn: () => undefined });
  store.ingest();
  assert.equal(sha256(dumpOf(store)), rows);
});

test('a damaged database is reported as damaged', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  const path = join(folder.path, 'corpus.sqlite');
  for (const line of corpusLines(1_000, 1)) appendLine(folder.path, line);
  {
    using store = CorpusStore.create(folder.path);
    store.ingest();
  }
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0x5a, Math.floor(bytes.length / 8192) * 4096));
  using store = CorpusStore.open(folder.path);
  assert.throws(() => store.all('select * from outcomes'), { code: 'CORPUS_DAMAGED' });
  assert.throws(() => [...store.iterate('select * from outcomes')], { code: 'CORPUS_DAMAGED' });
});

test('changed bytes in a text of the database are reported with the command that mends them', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  {
    using records = Records.open(folder.path);
    records.add([{ ...emptyRecord('W1', { openalex: 'W1' }), title: 'Reefs' }]);
  }
  using store = CorpusStore.create(folder.path);
  store.run('update records set record = replace(record, \'"title":\', \'"title"\x15\')');
  const isDamage = (error: AppError): boolean => {
    assert.equal(error.code, 'CORPUS_DAMAGED');
    assert.match(error.hint ?? '', new RegExp(`docstokg reindex ${folder.path}`));
    return true;
  };
  assert.throws(() => new Records(store).get('W1'), isDamage);
  assert.throws(() => store.all("select record ->> '$.title' from records"), isDamage);
  assert.throws(() => [...store.iterate("select record ->> '$.title' from records")], isDamage);
  assert.throws(
    () => store.all('select nonsense from records'),
    { code: 'ERR_SQLITE_ERROR' },
    'our own mistakes are not damage',
  );
});
