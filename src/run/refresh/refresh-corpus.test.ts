import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import type { WorkQueue } from '../../queue/index.ts';
import type { Records } from '../../database/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import { emptyRecord, NO_IDS, readRetractionWatch } from '../../works/index.ts';
import type { RefreshDiff, WorkState } from './compare-states.ts';
import { diffStates, isEmptyDiff, stateOf } from './compare-states.ts';
import { newerVersions, retryDays, retryFailures } from './refresh-corpus.ts';

function state(more: Partial<WorkRecord> = {}, isSaved = false): WorkState {
  return stateOf({ ...emptyRecord('W1', { doi: '10.1/a' }), title: 'T', access: 'closed', ...more }, isSaved);
}

const notice = (kind: WorkRecord['notices'][number]['kind'], date = '2025'): WorkRecord['notices'][number] => ({
  kind,
  doi: `10.1/${kind}`,
  date,
  source: 'publisher',
});

/** The non-empty parts of a difference, with their numbers of works. */
function parts(before: Record<string, WorkState>, after: Record<string, WorkState>): Record<string, number> {
  const diff: RefreshDiff = diffStates(before, after);
  return Object.fromEntries(
    Object.entries(diff).flatMap(([name, works]) => (works.length > 0 ? [[name, works.length]] : [])),
  );
}

test('a diff distinguishes new, opened, downloaded, published, retracted, reinstated and corrected works', () => {
  const before = { W1: state() };
  assert.ok(isEmptyDiff(diffStates(before, { W1: state() })));
  assert.deepEqual(parts(before, { W1: state(), W2: state() }), { new_works: 1 });
  assert.deepEqual(parts(before, { W1: state({ access: 'green' }, true) }), { opened: 1, fetched: 1 });
  assert.deepEqual(parts(before, { W1: state({ relations: [{ kind: 'is-preprint-of', doi: '10.1/b' }] }) }), {
    new_versions: 1,
  });
  const submitted = { W1: state({ version: 'submittedVersion' }) };
  assert.deepEqual(parts(submitted, { W1: state({ version: 'publishedVersion' }) }), { new_versions: 1 });
  assert.deepEqual(parts(before, { W1: state({ notices: [notice('retraction')] }) }), { retracted: 1 });
  // A correction does not retract a work, and is not reported as if it did.
  assert.deepEqual(parts(before, { W1: state({ notices: [notice('correction')] }) }), { corrected: 1 });
  const retracted = { W1: state({ notices: [notice('retraction', '2024')] }) };
  const back = { W1: state({ notices: [notice('retraction', '2024'), notice('reinstatement', '2026')] }) };
  assert.deepEqual(parts(retracted, back), { reinstated: 1 });
});

test('newer versions are requested: a published version by its DOI, a better copy in place of the file', () => {
  const preprint = { ...emptyRecord('W1', { openalex: 'W1', doi: '10.1/a' }), version: 'submittedVersion' as const };
  const published = { ...preprint, relations: [{ kind: 'is-preprint-of' as const, doi: '10.1/b' }] };
  const accepted = { ...preprint, version: 'acceptedVersion' as const };
  const wanted = (now: WorkRecord, before: WorkState, arxiv: readonly (readonly [string, number])[] = []) =>
    Array.from(
      newerVersions([now], { W1: before }, { names: new Map([['W1', 'doi:10.1/a']]), versions: new Map(arxiv) }),
      ({ key, work }) => [key, work.id],
    );
  const kept = stateOf(preprint, true);
  assert.deepEqual(wanted(published, kept), [['doi:10.1/b', 'doi:10.1/b']]);
  assert.deepEqual(wanted(accepted, kept), [['doi:10.1/a acceptedVersion', 'doi:10.1/a']]);
  assert.deepEqual(wanted(published, stateOf(published, true)), [], 'an already known version is not new');
  assert.deepEqual(wanted(published, stateOf(preprint, false)), [], 'a work without a file is not renewed');
  // A new arXiv version is downloaded and reported; the first known version is taken as the downloaded one.
  const second = stateOf(preprint, true, 1);
  assert.deepEqual(wanted(preprint, second, [['W1', 2]]), [['doi:10.1/a arXiv v2', 'doi:10.1/a']]);
  assert.deepEqual(wanted(preprint, second, [['W1', 1]]), []);
  assert.deepEqual(wanted(preprint, kept, [['W1', 2]]), []);
  const [revised] = diffStates({ W1: second }, { W1: stateOf(preprint, true, 2) }).new_versions;
  assert.equal(revised?.arxiv_version, 2);
  assert.ok(isEmptyDiff(diffStates({ W1: kept }, { W1: stateOf(preprint, true, 2) })));
  // It is reported with the work it is a version of, not as a new one.
  const after = { W1: stateOf(published, true), 'doi:10.1/b': state({ ids: { ...NO_IDS, doi: '10.1/b' } }, true) };
  assert.deepEqual(parts({ W1: kept }, after), { fetched: 1, new_versions: 1 });
});

test('only retractions in Retraction Watch count as retractions', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'watch-'));
  const path = join(folder.path, 'retraction_watch.csv');
  writeFileSync(
    path,
    'Record ID,RetractionDate,RetractionDOI,OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature\n1,1/31/2024 0:00,10.1000/N,10.1000/A,0,Retraction\n2,2/1/2024 0:00,10.1000/c,10.1000/B,77,Correction\n3,,,unavailable,0,Retraction\n',
  );
  const found = await Array.fromAsync(readRetractionWatch(path));
  assert.deepEqual(
    found.map(({ doi, pmid, notice: { kind, date, doi: own } }) => [doi, pmid, kind, date, own]),
    [
      ['10.1000/a', null, 'retraction', '2024-01-31', '10.1000/n'],
      ['10.1000/b', '77', 'correction', '2024-02-01', '10.1000/c'],
    ],
  );
  for (const other of ['a,b\n1,2\n', '<html>Sign in</html>', '']) {
    writeFileSync(path, other);
    await assert.rejects(Array.fromAsync(readRetractionWatch(path)), { code: 'USAGE_RETRACTION_WATCH' });
  }
});

test('temporary failures are retried after a day, closed works after thirty', () => {
  assert.deepEqual([retryDays('timeout'), retryDays('lookup-failed'), retryDays('paywalled')], [1, 1, 30]);
});

test('a failed work is retried at most once a day, and an entry without a work never', async () => {
  const now = Date.parse('2026-03-01T08:00:00Z');
  const row = { at: '2026-01-01T00:00:00Z', outcome: 'failed', reason: 'timeout', title: null } as const;
  const records = {
    lastRows: () => [
      { ...row, work: 'doi:10.1/a', doi: '10.1/a' },
      { ...row, work: 'entry:list.bib#7', doi: '10.1/b', reason: 'unreadable-entry' },
      { ...row, work: 'doi:10.1/c', doi: '10.1/c', at: '2026-03-01T07:00:00Z' },
    ],
    get: () => undefined,
  } as unknown as Records;
  const keys = new Set<string>();
  const enqueue = (key: string): Promise<boolean> => Promise.resolve(keys.size < keys.add(key).size);
  const queue = { enqueue } as unknown as WorkQueue;
  await retryFailures(records, {}, queue, now);
  await retryFailures(records, {}, queue, now + 3_600_000);
  assert.deepEqual([...keys], ['doi:10.1/a again 2026-03-01']);
});
