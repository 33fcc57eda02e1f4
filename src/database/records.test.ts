import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import type { WorkRecord } from '../works/index.ts';
import { emptyRecord, NO_IDS, withProvenance } from '../works/index.ts';
import { Records } from './records.ts';

const AT = '2026-11-01T00:00:00.000Z';
const IDS = { openalex: 'W123', doi: '10.1000/reef', pmid: '77' };
const OPENALEX = withProvenance(
  { ...emptyRecord('W123', IDS), title: 'Heat and reefs', abstract: 'Heat kills reefs.' },
  'openalex',
  AT,
);
const CROSSREF = withProvenance(
  { ...emptyRecord('doi:10.1000/reef', { doi: '10.1000/reef' }), title: 'Heat and reefs', issue: '4' },
  'crossref',
  AT,
);

function version(id: string, more: Partial<WorkRecord> = {}): WorkRecord {
  const author = { name: 'Ana Berg', family: null, given: null, orcid: null, institutions: [] };
  const title = 'Heat and the reefs of the northern Pacific';
  return { ...emptyRecord(id), title, authors: [author], date: '2024', type: 'article', ...more };
}

test('a field is kept when its source no longer has it', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'records-'));
  {
    using store = Records.open(folder.path);
    store.add([OPENALEX]);
    store.add([
      withProvenance({ ...emptyRecord('W123'), title: 'A new title' }, 'openalex', '2026-12-01T00:00:00.000Z'),
    ]);
  }
  using store = Records.open(folder.path);
  assert.equal(store.size, 1);
  const kept = store.get('W123');
  assert.equal(kept?.title, 'A new title');
  assert.equal(kept?.abstract, 'Heat kills reefs.');
  assert.equal(store.get('doi:10.1000/REEF')?.id, 'W123');
  assert.deepEqual(
    [...store.all()].map(({ id }) => id),
    ['W123'],
  );
});

test('a record is found by each of its ids, and one known by DOI becomes the record of its OpenAlex work', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'records-'));
  using store = Records.open(folder.path);
  const [openalex, crossref] = [OPENALEX, CROSSREF];
  store.add([crossref]);
  store.add([openalex]);
  store.add([crossref]);
  assert.equal(store.size, 1);
  assert.equal(store.get('pmid:77')?.id, 'W123');
  assert.equal(store.get('doi:10.1000/reef')?.issue, '4');
  assert.equal(store.ofDocument('W123')?.id, 'W123');
  assert.equal(store.ofDocument('W7'), undefined);
  // OpenAlex has some works twice: one DOI is one work, under either id.
  const twin = { ...openalex, id: 'W124', ids: { ...openalex.ids, openalex: 'W124' } };
  store.add([twin]);
  assert.deepEqual([store.size, store.get('W124')?.id, store.get('W124')?.ids.openalex], [1, 'W123', 'W123']);
  const log = readFileSync(join(folder.path, 'records.jsonl'), 'utf8');
  store.add([
    twin,
    openalex,
    { ...openalex, sources: openalex.sources.map((each) => ({ ...each, at: '2027-01-01' })) },
  ]);
  assert.equal(readFileSync(join(folder.path, 'records.jsonl'), 'utf8'), log, 'nothing new was added');
});

test('a work first known by its DOI stays one record, in any order of additions', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'records-'));
  using store = Records.open(folder.path);
  const doi = { ...NO_IDS, doi: '10.5555/x' };
  const openalex = { ...doi, openalex: 'W9' };
  store.add([{ ...emptyRecord('doi:10.5555/x', doi), volume: '1' }]);
  // A source that knows it by its DOI adds its OpenAlex id.
  store.add([{ ...emptyRecord('doi:10.5555/x', openalex), issue: '2' }]);
  store.add([{ ...emptyRecord('W9', openalex), title: 'Reefs' }]);
  assert.deepEqual(
    [...store.all()].map(({ id, volume, issue, title }) => [id, volume, issue, title]),
    [['W9', '1', '2', 'Reefs']],
  );
  store.add([emptyRecord('W10', { ...doi, openalex: 'W10' })]);
  assert.deepEqual([store.size, store.get('W10')?.id], [1, 'W9'], 'two OpenAlex works with one DOI are one');
  // A user's own paper that turns out to be this work is filed there, and its own record is removed.
  const paper = { document: 'mine', sha256: 'a' };
  store.fileOwn({ ...paper, checked: false }, [{ ...emptyRecord('paper:mine'), title: 'Reefs' }]);
  assert.equal(store.size, 2);
  assert.equal(
    store.fileOwn({ ...paper, checked: true }, [emptyRecord('paper:mine'), emptyRecord('W9', openalex)]),
    'W9',
  );
  assert.deepEqual([store.size, store.ofDocument('mine')?.id], [1, 'W9']);
});

test('deferrals by other runs are counted since the last other outcome of the work', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'records-'));
  const row = { work: 'W1', outcome: 'parked', reason: 'rate-limited', attempts: [], problems: [] };
  const rows = [
    ['a', 'parked'],
    ['a', 'failed'],
    ['b', 'parked'],
    ['c', 'parked'],
    ['now', 'parked'],
  ].map(([run_id, outcome], at) => JSON.stringify({ ...row, run_id, outcome, at: String(at) }));
  writeFileSync(join(folder.path, 'manifest.jsonl'), `${rows.join('\n')}\n`);
  using records = Records.open(folder.path);
  assert.deepEqual([records.deferrals('W1', 'now'), records.deferrals('W2', 'now')], [2, 0]);
});

test('merged versions have a reason and list the best first, and a merge that was undone stays undone', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'versions-'));
  using store = Records.open(folder.path);
  store.add([
    version('W1', { type: 'preprint', version: 'submittedVersion', date: '2023' }),
    version('W2', { version: 'publishedVersion' }),
    version('W3', { title: 'Something else entirely about fish' }),
  ]);
  assert.deepEqual(
    store.linkVersions('2026-01-01').map(({ reason }) => reason),
    ['title-authors-year'],
  );
  assert.deepEqual(store.linkVersions('2026-01-02'), []);
  assert.deepEqual(
    store.versionGroups().map((group) => group.map(({ id }) => id)),
    [['W2', 'W1']],
  );
  assert.equal(store.setApart('W1', true, '2026-01-03'), 1);
  assert.deepEqual(store.versionGroups(), []);
  assert.deepEqual(store.linkVersions('2026-01-03'), []);
  assert.equal(store.versions()[0]?.undone, true);
  assert.equal(store.setApart('W1', false, '2026-01-04'), 1);
  assert.equal(store.versionGroups().length, 1);
});

test('versions are found but not logged in a copy of a fleet’s logs', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'versions-'));
  using store = Records.open(folder.path);
  store.add([version('W1', { type: 'preprint', date: '2023' }), version('W2', { version: 'publishedVersion' })]);
  mkdirSync(join(folder.path, 'state'));
  writeFileSync(join(folder.path, 'state', 'fleet.json'), '{}');
  assert.equal(store.linkVersions('2026-01-01').length, 1);
  assert.ok(!existsSync(join(folder.path, 'decisions.jsonl')));
  assert.throws(() => store.saveSet({ name: 'mine', works: ['W1'], filter: null }, '2026'), {
    code: 'CORPUS_OF_FLEET',
  });
});
