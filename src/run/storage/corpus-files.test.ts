import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import type { AppError } from '../../base/index.ts';
import { sha256, systemClock } from '../../base/index.ts';
import { FolderJournal, LogFolder } from '../../journal/index.ts';
import { openObjects } from '../../objects/index.ts';
import { CorpusStore } from '../../database/index.ts';
import { checkStore } from './check-store.ts';
import { StoredFiles } from './corpus-files.ts';

const HOUR = 3_600_000;

async function open(folder: string): Promise<AsyncDisposable & { readonly files: StoredFiles }> {
  const settings = {
    endpoint: '',
    region: 'r',
    path_style: null,
    access_key_id: '',
    secret_access_key: '',
    session_token: '',
  };
  const objects = openObjects({ ...settings, url: join(folder, '..', 'store') }, { clock: systemClock, state: folder });
  const stack = new AsyncDisposableStack();
  const journal = stack.use(new FolderJournal(new LogFolder(folder)));
  const store = stack.use(CorpusStore.create(folder, { journal, warn: () => undefined }));
  store.ingest();
  const files = new StoredFiles({ journal, store, objects, clock: systemClock });
  return { files, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test('saved files are restored into an empty folder from the log alone', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-shared-'));
  const [here, there] = ['here', 'there'].map((name) => join(temporary.path, name)) as [string, string];
  mkdirSync(join(here, 'PDF'), { recursive: true });
  mkdirSync(there);
  for (const name of ['a', 'b']) writeFileSync(join(here, 'PDF', `${name}.pdf`), name.repeat(10));
  {
    await using opened = await open(here);
    const { files } = opened;
    await files.save(['PDF/a.pdf', 'PDF/b.pdf']);
    await files.save(['PDF/a.pdf']);
    writeFileSync(join(here, 'PDF', 'b.pdf'), 'another version');
    await files.save(['PDF/b.pdf']);
    await assert.rejects(files.save(['run.json']), { code: 'OBJECT_PATH' });
  }
  const log = readFileSync(join(here, 'objects.jsonl'), 'utf8');
  assert.equal(log.trim().split('\n').length, 3);
  writeFileSync(join(there, 'objects.jsonl'), log);
  for (const path of ['../evil', '/etc/evil', 'PDF/../evil', 'PDF/.hidden', 'docstokg.yaml', 'PDF/a\\b'])
    appendFileSync(join(there, 'objects.jsonl'), `${JSON.stringify({ path, sha256: sha256('x'), bytes: 1 })}\n`);
  await using opened = await open(there);
  const { files } = opened;
  assert.deepEqual(
    [...files.below('')].map(({ path }) => path),
    ['PDF/a.pdf', 'PDF/b.pdf'],
  );
  assert.deepEqual(await files.bringAll('PDF/'), { files: 2, bytes: 25 });
  assert.equal(readFileSync(join(there, 'PDF/b.pdf'), 'utf8'), 'another version');
  assert.deepEqual(await files.bringAll('PDF/'), { files: 0, bytes: 0 });
  assert.equal(await files.bring('PDF/c.pdf'), false);
  // Left by a download whose row was refused.
  writeFileSync(join(there, 'PDF/a.pdf'), 'b'.repeat(10));
  assert.equal(await files.bring('PDF/a.pdf'), true);
  assert.equal(readFileSync(join(there, 'PDF/a.pdf'), 'utf8'), 'a'.repeat(10));
});

test('a check lists missing and damaged objects; only a repair removes orphans, and only old ones', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-shared-'));
  const here = join(temporary.path, 'here');
  mkdirSync(join(here, 'PDF'), { recursive: true });
  const object = (text: string): string => join(temporary.path, 'store', sha256(text).slice(0, 2), sha256(text));
  for (const name of ['good', 'lost', 'bent', 'cut', 'old']) writeFileSync(join(here, 'PDF', `${name}.pdf`), name);
  await using opened = await open(here);
  const { files } = opened;
  await files.save(['good', 'lost', 'bent', 'cut', 'old'].map((name) => `PDF/${name}.pdf`));
  writeFileSync(join(here, 'PDF', 'old.pdf'), 'new');
  await files.save(['PDF/old.pdf']);
  rmSync(object('lost'));
  writeFileSync(object('bent'), 'tneb');
  writeFileSync(object('cut'), 'c');
  const check = (more: object) => {
    const options = { verify: false, repair: false, graceMs: 24 * HOUR, ...more };
    return checkStore(files, options);
  };
  assert.deepEqual(await check({}), {
    files: 5,
    objects: 5,
    missing: ['PDF/lost.pdf'],
    damaged: ['PDF/cut.pdf'],
    orphans: [],
    young: 1,
    removed: 0,
  });
  assert.deepEqual((await check({ verify: true })).damaged, ['PDF/bent.pdf', 'PDF/cut.pdf']);
  const yesterday = Date.now() / 1000 - 25 * 3_600;
  utimesSync(object('old'), yesterday, yesterday);
  assert.deepEqual((await check({})).orphans, [sha256('old')]);
  assert.ok(existsSync(object('old')));
  assert.equal((await check({ repair: true })).removed, 1);
  assert.ok(!existsSync(object('old')) && existsSync(object('good')));
});

test('files that an emptied store lacks are uploaded again from a folder that has them', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-shared-'));
  const [here, there] = ['here', 'there'].map((name) => join(temporary.path, name)) as [string, string];
  mkdirSync(join(here, 'PDF'), { recursive: true });
  mkdirSync(there);
  for (const name of ['a', 'b', 'c', 'd']) writeFileSync(join(here, 'PDF', `${name}.pdf`), name.repeat(10));
  await using opened = await open(here);
  const { files } = opened;
  await files.save(['a', 'b', 'c', 'd'].map((name) => `PDF/${name}.pdf`));
  writeFileSync(join(there, 'objects.jsonl'), readFileSync(join(here, 'objects.jsonl')));
  const stored = (text: string): string => join(temporary.path, 'store', sha256(text).slice(0, 2), sha256(text));
  for (const name of ['a', 'c', 'd']) rmSync(stored(name.repeat(10)));
  writeFileSync(stored('b'.repeat(10)), 'cut');
  rmSync(join(here, 'PDF', 'c.pdf'));
  writeFileSync(join(here, 'PDF', 'd.pdf'), 'D'.repeat(10));
  await using openedThere = await open(there);
  const { files: other } = openedThere;
  await assert.rejects(other.bring('PDF/a.pdf'), (error: AppError) => {
    assert.equal(error.code, 'OBJECT_MISSING');
    assert.match(error.message, /^PDF\/a\.pdf: /);
    assert.match(error.hint ?? '', /docstokg store .* --push/);
    return true;
  });
  assert.deepEqual(await files.pushAll(), { files: 2, bytes: 20, absent: ['PDF/c.pdf', 'PDF/d.pdf'] });
  assert.deepEqual(await files.pushAll(), { files: 0, bytes: 0, absent: ['PDF/c.pdf', 'PDF/d.pdf'] });
  for (const name of ['a', 'b']) assert.equal(await other.bring(`PDF/${name}.pdf`), true);
  assert.equal(readFileSync(join(there, 'PDF', 'b.pdf'), 'utf8'), 'b'.repeat(10));
});
