import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import type { LogLine } from '../../test/support/corpus-logs.ts';
import { appendLine, corpusLines, dumpOf } from '../../test/support/corpus-logs.ts';
import { manifestRow } from '../download/index.ts';
import { emptyRecord, workFromText } from '../works/index.ts';
import { CorpusStore, removeStore } from './corpus-store.ts';
import { referenceAnswers } from './graph/index.ts';
import { Records } from './records.ts';

function rebuilt(folder: string): string {
  removeStore(folder);
  using store = CorpusStore.open(folder);
  store.ingest();
  return dumpOf(store);
}

test('logs read piece by piece while they grow give the same rows as logs read at once', async () => {
  for (const seed of [1, 2, 3]) {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
    const lines = corpusLines(600, seed);
    for (const [at, line] of lines.entries()) {
      appendLine(folder.path, line);
      if ((at * 7 + seed) % 29 !== 0) continue;
      using store = CorpusStore.open(folder.path);
      store.ingest();
    }
    using store = CorpusStore.open(folder.path);
    store.ingest();
    const grown = dumpOf(store);
    assert.equal(rebuilt(folder.path), grown, `seed ${seed}`);
    assert.ok(store.all('select 1 from works').length > 20);
  }
});

test('an unfinished line is read once it is complete; a damaged one is counted and skipped', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  const [line = { log: '', text: '' }] = corpusLines(50, 1).filter(({ log }) => log === 'records.jsonl');
  appendLine(folder.path, { ...line, text: line.text.slice(0, 20) });
  using store = CorpusStore.open(folder.path);
  assert.equal(store.ingest().lines, 0);
  appendLine(folder.path, { ...line, text: line.text.slice(20) });
  assert.equal(store.ingest().lines, 1);
  for (const text of ['null\n', '[]\n', '{"kind":"?"}\n', '{"kind":"record","record":7}\n', 'no json\n'])
    appendLine(folder.path, { log: 'records.jsonl', text });
  assert.equal(store.ingest().badLines, 5);
  for (const text of ['null\n', '[]\n', '{"path":{}}\n', '{"work":"W1","outcome":"saved","attempts":[null]}\n'])
    appendLine(folder.path, { log: 'manifest.jsonl', text });
  assert.equal(store.ingest().badLines, 4);
  // Fields of wrong types do not stop the reader.
  const record = { ...emptyRecord('W1'), title: 7 };
  const row = { work: 'W1', run_id: 'r', at: '', outcome: 'saved', reason: 'x', path: {}, bytes: 'many', title: [] };
  const lines: [string, unknown][] = [
    ['records.jsonl', { kind: 'record', record }],
    ['records.jsonl', { kind: 'paper', document: 'd', sha256: '', work: 'W1', said: [{}] }],
    ['decisions.jsonl', { kind: 'label', work: 'W1', label: 'perhaps' }],
    ['manifest.jsonl', { ...row, attempts: [{ url: 7, status: 'ok' }] }],
  ];
  for (const [log, value] of lines) appendLine(folder.path, { log, text: `${JSON.stringify(value)}\n` });
  assert.equal(store.ingest().badLines, 3);
  assert.equal(store.get<{ document: string }>("select document from works where work = 'W1'")?.document, '');
});

test('a rotated manifest is not read twice, and a replaced log is read again', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  for (const line of corpusLines(300, 3)) appendLine(folder.path, line);
  using store = CorpusStore.open(folder.path);
  store.ingest();
  const before = dumpOf(store);
  renameSync(join(folder.path, 'manifest.jsonl'), join(folder.path, 'manifest.0001.jsonl'));
  const [more] = corpusLines(300, 4).filter(({ log }) => log === 'manifest.jsonl');
  assert.ok(more);
  appendLine(folder.path, more);
  const ingested = store.ingest();
  assert.equal(ingested.lines, 1);
  assert.notEqual(dumpOf(store), before);
  writeFileSync(join(folder.path, 'records.jsonl'), '');
  const record = { ...emptyRecord('W9', { openalex: 'W9' }), title: 'Reefs' };
  appendLine(folder.path, { log: 'records.jsonl', text: `${JSON.stringify({ kind: 'record', record })}\n` });
  store.ingest();
  assert.deepEqual(
    store.all('select id from records').map(({ id }) => id),
    ['W9'],
  );
  assert.equal(dumpOf(store), rebuilt(folder.path));
});

