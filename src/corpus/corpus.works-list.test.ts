import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, truncateSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { systemClock } from '../base/index.ts';
import { manifestRow, slug } from '../download/index.ts';
import { ManifestFolder } from '../run/index.ts';
import type { WorkIds, WorkRecord } from '../works/index.ts';
import { emptyRecord, namedWork, NO_IDS, workFromIds } from '../works/index.ts';
import { openCorpus } from './corpus.ts';
import { Records, removeStore } from '../database/index.ts';
import { accountOf, CorpusWorks, outcomesOf } from '../library/index.ts';

async function putSaved(folder: string, ids: Partial<WorkIds>, at: number): Promise<void> {
  await using manifest = await ManifestFolder.open({ folder, runId: 'r', clock: systemClock });
  const work = workFromIds({ ...NO_IDS, ...ids });
  assert.ok(work);
  const lost = { kind: 'failed', reason: 'no-plan', detail: null } as const;
  const moments = { startedAt: at, endedAt: at + 1 };
  const row = manifestRow({ work, outcome: lost, attempts: [], problems: [], asked: [], ...moments }, 'r');
  await manifest.write({ ...row, outcome: 'saved', reason: 'success', path: `PDF/${slug(work.id)}.pdf` });
}

function putRecord(folder: string, id: string, ids: Partial<WorkIds>): void {
  using records = Records.open(folder);
  records.add([{ ...emptyRecord(id, ids), title: `The work ${id}` }]);
}

function putWhole(folder: string, record: WorkRecord): void {
  using records = Records.open(folder);
  records.add([record]);
}

function linesOf(list: CorpusWorks): unknown[] {
  const { items, total } = list.table.page({ sort: 'id', q: 'work' });
  assert.equal(items.length, total);
  assert.deepEqual(
    list.table.page({ sort: 'id' }).items.map(({ id }) => id),
    items.map(({ id }) => id),
  );
  return items.map(({ id, document }) => [id, document]);
}

test('rows that are only in the database are written to the manifest before it is rebuilt', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'works-list-'));
  for (const number of [1, 2, 3]) await putSaved(folder.path, { pmid: `${number}` }, number);
  const jsonl = join(folder.path, 'manifest.jsonl');
  truncateSync(jsonl, readFileSync(jsonl, 'utf8').indexOf('\n') + 1);
  const warnings: string[] = [];
  await using corpus = await openCorpus(folder.path);
  assert.equal((await corpus.reindex((message) => warnings.push(message))).works, 3);
  assert.match(warnings.join(), /^.*manifest\.jsonl was cut off: it was written again from corpus\.sqlite$/);
  const rows = readFileSync(jsonl, 'utf8').trim().split('\n');
  assert.equal(rows.length, 3);
  const unreadable = { work: 'entry:list.bib#7', outcome: 'skipped', reason: 'unreadable-entry', path: null };
  appendFileSync(jsonl, `${JSON.stringify({ ...(JSON.parse(rows[0] ?? '') as object), ...unreadable })}\n`);
  assert.equal((await corpus.reindex()).works, 3, 'an entry without a work is not counted');
});

test('a work tried under another id than its record has is one work, in any order', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'works-list-'));
  const doi = '10.5555/reefs';
  const document = slug(`doi:${doi}`);
  putRecord(folder.path, 'W1', { openalex: 'W1', doi });
  await putSaved(folder.path, { doi }, 1);
  using list = new CorpusWorks({ folder: folder.path });
  list.store.ingest();
  assert.deepEqual(linesOf(list), [['W1', document]]);

  // The row first, then the record.
  await putSaved(folder.path, { pmid: '77' }, 2);
  list.store.ingest();
  putRecord(folder.path, 'W2', { openalex: 'W2', pmid: '77' });
  list.store.ingest();
  assert.deepEqual(linesOf(list), [
    ['W1', document],
    ['W2', slug('pmid:77')],
  ]);

  // A record that moves to another id leaves nothing under the first.
  putRecord(folder.path, 'doi:10.5555/kelp', { doi: '10.5555/kelp' });
  list.store.ingest();
  assert.equal(outcomesOf(accountOf(list.store))['waiting'], 1);
  putRecord(folder.path, 'W3', { openalex: 'W3', doi: '10.5555/kelp' });
  list.store.ingest();
  assert.deepEqual(
    linesOf(list).map((line) => (line as string[])[0]),
    ['W1', 'W2', 'W3'],
  );
  assert.deepEqual(outcomesOf(accountOf(list.store)), { saved: 2, waiting: 1 });

  await using corpus = await openCorpus(folder.path);
  assert.deepEqual(
    (await corpus.library.works()).items.map((work) => [work.id, work.document, work.outcome]),
    [
      ['W1', document, 'saved'],
      ['W2', slug('pmid:77'), 'saved'],
      ['W3', null, 'waiting'],
    ],
  );
  for (const name of ['W1', doi, `doi:${doi}`, document])
    assert.equal((await corpus.library.work(name))?.file, `PDF/${document}.pdf`, name);
  using view = corpus.view();
  await view.refresh();
  assert.equal(view.history('W1').length, 1);
});

