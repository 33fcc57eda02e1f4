import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import type { LogLine } from '../../test/support/corpus-logs.ts';
import { appendLine, corpusLines, dumpOf } from '../../test/support/corpus-logs.ts';
import type { AppError } from '../base/index.ts';
import { packageRoot, sha256 } from '../base/index.ts';
import { manifestRow } from '../download/index.ts';
import { emptyRecord, workFromText } from '../works/index.ts';
import { CorpusStore, removeStore } from './corpus-store.ts';
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

/** A folder with every log, read once, and its rows. */
function readFolder(folder: string): { readonly logs: readonly string[]; readonly rows: string } {
  for (const line of corpusLines(400, 3)) appendLine(folder, line);
  using store = CorpusStore.create(folder);
  store.ingest();
  return { logs: store.column('select name from logs order by name'), rows: sha256(dumpOf(store)) };
}

const DAMAGES: Readonly<Record<string, (path: string) => void>> = {
  missing: (path) => rmSync(path),
  empty: (path) => writeFileSync(path, ''),
  'cut at a line': (path) => writeFileSync(path, `${readFileSync(path, 'utf8').split('\n').slice(0, 3).join('\n')}\n`),
  torn: (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  'changed at its start': (path) => writeFileSync(path, readFileSync(path).fill(0x58, 1, 2)),
  'changed in the middle': (path) => {
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0x58, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 1));
  },
  replaced: (path) => writeFileSync(path, '{"of":"another program"}\n'),
};

test('a reader of a damaged log keeps every row, says so, and changes no log', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  const { logs, rows } = readFolder(folder.path);
  assert.ok(logs.length >= 6);
  for (const name of logs)
    for (const [damage, apply] of Object.entries(DAMAGES)) {
      const path = pathOf(folder.path, name);
      const before = readFileSync(path);
      apply(path);
      const found = existsSync(path) ? readFileSync(path) : null;
      const messages: string[] = [];
      {
        using store = CorpusStore.open(folder.path, { warn: (message) => messages.push(message) });
        store.ingest();
        store.ingest();
        assert.equal(sha256(dumpOf(store)), rows, `${name} ${damage}`);
      }
      // Only the first and last bytes are looked at: a change between them is found by reindex.
      if (damage !== 'changed in the middle') assert.match(messages.join(), /docstokg reindex writes it again/, damage);
      assert.ok(messages.length <= 1, messages.join('\n'));
      assert.deepEqual(existsSync(path) ? readFileSync(path) : null, found, `${name} ${damage}`);
      writeFileSync(path, before);
    }
});

test('every damaged log is written again byte by byte, and a copy is kept of what the file alone had', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  const { logs, rows } = readFolder(folder.path);
  for (const name of logs)
    for (const [damage, apply] of Object.entries(DAMAGES)) {
      const path = pathOf(folder.path, name);
      const before = readFileSync(path);
      apply(path);
      const found = existsSync(path) ? readFileSync(path) : null;
      const messages: string[] = [];
      using store = CorpusStore.create(folder.path, { warn: (message) => messages.push(message) });
      store.mendLogs({ thorough: true });
      const mended = readFileSync(path);
      assert.ok(mended.subarray(0, before.length).equals(before), `${name} ${damage}`);
      assert.match(messages.join(), /written again from corpus\.sqlite/);
      const copy = /is now (.+)$/.exec(messages.join())?.[1];
      assert.equal(copy === undefined, found === null || before.subarray(0, found.length).equals(found), damage);
      if (copy !== undefined) assert.deepEqual(readFileSync(copy), found);
      assert.equal(
        mended.subarray(before.length).toString(),
        damage === 'replaced' ? '{"of":"another program"}\n' : '',
        `${name} ${damage}`,
      );
      writeFileSync(path, before);
      store.ingest();
      assert.equal(sha256(dumpOf(store)), rows, `${name} ${damage}`);
    }
});

test('a decision about a work is written after the decisions that its log has lost', async () => {
  for (const [damage, apply] of Object.entries(DAMAGES)) {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
    const path = join(folder.path, 'decisions.jsonl');
    {
      using records = Records.open(folder.path);
      for (const name of ['a', 'b', 'c']) records.saveSet({ name, works: ['W1'], filter: null }, '2026');
    }
    apply(path);
    {
      using store = CorpusStore.open(folder.path, { warn: () => undefined });
      new Records(store).saveSet({ name: 'd', works: ['W1'], filter: null }, '2026');
    }
    removeStore(folder.path);
    using records = Records.open(folder.path);
    const names = records.sets().map(({ name }) => name);
    if (damage !== 'changed in the middle') assert.deepEqual(names, ['a', 'b', 'c', 'd'], damage);
    assert.ok(names.includes('d'));
  }
});

test('half a line at the end of a log is cut off before the next decision', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  const save = (name: string): void => {
    using records = Records.open(folder.path);
    records.saveSet({ name, works: ['W1'], filter: null }, '2026');
  };
  save('a');
  appendLine(folder.path, { log: 'decisions.jsonl', text: '{"kind":"set","na' });
  save('b');
  removeStore(folder.path);
  using records = Records.open(folder.path);
  assert.deepEqual(
    records.sets().map(({ name }) => name),
    ['a', 'b'],
  );
});

