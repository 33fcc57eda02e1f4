import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { systemClock } from '../../base/index.ts';
import type { ManifestRow } from '../../download/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import { emptyRecord, NO_IDS, parsePersonName } from '../../works/index.ts';
import { entryRows, ManifestFolder } from './manifest-folder.ts';

test('an entry without a known work keeps its title, authors and year', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'entry-rows-'));
  const records: WorkRecord[] = [];
  const authors = [{ ...parsePersonName('Berg, Ana'), orcid: null, institutions: [] }];
  const record = { ...emptyRecord('list', NO_IDS), title: 'Reefs of the north', authors, date: '2019' };
  {
    const warn = (): void => undefined;
    await using manifest = await ManifestFolder.open({ folder: folder.path, clock: systemClock, runId: 'now', warn });
    const rows = entryRows(manifest, { add: (added) => void records.push(...added) }, 'now', systemClock);
    const entry = { file: 'lists/library.bib', line: 1029, word: 'unreadable-entry', reason: 'no id', record } as const;
    await rows.unreadable(entry);
    // The same entry in the next run adds no row.
    await rows.unreadable(entry);
  }
  const lines = readFileSync(join(folder.path, 'manifest.jsonl'), 'utf8').trim().split('\n');
  const [row] = lines.map((line) => JSON.parse(line) as ManifestRow);
  assert.equal(lines.length, 1);
  assert.deepEqual(
    [row?.work, row?.title, row?.reason],
    ['entry:library.bib#1029', 'Reefs of the north', 'unreadable-entry'],
  );
  assert.deepEqual(records[0], { ...record, id: 'entry:library.bib#1029' });
});
