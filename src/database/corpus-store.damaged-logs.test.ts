import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { pathOf } from '../../test/support/rebuilt-store.ts';
import { appendLine, corpusLines, dumpOf } from '../../test/support/corpus-logs.ts';
import { sha256 } from '../base/index.ts';
import { CorpusStore, removeStore } from './corpus-store.ts';
import { Records } from './records.ts';

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
