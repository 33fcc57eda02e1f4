import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  'schema_version doi title detail resolver url final_url kind content_type license version host_type retry_at duration_ms'
    .split(' ')
    .map((name) => [name, null]),
);

function writeFolder(folder: string, lines: readonly Line[]): string {
  mkdirSync(join(folder, 'files'), { recursive: true });
  const rows = lines.map(({ work, at, outcome, file }) => {
    if (file) writeFileSync(join(folder, file[0]), file[1]);
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
    { work: 'one', at: 2_000, outcome: 'saved', file: ['files/one.pdf', 'first'] },
    { work: 'two', at: 1_000, outcome: 'parked' },
    { work: 'same name', at: 1_000, outcome: 'saved', file: ['files/name.pdf', 'ours'] },
    { work: 'gone', at: 1_000, outcome: 'saved', file: ['files/gone.pdf', 'was here'] },
  ]);
  const b = writeFolder(join(temporary.path, 'b'), [
    { work: 'two', at: 3_000, outcome: 'saved', file: ['files/two.pdf', 'second'] },
    { work: 'one', at: 1_000, outcome: 'parked' },
    { work: 'other', at: 1_000, outcome: 'saved', file: ['files/name.pdf', 'theirs'] },
  ]);
  writeFileSync(join(a, 'files/gone.pdf'), 'changed!');
  const out = join(temporary.path, 'out');
  const options = { clock: new HeldClock(), runId: 'merge', warn: () => undefined };
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