test('of the versions of a work the one that is identified and downloaded is shown and counted, in any order', async () => {
  const author = { name: 'Ana Berg', family: 'Berg', given: 'Ana', orcid: null, institutions: [] };
  const said = { title: 'Reefs of the far north and their fishes', authors: [author] };
  const doi = '10.5555/reefs';
  const preprint = '10.31219/osf.io/reefs';
  const steps: Readonly<Record<string, (folder: string) => Promise<void>>> = {
    saved: async (folder) => {
      await putSaved(folder, { doi }, 1);
      putWhole(folder, { ...emptyRecord(`doi:${doi}`, { doi }), ...said, type: 'preprint', date: '2019' });
    },
    // The article that no source has, and an entry whose title fits several works.
    article: async (folder) =>
      putWhole(folder, {
        ...emptyRecord('W9', { openalex: 'W9', doi: preprint }),
        ...said,
        type: 'article',
        date: '2019-05',
      }),
    entry: async (folder) => {
      putWhole(folder, { ...emptyRecord('entry:embase.bib#68', NO_IDS), ...said, date: '2019-07' });
      await using manifest = await ManifestFolder.open({ folder, runId: 'r', clock: systemClock });
      const work = namedWork('entry:embase.bib#68', NO_IDS, { title: said.title });
      const outcome = { kind: 'skipped', reason: 'title-doubtful', detail: null } as const;
      await manifest.write(
        manifestRow({ work, outcome, attempts: [], problems: [], asked: [], startedAt: 1, endedAt: 2 }, 'r'),
      );
    },
  };
  for (const order of [
    ['saved', 'article', 'entry'],
    ['entry', 'article', 'saved'],
  ]) {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'works-list-'));
    for (const step of order) await steps[step]?.(folder.path);
    {
      using records = Records.open(folder.path);
      records.linkVersions('2026');
      assert.deepEqual(
        records.versionGroups().map((group) => group.map(({ id }) => id)),
        [[`doi:${doi}`, 'W9', 'entry:embase.bib#68']],
      );
    }
    using list = new CorpusWorks({ folder: folder.path });
    list.store.ingest();
    const {
      listed,
      downloaded,
      unreadable_entries: unreadable,
      other_versions: others,
      prisma,
    } = accountOf(list.store);
    assert.deepEqual([listed, downloaded, unreadable, others], [3, 1, 0, 2], order.join());
    assert.deepEqual(
      [prisma.identified, prisma.removed_before_screening.duplicates, prisma.sought, prisma.retrieved],
      [3, 2, 1, 1],
    );
    const shown = list.store.column('select work from works where other_version = 0');
    assert.deepEqual(shown, [`doi:${doi}`]);
  }
});

test('two OpenAlex ids with one DOI are one work and count as a duplicate', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'works-list-'));
  for (const [at, openalex] of ['W1', 'W2', 'W3'].entries()) {
    putRecord(folder.path, openalex, { openalex, doi: openalex === 'W3' ? '10.5555/kelp' : '10.5555/reefs' });
    await putSaved(folder.path, { openalex }, at);
  }
  using list = new CorpusWorks({ folder: folder.path });
  list.store.ingest();
  const { listed, downloaded, repeated_entries: repeated, prisma } = accountOf(list.store);
  assert.deepEqual([listed, downloaded, repeated], [2, 2, 1]);
  assert.deepEqual([prisma.identified, prisma.removed_before_screening.duplicates, prisma.retrieved], [3, 1, 2]);
});

test('a work tried by id and by DOI counts as one repeated entry, and splitting it gives two works', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'works-list-'));
  putRecord(folder.path, 'W1', { openalex: 'W1', doi: '10.5555/reefs' });
  await putSaved(folder.path, { openalex: 'W1' }, 1);
  await putSaved(folder.path, { doi: '10.5555/reefs' }, 2);
  using list = new CorpusWorks({ folder: folder.path });
  const counted = (): number[] => {
    list.store.ingest();
    const { listed, repeated_entries: repeated, prisma } = accountOf(list.store);
    return [listed, repeated, prisma.identified];
  };
  assert.deepEqual(counted(), [1, 1, 2]);
  const split = { kind: 'identity', work: 'W1', of: 'doi:10.5555/reefs', same: false, at: '2026' };
  appendFileSync(join(folder.path, 'decisions.jsonl'), `${JSON.stringify(split)}\n`);
  assert.deepEqual(counted(), [2, 0, 2]);
});

test('a deleted database is rebuilt, and readers of the old file see new rows', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'works-list-'));
  putRecord(folder.path, 'W1', { openalex: 'W1' });
  using list = new CorpusWorks({ folder: folder.path });
  list.store.ingest();
  assert.deepEqual(linesOf(list), [['W1', null]]);
  removeStore(folder.path);
  putRecord(folder.path, 'W2', { openalex: 'W2' });
  list.store.ingest();
  using again = new CorpusWorks({ folder: folder.path });
  again.store.ingest();
  for (const each of [list, again]) {
    assert.deepEqual(linesOf(each), [
      ['W1', null],
      ['W2', null],
    ]);
    assert.deepEqual(outcomesOf(accountOf(each.store)), { waiting: 2 });
  }
});

test('a changed record is found by its new words and no longer by the old', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'works-list-'));
  const write = (word: string): void => {
    using records = Records.open(folder.path);
    const works = Array.from({ length: 60 }, (_, at) => `W${at + 1}`);
    records.replace(works.map((id) => ({ ...emptyRecord(id, { openalex: id }), title: `${word} ${id}` })));
  };
  write('first');
  using list = new CorpusWorks({ folder: folder.path });
  list.store.ingest();
  const has = (q: string): number => list.table.page({ q, limit: 1 }).total;
  assert.equal(has('first'), 60);
  write('second');
  list.store.ingest();
  assert.deepEqual([has('first'), has('second')], [0, 60]);
});
