import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { systemClock } from '../../base/index.ts';
import type { ManifestRow } from '../../download/index.ts';
import { Records } from '../../database/index.ts';
import type { Work, WorkRecord } from '../../works/index.ts';
import { emptyRecord, NO_IDS, parsePersonName, workFromIds } from '../../works/index.ts';
import { searched } from '../list/search-titles.ts';
import { entryRows, ManifestFolder } from './manifest-folder.ts';

const authors = [{ ...parsePersonName('Berg, Ana'), orcid: null, institutions: [] }];
const CITED = { title: 'Reefs of the north', authors: ['Berg'], year: 2019, text: 'Reefs of the north' };
const recordOf = (title: string): WorkRecord => ({ ...emptyRecord('list', NO_IDS), title, authors, date: '2019' });

/** Writes rows in an empty folder; returns the rows of the manifest, and the records. */
async function written(write: (rows: ReturnType<typeof entryRows>) => Promise<void>) {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'entry-rows-'));
  {
    using records = Records.open(folder.path);
    await using manifest = await ManifestFolder.open({ folder: folder.path, clock: systemClock, runId: 'now' });
    await write(entryRows(manifest, records, 'now', systemClock));
  }
  using records = Records.open(folder.path);
  const lines = readFileSync(join(folder.path, 'manifest.jsonl'), 'utf8').trim().split('\n');
  const rows = lines.map((line) => JSON.parse(line) as ManifestRow);
  return { rows, records: [...records.entries()], idOf: new Map(rows.map(({ work }) => [work, records.idOf(work)])) };
}

test('an entry without a known work keeps its title, authors and year', async () => {
  const record = recordOf('Reefs of the north');
  const entry = { file: 'lists/library.bib', line: 1029, word: 'unreadable-entry', reason: 'no id', record } as const;
  const { rows: kept, records } = await written(async (rows) => {
    await rows.unreadable(entry);
    // The same entry in the next run adds no row.
    await rows.unreadable(entry);
  });
  assert.deepEqual(
    kept.map(({ work, title, reason }) => [work, title, reason]),
    [['entry:library.bib#1029', 'Reefs of the north', 'unreadable-entry']],
  );
  assert.deepEqual(records, [{ ...record, id: 'entry:library.bib#1029' }]);
});

test('a title that could not be searched because Crossref is away is retried by the next run', async () => {
  const entry = { kind: 'cited', line: 3, urls: [], cited: CITED, record: recordOf(CITED.title) } as const;
  const counts = { accepted: 0, doubtful: 0, none: 0, away: 0 };
  const signal = new AbortController().signal;
  const byTitle = async () => ({ kind: 'away', message: 'HTTP 503' }) as const;
  const found = await searched('lists/library.bib', entry, { byTitle, signal }, counts);
  assert.ok(found.kind === 'bad');
  const { rows: kept } = await written(async (rows) => {
    await rows.unreadable({ file: 'lists/library.bib', ...found, record: entry.record });
  });
  assert.deepEqual(
    kept.map(({ work, outcome, reason, detail }) => [work, outcome, reason, detail]),
    [
      [
        'entry:library.bib#3',
        'failed',
        'lookup-failed',
        'line 3: "Reefs of the north" could not be searched for: HTTP 503',
      ],
    ],
  );
  assert.equal(counts.away, 1);
});

test('entries on the same line of two lists with the same name stay separate, each with its work', async () => {
  const workOf = (doi: string): Work => workFromIds({ ...NO_IDS, doi }) as Work;
  const { idOf } = await written(async (rows) => {
    await rows.identified('export.ris#7', workOf('10.5555/north'), recordOf('Reefs of the north'));
    await rows.identified('export.ris#7', workOf('10.5555/south'), recordOf('Reefs of the south'));
  });
  assert.deepEqual(
    [...idOf],
    [
      ['entry:export.ris#7', 'doi:10.5555/north'],
      ['entry:export.ris#7-2', 'doi:10.5555/south'],
    ],
  );
});