test('outcomes are kept when the manifest is missing and another log was deleted or replaced', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  for (const line of corpusLines(300, 3)) appendLine(folder.path, line);
  const decisions = join(folder.path, 'decisions.jsonl');
  const label = (work: string): string => `${JSON.stringify({ kind: 'label', work, label: 'included' })}\n`;
  writeFileSync(decisions, label('W1') + label('W2'));
  using store = CorpusStore.open(folder.path);
  store.ingest();
  const counts = (): unknown => [store.count('outcomes'), store.count('works'), store.count('records')];
  const before = counts();
  rmSync(join(folder.path, 'manifest.jsonl'));
  rmSync(decisions);
  const set = { name: 'mine', works: ['W1'], filter: null };
  assert.throws(() => new Records(store).saveSet(set, '2026'), { code: 'CORPUS_LOG_MISSING' });
  assert.deepEqual([counts(), store.count('labels')], [before, 2]);
  writeFileSync(decisions, label('W2'));
  store.ingest();
  new Records(store).saveSet(set, '2026');
  assert.deepEqual([counts(), store.count('labels'), store.count('sets')], [before, 1, 1]);
});

test('a read-only folder or one without logs is read, and no file is created', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  {
    using store = CorpusStore.open(folder.path);
    assert.equal(store.ingest().lines, 0);
  }
  assert.equal(existsSync(join(folder.path, 'corpus.sqlite')), false);
  for (const line of corpusLines(100, 5)) appendLine(folder.path, line);
  // Root can write to a read-only folder, so a folder takes the place of the file.
  if (process.getuid?.() === 0) mkdirSync(join(folder.path, 'corpus.sqlite'));
  else chmodSync(folder.path, 0o555);
  using store = CorpusStore.open(folder.path);
  store.ingest();
  assert.ok(store.all('select 1 from works').length > 3);
  chmodSync(folder.path, 0o755);
});

test('a folder of the previous version is upgraded once, without loss, also after an interruption', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  const old = join(folder.path, 'manifest.sqlite3');
  {
    using database = new DatabaseSync(old);
    database.exec(`
      create table works (id text primary key, record_json text not null);
      create table work_documents (document text primary key, work text not null);
      create table own_papers (document text primary key, sha256 text not null, checked integer not null);
      create table work_labels (work text primary key, label text not null);
      create table work_versions (work text, of text, reason text, score real, at text, undone integer);
      create table repeated_entries (work text primary key, times integer not null);
      create table arxiv_versions (work text primary key, version integer not null);
      insert into work_documents values ('mine', 'W2'), ('W1', 'W1');
      insert into own_papers values ('mine', 'ab', 1);
      insert into work_labels values ('W1', 'excluded');
      insert into work_versions values ('W2', 'W1', 'same-id', 1, '2026', 1), ('W3', 'W1', 'same-id', 1, '2026', 0);
      insert into repeated_entries values ('W1', 2);
      insert into arxiv_versions values ('W1', 3);`);
    for (const id of ['W1', 'W2', 'W3'])
      database
        .prepare('insert into works values (?, ?)')
        .run(id, JSON.stringify({ ...emptyRecord(id, { openalex: id }), title: id }));
  }
  const check = (): void => {
    using store = CorpusStore.open(folder.path);
    store.ingest();
    const records = new Records(store);
    const repeated = store.number('select sum(times) from repeated_entries');
    assert.deepEqual([records.size, records.ofDocument('mine')?.id, repeated], [3, 'W2', 2]);
    assert.deepEqual([...records.labels()], [['W1', 'excluded']]);
    assert.deepEqual(
      records.versions().map(({ work, undone }) => [work, undone]),
      [
        ['W2', true],
        ['W3', false],
      ],
    );
    assert.deepEqual([...records.arxivVersions()], [['W1', 3]]);
    assert.deepEqual([...records.ownPapers()], [['mine', { sha256: 'ab', checked: true }]]);
  };
  const messages: string[] = [];
  CorpusStore.open(folder.path, { warn: (message) => messages.push(message) })[Symbol.dispose]();
  assert.match(messages.join(), /older version: upgraded/);
  check();
  // As after a kill between the two logs: one is complete, the other partial, and the old file still exists.
  renameSync(`${old}.upgraded`, old);
  rmSync(join(folder.path, 'decisions.jsonl'));
  writeFileSync(join(folder.path, 'decisions.jsonl.upgrade.part'), '{"kind":');
  removeStore(folder.path);
  check();
  check();
  assert.equal(existsSync(old), false);
});

