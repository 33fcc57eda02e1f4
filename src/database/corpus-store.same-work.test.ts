import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import type { LogLine } from '../../test/support/corpus-logs.ts';
import { appendLine } from '../../test/support/corpus-logs.ts';
import { manifestRow } from '../download/index.ts';
import { emptyRecord, workFromText } from '../works/index.ts';
import { CorpusStore } from './corpus-store.ts';
import { Records } from './records.ts';

test('a work listed under several ids is one row, whichever id is known first, and a user can split it', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  const row = (id: string, number: number, more: object): LogLine => {
    const work = workFromText(id);
    assert.ok(work.kind === 'work');
    const outcome = { kind: 'failed', reason: 'no-plan', detail: null } as const;
    const at = { startedAt: number, endedAt: number };
    const known = manifestRow({ work: work.work, outcome, attempts: [], problems: [], asked: [], ...at }, 'r');
    return { log: 'manifest.jsonl', text: `${JSON.stringify({ ...known, ...more })}\n` };
  };
  const saved = { outcome: 'saved', reason: 'success', path: 'PDF/x.pdf' };
  const duplicate = { outcome: 'skipped', reason: 'duplicate', duplicate_of: 'doi:10.5555/x' };
  appendLine(folder.path, row('10.5555/x', 1, saved));
  appendLine(folder.path, row('31000005', 2, duplicate));
  using store = CorpusStore.create(folder.path);
  const works = (): unknown[] =>
    store
      .all('select work, tried, outcome, label, other_version from works order by work')
      .map((each) => Object.values(each));
  store.ingest();
  assert.deepEqual(works(), [['doi:10.5555/x', 'doi:10.5555/x', 'saved', '', 0]]);
  const records = new Records(store);
  const decided = { id: 'one', work: 'pmid:31000005', decision: 'exclude', by: 'ada', at: '2026' } as const;
  records.screen([
    { kind: 'screened', ...decided, phase: 'title-abstract', reason: null, note: null, criteria: 0, rank: null },
  ]);
  assert.deepEqual(works(), [['doi:10.5555/x', 'doi:10.5555/x', 'saved', 'excluded', 0]]);
  // A record with the same ids changes only the name.
  records.add([emptyRecord('W5', { openalex: 'W5', doi: '10.5555/x', pmid: '31000005' })]);
  assert.deepEqual(works(), [['W5', 'doi:10.5555/x', 'saved', 'excluded', 0]]);
  assert.equal(records.setSame('pmid:31000005', false, '2026'), 1);
  assert.deepEqual(works(), [
    ['W5', 'doi:10.5555/x', 'saved', '', 0],
    ['pmid:31000005', null, 'waiting', 'excluded', 0],
  ]);
  assert.deepEqual([records.isApart('pmid:31000005'), records.untriedApart()], [true, 1]);
  appendLine(folder.path, row('31000005', 3, saved));
  store.ingest();
  assert.deepEqual([works().length, records.untriedApart()], [2, 0]);
  assert.equal(records.setSame('pmid:31000005', true, '2026'), 1);
  assert.equal(works().length, 1);
});

test('two downloaded OpenAlex ids with one DOI are listed as one work, which a user can split', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  for (const [at, work] of ['W1', 'W2'].entries()) {
    const row = {
      work,
      run_id: 'r',
      at: `${at}`,
      outcome: 'saved',
      reason: 'success',
      path: `PDF/${work}.pdf`,
      attempts: [],
    };
    appendLine(folder.path, { log: 'manifest.jsonl', text: `${JSON.stringify(row)}\n` });
  }
  using records = Records.open(folder.path);
  for (const openalex of ['W1', 'W2', 'W3']) records.add([emptyRecord(openalex, { openalex, doi: '10.5555/x' })]);
  assert.deepEqual(records.identities(), [{ work: 'W2', of: 'W1', apart: false }], 'W3 was never tried');
  assert.equal(records.setSame('W2', false, '2026'), 1);
  assert.deepEqual(records.identities(), [{ work: 'W2', of: 'W1', apart: true }]);
});

test('a work tried under its OpenAlex id and its DOI is listed once, and a user can split it', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  const tried = ['doi:10.5555/x', 'W1', 'doi:10.5555/y'];
  for (const [at, work] of tried.entries()) {
    const row = { work, run_id: 'r', at: `${at}`, outcome: 'skipped', reason: 'no-plan', attempts: [] };
    appendLine(folder.path, { log: 'manifest.jsonl', text: `${JSON.stringify(row)}\n` });
  }
  using records = Records.open(folder.path);
  records.add([emptyRecord('W1', { openalex: 'W1', doi: '10.5555/x', pmid: '7' })]);
  records.add([emptyRecord('W2', { openalex: 'W2', doi: '10.5555/y' })]);
  assert.deepEqual(records.identities(), [{ work: 'doi:10.5555/x', of: 'W1', apart: false }]);
  assert.equal(records.setSame('W1', false, '2026'), 1);
  assert.deepEqual(records.identities(), [{ work: 'doi:10.5555/x', of: 'W1', apart: true }]);
});
