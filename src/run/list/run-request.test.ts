import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { systemClock } from '../../base/index.ts';
import { loadConfig } from '../../config/index.ts';
import { askedFor, wantedDocuments } from './run-request.ts';
import { openRunFolder } from '../run-file.ts';

const { config } = loadConfig({ environment: {}, folder: tmpdir() });

test('a folder without a request resumes its last request with the same contact address', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-asked-'));
  const asked = { ids: ['10.1371/journal.pone.0000217'], mailto: 'ada@university.example' };
  (await openRunFolder(scratch.path, asked, systemClock))[Symbol.dispose]();
  assert.deepEqual(await askedFor(scratch.path, { ids: [] }, ''), asked);
  const other = await askedFor(scratch.path, { mailto: 'grace@university.example' }, 'set@university.example');
  assert.deepEqual(other, { ...asked, mailto: 'grace@university.example' });
  assert.equal(wantedDocuments(other, config).config.http.contact, 'grace@university.example');
});

test('a request keeps the contact address that is set, wherever it was set, so that its folder is enough to resume', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-asked-'));
  const asked = await askedFor(scratch.path, { ids: ['10.1371/journal.pone.0000217'] }, 'ada@university.example');
  assert.equal(asked.mailto, 'ada@university.example');
  (await openRunFolder(scratch.path, asked, systemClock))[Symbol.dispose]();
  assert.equal((await askedFor(scratch.path, {}, '')).mailto, 'ada@university.example');
  assert.equal((await askedFor(scratch.path, {}, 'bo@university.example')).mailto, 'bo@university.example');
});

test('a folder without an earlier request is refused', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-asked-'));
  await assert.rejects(askedFor(scratch.path, {}, ''), { code: 'USAGE_NOTHING_TO_RUN' });
});

test('folders and papers are distinguished from lists of works', () => {
  const { papers, wanted } = wantedDocuments({ input: [tmpdir(), 'a.pdf', 'b.bib', 'c.nxml.gz', 'ids.txt'] }, config);
  assert.deepEqual(
    [papers, wanted.input],
    [
      [tmpdir(), 'a.pdf', 'c.nxml.gz'],
      ['b.bib', 'ids.txt'],
    ],
  );
});
