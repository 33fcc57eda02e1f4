import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { systemClock } from '../base/index.ts';
import { manifestRow } from '../download/index.ts';
import { ManifestFolder } from '../run/index.ts';
import { Records } from '../database/index.ts';
import { emptyRecord, NO_IDS, workFromIds } from '../works/index.ts';
import { openCorpus } from './corpus.ts';

import type { CorpusView, WorksRequest } from '../library/index.ts';
import { outcomesOf, prismaSvg } from '../library/index.ts';

function putRecords(folder: string, from: number, to: number, more: object = {}): void {
  using records = Records.open(folder);
  records.replace(
    Array.from({ length: to - from }, (_, at) => ({
      ...emptyRecord(`W${from + at}`, { openalex: `W${from + at}` }),
      title: `${['Zebra', 'Élan', 'ape'][(from + at) % 3] ?? ''} number ${from + at}`,
      date: String(2000 + ((from + at) % 5)),
      type: 'article',
      ...more,
    })),
  );
}

async function putRows(folder: string, numbers: readonly number[], isSaved: boolean): Promise<void> {
  await using manifest = await ManifestFolder.open({ folder, runId: 'r', clock: systemClock });
  for (const number of numbers) {
    const work = workFromIds({ ...NO_IDS, openalex: `W${number}` });
    assert.ok(work);
    const lost = { kind: 'failed', reason: 'no-plan', detail: null } as const;
    const moments = { startedAt: number, endedAt: isSaved ? number + 1 : number };
    const row = manifestRow({ work, outcome: lost, attempts: [], problems: [], asked: [], ...moments }, 'r');
    await manifest.write(isSaved ? { ...row, outcome: 'saved', reason: 'success', path: `PDF/W${number}.pdf` } : row);
  }
}

/** Every id of a list, page by page. */
function idsOf(view: CorpusView, request: WorksRequest): string[] {
  const ids: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = view.works.page({ ...request, limit: 7, cursor });
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.next;
  }
  return ids;
}

test('a view follows a growing run, and its pages contain every work once in every order', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'view-'));
  await using corpus = await openCorpus(folder.path);
  using view = corpus.view();
  assert.deepEqual(await view.refresh(), []);
  assert.deepEqual(view.works.page({}), { items: [], next: null, total: 0 });

  putRecords(folder.path, 0, 40);
  await putRows(folder.path, [0, 1, 2, 3], false);
  const events = await view.refresh();
  assert.deepEqual(
    events.map(({ kind, work, reason }) => [kind, work, reason]),
    [0, 1, 2, 3].map((number) => ['work', `W${number}`, 'no-plan']),
  );
  assert.deepEqual(outcomesOf(view.account()), { skipped: 4, waiting: 36 });
  assert.deepEqual(await view.refresh(), []);

  await putRows(folder.path, [1, 7], true);
  assert.equal((await view.refresh()).length, 2);
  assert.deepEqual(outcomesOf(view.account()), { saved: 2, skipped: 3, waiting: 35 });
  assert.equal(view.works.get('W1')?.document, 'W1');
  assert.equal(view.works.ofDocument('W7')?.id, 'W7');
  assert.equal(view.history('W1').length, 2);

  const all = Array.from({ length: 40 }, (_, at) => `W${at}`).toSorted();
  for (const sort of ['id', 'title', 'year', 'venue', 'outcome', 'reason', 'licence', 'at', 'citations'] as const)
    for (const order of ['asc', 'desc'] as const) assert.deepEqual(idsOf(view, { sort, order }).toSorted(), all);
  // Case and accents are ignored.
  const [first] = view.works.page({ sort: 'title' }).items;
  assert.match(first?.title ?? '', /^ape/);
  assert.deepEqual(idsOf(view, { q: 'elan NUMBER' }).length, 13);
  assert.deepEqual(idsOf(view, { q: '"; DROP TABLE works' }), []);
  assert.deepEqual(idsOf(view, { outcome: 'saved,skipped', year: '2001-2002' }).toSorted(), ['W1', 'W2', 'W7']);
  assert.equal(view.works.page({ licence: 'none' }).total, 40);
  assert.deepEqual(view.works.facets({ outcome: 'saved' }).year, [
    { value: '2001', works: 1 },
    { value: '2002', works: 1 },
  ]);
  assert.throws(() => view.works.page({ cursor: 'nonsense' }), { code: 'USAGE_CURSOR' });
  assert.throws(() => view.works.page({ year: 'soon' }), { code: 'USAGE_FILTER' });

  assert.equal(idsOf(view, { q: 'better' }).length, 0);
  // Updated records of known works are found too.
  putRecords(folder.path, 0, 40, { license: 'cc-by', title: 'Now known better' });
  await view.refresh();
  assert.equal(view.works.get('W39')?.licence, 'cc-by');
  assert.equal(idsOf(view, { q: 'better' }).length, 40);
  assert.equal(idsOf(view, { q: 'zebra' }).length, 0);
});

