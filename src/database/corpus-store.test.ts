import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { rebuilt } from '../../test/support/rebuilt-store.ts';
import { appendLine, corpusLines, dumpOf } from '../../test/support/corpus-logs.ts';
import { packageRoot, sha256 } from '../base/index.ts';
import { emptyRecord } from '../works/index.ts';
import { CorpusStore } from './corpus-store.ts';

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

test('a rotated manifest is not read twice', async () => {
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
  assert.equal(rebuilt(folder.path), dumpOf(store));
});

test('the schema has a new version whenever it changes', () => {
  const sql = readFileSync(join(packageRoot(), 'sql', 'corpus', 'schema.sql'), 'utf8');
  // If this fails, raise SCHEMA_VERSION in corpus-store.ts and write the new hash here.
  assert.equal(sha256(sql.replaceAll(/--.*/g, '').replaceAll(/\s+/g, ' ')).slice(0, 16), 'f1337ea8749fd6d3');
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

test('the host log is summed by host', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  const slice = (second: number, more: object): string =>
    JSON.stringify({
      kind: 'host',
      host: 'a.org',
      at: `2026-01-01T00:00:0${second}Z`,
      ms: 1000,
      sent: 2,
      done: { 200: 1, 429: 1 },
      cap: 2,
      asked_until: null,
      held_until: null,
      ...more,
    });
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
});
