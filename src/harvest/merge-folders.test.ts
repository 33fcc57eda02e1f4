import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { sha256 } from '../base/index.ts';
import { HeldClock } from '../testing/index.ts';
import { mergeFolders } from './merge-folders.ts';

interface Line {
  readonly work: string;
  readonly at: number;
  readonly outcome: 'saved' | 'parked' | 'failed';
  readonly file?: readonly [path: string, bytes: string];
}

const EMPTY = Object.fromEntries(
  'schema_version doi title detail resolver url final_url kind content_type license version host_type retry_at'
    .split(' ')
    .map((name) => [name, null]),
);

function writeFolder(folder: string, lines: readonly Line[]): string {
  mkdirSync(join(folder, 'PDF'), { recursive: true });
  const rows = lines.map(({ work, at, outcome, file }) => {
    if (file) {
      mkdirSync(dirname(join(folder, file[0])), { recursive: true });
      writeFileSync(join(folder, file[0]), file[1]);
    }
    return JSON.stringify({
      ...EMPTY,
      run_id: 'r',
      work,
      at: new Date(at).toISOString(),
      outcome,
      reason: outcome === 'saved' ? 'success' : 'rate-limited',
      path: file?.[0] ?? null,
      sha256: file ? sha256(file[1]) : null,
      bytes: file ? Buffer.byteLength(file[1]) : null,
      attempts: [],
      problems: [],
    });
  });
  writeFileSync(join(folder, 'manifest.jsonl'), `${rows.join('\n')}\n`);
  return folder;
}

test('of each work the latest row counts, whatever the order of folders and lines, with its file beside it', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-merge-'));
  const a = writeFolder(join(temporary.path, 'a'), [
    { work: 'one', at: 2_000, outcome: 'saved', file: ['PDF/one.pdf', 'first'] },
    { work: 'two', at: 1_000, outcome: 'parked' },
    { work: 'same name', at: 1_000, outcome: 'saved', file: ['PDF/name.pdf', 'ours'] },
    { work: 'gone', at: 1_000, outcome: 'saved', file: ['PDF/gone.pdf', 'was here'] },
  ]);
  const b = writeFolder(join(temporary.path, 'b'), [
    { work: 'two', at: 3_000, outcome: 'saved', file: ['PDF/two.pdf', 'second'] },
    { work: 'one', at: 1_000, outcome: 'parked' },
    { work: 'other', at: 1_000, outcome: 'saved', file: ['PDF/name.pdf', 'theirs'] },
  ]);
  writeFileSync(join(a, 'PDF/gone.pdf'), 'changed!');
  const out = join(temporary.path, 'out');
  for (let times = 0; times < 2; times += 1) {
    const merged = await mergeFolders([b, a], out, options);
    assert.equal(merged.works, 5);
    assert.equal(merged.missing.length, 1);
    const rows = readFileSync(join(out, 'manifest.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { work: string; outcome: string; path: string | null });
    assert.deepEqual(
      new Map(rows.map(({ work, outcome }) => [work, outcome])),
      new Map([
        ['two', 'saved'],
        ['one', 'saved'],
        ['other', 'saved'],
        ['same name', 'saved'],
      ]),
    );
    const read = (work: string): string =>
      readFileSync(join(out, rows.find((row) => row.work === work)?.path ?? ''), 'utf8');
    assert.deepEqual(['one', 'two', 'same name', 'other'].map(read), ['first', 'second', 'ours', 'theirs']);
    assert.equal(rows.length, 4, 'joining again adds nothing');
  }
});

const options = { clock: new HeldClock(), runId: 'merge', warn: () => undefined };

test('a manifest cannot bring anything from outside its folder, nor anything that is not a downloaded file', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-merge-'));
  const secret = join(temporary.path, 'secret.pdf');
  writeFileSync(secret, 'secret');
  const a = join(temporary.path, 'a');
  mkdirSync(a);
  for (const name of ['docstokg.yaml', 'run.json', 'decisions.jsonl']) writeFileSync(join(a, name), 'foreign');
  writeFolder(a, [
    { work: 'good', at: 1, outcome: 'saved', file: ['PDF/good.pdf', 'good'] },
    { work: 'yaml', at: 1, outcome: 'saved', file: ['docstokg.yaml', 'foreign'] },
    { work: 'run', at: 1, outcome: 'saved', file: ['run.json', 'foreign'] },
    { work: 'dots', at: 1, outcome: 'saved', file: ['PDF/../decisions.jsonl', 'foreign'] },
    { work: 'above', at: 1, outcome: 'saved', file: ['../secret.pdf', 'secret'] },
    { work: 'hidden', at: 1, outcome: 'saved', file: ['PDF/.npmrc.pdf', 'hidden'] },
    { work: 'other end', at: 1, outcome: 'saved', file: ['PDF/x.sh', 'script'] },
    { work: 'linked', at: 1, outcome: 'saved', file: ['PDF/linked.pdf', 'secret'] },
    { work: 'in a linked folder', at: 1, outcome: 'saved', file: ['XML/secret.xml', 'secret'] },
  ]);
  renameSync(join(a, 'PDF/linked.pdf'), join(a, 'PDF/moved.pdf'));
  symlinkSync(secret, join(a, 'PDF/linked.pdf'));
  renameSync(join(a, 'XML'), join(temporary.path, 'elsewhere'));
  symlinkSync(join(temporary.path, 'elsewhere'), join(a, 'XML'));
  const out = join(temporary.path, 'out');
  const { files, missing } = await mergeFolders([a], out, options);
  assert.deepEqual([files, missing.length], [1, 8]);
  assert.deepEqual(readdirSync(join(out, 'PDF')), ['good.pdf']);
  for (const name of ['docstokg.yaml', 'run.json', 'decisions.jsonl', 'XML', 'secret.pdf'])
    assert.equal(existsSync(join(out, name)), false, name);
});

test('lines of a manifest that are not rows are skipped with a warning that names them', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-merge-'));
  const a = writeFolder(join(temporary.path, 'a'), [
    { work: 'one', at: 1, outcome: 'saved', file: ['PDF/one.pdf', 'one'] },
  ]);
  const good = readFileSync(join(a, 'manifest.jsonl'), 'utf8');
  const row = JSON.parse(good) as Record<string, unknown>;
  const bad = [
    'null',
    '[]',
    '7',
    '{"path":{}}',
    '{not json',
    ...[
      { ...row, path: {} },
      { ...row, at: 'yesterday' },
      { ...row, work: '' },
      { ...row, outcome: 'stolen' },
      { ...row, attempts: [null] },
      { ...row, bytes: -1 },
    ].map((each) => JSON.stringify(each)),
  ];
  writeFileSync(join(a, 'manifest.jsonl'), `${bad.join('\n')}\n${good}`);
  const warnings: string[] = [];
  const merged = await mergeFolders([a], join(temporary.path, 'out'), {
    ...options,
    warn: (message) => void warnings.push(message),
  });
  assert.deepEqual([merged.works, merged.files], [1, 1]);
  assert.deepEqual(
    warnings.map((each) => Number(/line (\d+)/.exec(each)?.[1])),
    bad.map((_, at) => at + 1),
  );
});