test('a flow diagram has the same counts as an export, including versions and screening', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'view-'));
  await using corpus = await openCorpus(folder.path);
  const author = { name: 'Ana Berg', family: 'Berg', given: 'Ana', orcid: null, institutions: [] };
  putRecords(folder.path, 0, 6);
  putRecords(folder.path, 1, 3, { title: 'The same long title of a preprint', authors: [author], date: '2024' });
  await putRows(folder.path, [0, 1, 2], true);
  await putRows(folder.path, [3, 4], false);
  mkdirSync(join(folder.path, 'PDF'));
  for (const number of [0, 1, 2]) writeFileSync(join(folder.path, 'PDF', `W${number}.pdf`), '%PDF-');
  {
    using records = Records.open(folder.path);
    const decided = {
      phase: 'title-abstract',
      decision: 'exclude',
      by: 'ada',
      at: '',
      reason: null,
      note: null,
    } as const;
    records.screen(
      ['W3', 'W0'].map((work) => ({ kind: 'screened', id: work, work, ...decided, criteria: 0, rank: null })),
    );
  }
  const exported = (await Array.fromAsync(corpus.export({ format: 'prisma' }))).join('');
  using view = corpus.view();
  await view.refresh();
  assert.deepEqual(view.account().prisma, JSON.parse(exported));
  assert.equal(view.account().prisma.removed_before_screening.duplicates, 1);
  assert.equal(view.account().prisma.excluded, 2);
});

test('retrieved are only works that were sought: once works are included, files of others do not count', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'view-'));
  putRecords(folder.path, 0, 4);
  await putRows(folder.path, [0, 1, 2], true);
  await using corpus = await openCorpus(folder.path);
  using view = corpus.view();
  await view.refresh();
  const flow = (): readonly number[] => {
    const { sought, retrieved, not_retrieved: missing } = view.account().prisma;
    return [sought, retrieved, missing];
  };
  assert.deepEqual(flow(), [4, 3, 1], 'before any screening all are sought');
  {
    using records = Records.open(folder.path);
    const said = {
      phase: 'title-abstract',
      by: 'ada',
      at: '',
      reason: null,
      note: null,
      criteria: 0,
      rank: null,
    } as const;
    const decisions = { W0: 'include', W1: 'exclude', W3: 'include' } as const;
    records.screen(
      Object.entries(decisions).map(([work, decision]) => ({ kind: 'screened', id: work, work, decision, ...said })),
    );
  }
  await view.refresh();
  assert.deepEqual(flow(), [2, 1, 1]);
});

test('a study is included once somebody has decided by its full text; texts that nobody read are counted as such', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'view-'));
  putRecords(folder.path, 0, 3);
  await putRows(folder.path, [0, 1, 2], true);
  await using corpus = await openCorpus(folder.path);
  using view = corpus.view();
  const screen = (phase: 'title-abstract' | 'full-text', work: string, decision: 'include' | 'exclude'): void => {
    using records = Records.open(folder.path);
    const said = { by: 'ada', at: '', reason: 'no control group', note: null, criteria: 0, rank: null } as const;
    records.screen([{ kind: 'screened', id: `${phase} ${work}`, work, phase, decision, ...said }]);
  };
  const texts = async (): Promise<object> => {
    await view.refresh();
    const { retrieved, assessed, not_assessed, excluded_by_full_text: excluded, included } = view.account().prisma;
    return { retrieved, assessed, not_assessed, excluded, included };
  };
  for (const work of ['W0', 'W1', 'W2']) screen('title-abstract', work, 'include');
  assert.deepEqual(await texts(), { retrieved: 3, assessed: 0, not_assessed: 3, excluded: 0, included: 0 });
  assert.match(prismaSvg(view.account().prisma), /Reports not assessed for eligibility yet/);
  screen('full-text', 'W0', 'include');
  screen('full-text', 'W1', 'exclude');
  assert.deepEqual(await texts(), { retrieved: 3, assessed: 2, not_assessed: 1, excluded: 1, included: 1 });
  assert.match(prismaSvg(view.account().prisma), /no control group \(n = 1\)[^]*Reports not assessed \(n = 1\)/);
});

test('documents are read from the manifests of the stages, and failures are reported', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'view-'));
  await using corpus = await openCorpus(folder.path);
  using view = corpus.view();
  const manifests = join(folder.path, 'Data', 'Manifests');
  mkdirSync(manifests, { recursive: true });
  const row = (doc_id: string, status: string, more: object = {}): string =>
    `${JSON.stringify({ doc_id, status, duration_s: 1, finished_at: '2026-01-01T00:00:00.000Z', ...more })}\n`;
  const doctags = join(manifests, 'docparse.doctags.manifest.jsonl');
  writeFileSync(
    doctags,
    `${row('a', 'success')}${row('b', 'failure', { message: 'no text', code: 'PDF_BROKEN' })}{"doc_id": "c`,
  );
  writeFileSync(join(manifests, 'docparse.chunk.manifest.jsonl'), row('a', 'success'));
  const events = await view.refresh();
  assert.deepEqual(
    events.map(({ document, level, text }) => [document, level, text]),
    [
      ['a', 'info', 'parsed'],
      ['b', 'error', 'could not be parsed: no text'],
      ['a', 'info', 'chunked'],
    ],
  );
  appendFileSync(doctags, `", "status": "success"}\nnot json\n${row('b', 'success')}`);
  await view.refresh();
  assert.deepEqual([view.account().parsed, view.account().failed_documents], [3, 0]);
  assert.deepEqual(
    view.documents({}).items.map(({ id, parsed, chunked }) => [id, parsed, chunked]),
    [
      ['a', 'success', 'success'],
      ['b', 'success', null],
      ['c', 'success', null],
    ],
  );
  assert.equal(await view.document('../Manifests/docparse.doctags.manifest'), undefined);
  assert.equal(await view.file('a'), undefined);
});