test('catalogue answers and the graph of the previous version are upgraded once; a damaged file is moved aside', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  mkdirSync(join(folder.path, 'Graph'));
  const old = join(folder.path, 'Graph', 'references.sqlite');
  {
    using database = new DatabaseSync(old);
    database.exec(`create table answers (question text primary key, origin text, read_at text, answer text);
      insert into answers values ('q', 'crossref', '2026', '{"kind":"none"}')`);
  }
  writeFileSync(join(folder.path, 'Graph', 'graph.sqlite'), 'a graph');
  const messages: string[] = [];
  const check = (): void => {
    using store = CorpusStore.open(folder.path, { warn: (message) => messages.push(message) });
    store.ingest();
    const known = { answer: { kind: 'none' }, origin: 'crossref', readAt: '2026' };
    assert.deepEqual(referenceAnswers(store).get('q'), known);
  };
  check();
  assert.match(messages.join(), /graph\.sqlite was written by an older version: the graph is built again/);
  // As after a kill before the old file was renamed.
  renameSync(`${old}.upgraded`, old);
  check();
  assert.equal(messages.length, 1);
  removeStore(folder.path);
  check();
  writeFileSync(old, 'SQLite format 3\0 and nothing after');
  check();
  assert.match(messages.join(), /references\.sqlite is damaged/);
});

test('the host log is summed by host, and a shorter log replaces only its own rows', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  const slice = (second: number, more: object): string =>
    JSON.stringify({
      kind: 'host', host: 'a.org', at: `2026-01-01T00:00:0${second}Z`, ms: 1000, sent: 2, done: { 200: 1, 429: 1 }, cap: 2,
      asked_until: null, held_until: null, ...more,
    }); // prettier-ignore
  const path = join(folder.path, 'hosts.jsonl');
  const first = slice(0, { asked_until: '2026-01-01T00:00:30Z' });
  writeFileSync(
    path,
    `${first}\n${slice(1, { cap: 0, done: { 500: 1, timeout: 1, 404: 1 } })}\nnull\n{"kind":"host"}\n`,
  );
  appendLine(folder.path, { log: 'decisions.jsonl', text: '{"kind":"label","work":"W1","label":"included"}\n' });
  using store = CorpusStore.create(folder.path);
  const rows = (): unknown => [
    store.all('select * from hosts').map((row) => Object.values(row)),
    store.count('labels'),
  ];
  store.ingest();
  const held = ['2026-01-01T00:00:30Z', 'rate-limited'];
  assert.deepEqual(rows(), [[['a.org', 4, 1, 2, 2, '2026-01-01T00:00:01Z', ...held]], 1]);
  writeFileSync(path, `${first}\n`);
  store.ingest();
  assert.deepEqual(rows(), [[['a.org', 2, 1, 0, 2, '2026-01-01T00:00:00Z', ...held]], 1]);
  assert.equal(store.count('host_slices'), 1);
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
    const row = { work, run_id: 'r', at: `${at}`, outcome: 'saved', reason: 'success', path: `PDF/${work}.pdf`, attempts: [] }; // prettier-ignore
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