test('a damaged line is named where the database is built from the log, and stays in the log', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  for (const name of ['records.jsonl', 'decisions.jsonl', 'hosts.jsonl', 'manifest.jsonl']) {
    appendLine(folder.path, { log: name, text: '\n{"kind":"set","name"\n' });
    const messages: string[] = [];
    using store = CorpusStore.open(folder.path, { warn: (message) => messages.push(message) });
    assert.equal(store.ingest().badLines, 1);
    assert.match(messages.join(), new RegExp(`${name}: line 2 cannot be read and was skipped`));
    assert.match(readFileSync(join(folder.path, name), 'utf8'), /"name"/);
  }
});

test('a database of another program is refused and not changed, whatever it contains', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  const path = join(folder.path, 'corpus.sqlite');
  for (const line of corpusLines(20, 1)) appendLine(folder.path, line);
  const files: Readonly<Record<string, () => void>> = {
    'its tables': () => {
      using other = new DatabaseSync(path);
      other.exec('create table thesis (chapter text); insert into thesis values (1); pragma user_version = 7');
    },
    'a write-ahead log': () => {
      using other = new DatabaseSync(path);
      other.exec('pragma journal_mode = wal; create table logs (name text)');
    },
    'its mark': () => {
      using other = new DatabaseSync(path);
      other.exec('pragma application_id = 1234');
    },
    'no database': () => writeFileSync(path, 'minutes of a meeting\n'),
  };
  for (const [what, make] of Object.entries(files)) {
    make();
    const before = readFileSync(path);
    for (const open of ['open', 'create'] as const)
      assert.throws(() => CorpusStore[open](folder.path), { code: 'DATABASE_FOREIGN' }, what);
    assert.deepEqual(readFileSync(path), before, what);
    removeStore(folder.path);
  }
});

test('a newer database is refused, an older one gives its logs what they lost and is built again', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  const { rows } = readFolder(folder.path);
  const path = join(folder.path, 'corpus.sqlite');
  const setVersion = (change: number): void => {
    using database = new DatabaseSync(path);
    const { user_version: version } = database.prepare('pragma user_version').get() as { user_version: number };
    database.exec(`pragma user_version = ${version + change}`);
  };
  using running = CorpusStore.create(folder.path);
  setVersion(1);
  for (const open of ['open', 'create'] as const)
    assert.throws(() => CorpusStore[open](folder.path), { code: 'CORPUS_NEWER' });
  assert.throws(() => running.append('decisions', [{ kind: 'set' }]), { code: 'CORPUS_NEWER' });
  assert.throws(() => running.all('select * from a_table_that_was_renamed'), { code: 'CORPUS_NEWER' });
  setVersion(-2);
  rmSync(join(folder.path, 'decisions.jsonl'));
  using store = CorpusStore.open(folder.path, { warn: () => undefined });
  store.ingest();
  assert.equal(sha256(dumpOf(store)), rows);
});

test('the schema has a new version whenever it changes', () => {
  const sql = readFileSync(join(packageRoot(), 'sql', 'corpus', 'schema.sql'), 'utf8');
  // If this fails, raise SCHEMA_VERSION in corpus-store.ts and write the new hash here.
  assert.equal(sha256(sql.replaceAll(/--.*/g, '').replaceAll(/\s+/g, ' ')).slice(0, 16), 'bdf81a34fbf550ad');
});

function pathOf(folder: string, log: string): string {
  return log.startsWith('docparse') ? join(folder, 'Data', 'Manifests', log) : join(folder, log);
}

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

test('changed bytes in a text of the database are reported with the command that mends them', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  {
    using records = Records.open(folder.path);
    records.add([{ ...emptyRecord('W1', { openalex: 'W1' }), title: 'Reefs' }]);
  }
  using store = CorpusStore.create(folder.path);
  store.run('update records set record = replace(record, \'"title":\', \'"title"\x15\')');
  const isDamage = (error: AppError): boolean => {
    assert.equal(error.code, 'CORPUS_DAMAGED');
    assert.match(error.hint ?? '', new RegExp(`docstokg reindex ${folder.path}`));
    return true;
  };
  assert.throws(() => new Records(store).get('W1'), isDamage);
  assert.throws(() => store.all("select record ->> '$.title' from records"), isDamage);
  assert.throws(() => [...store.iterate("select record ->> '$.title' from records")], isDamage);
  assert.throws(
    () => store.all('select nonsense from records'),
    { code: 'ERR_SQLITE_ERROR' },
    'our own mistakes are not damage',
  );
});

test('logs get back what only a database has that is damaged itself', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'store-'));
  const { logs } = readFolder(folder.path);
  const path = join(folder.path, 'corpus.sqlite');
  const before = logs.map((name) => readFileSync(pathOf(folder.path, name)));
  for (const name of logs) truncateSync(pathOf(folder.path, name), 100);
  {
    using database = new DatabaseSync(path);
    const { rootpage: page } = database
      .prepare("select rootpage from sqlite_schema where name = 'works_by_title'")
      .get() as { rootpage: number };
    writeFileSync(path, readFileSync(path).fill(0xff, (page - 1) * 4096, page * 4096));
  }
  const messages: string[] = [];
  CorpusStore.setAsideIfDamaged(folder.path, { warn: (message) => messages.push(message) });
  assert.match(
    messages.join('\n'),
    /decisions\.jsonl: all lines that were missing or damaged were written again from .*damaged-1/,
  );
  for (const [at, name] of logs.entries()) assert.deepEqual(readFileSync(pathOf(folder.path, name)), before[at], name);
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
