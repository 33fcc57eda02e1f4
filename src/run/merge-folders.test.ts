import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { sha256 } from '../base/index.ts';
import { CorpusStore, Records } from '../database/index.ts';
import { HeldClock } from '../testing/index.ts';
import { emptyRecord, NO_IDS } from '../works/index.ts';
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

test('the latest row of each work is merged with its file, in any order of folders and lines', async () => {
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
    assert.equal(merged.works, 4, 'all but the one without a file');
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
    assert.equal(rows.length, 4, 'merging again adds nothing');
  }
});

const options = { clock: new HeldClock(), runId: 'merge', warn: () => undefined };

test('a merge copies only downloaded files, and nothing from outside the folder of a manifest', async () => {
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
  // Without size and hash only the link itself shows that this is another file.
  const rows = readFileSync(join(a, 'manifest.jsonl'), 'utf8').trim().split('\n');
  const linked = rows.map((row) => JSON.parse(row) as { work: string }).find(({ work }) => work === 'linked');
  appendFileSync(
    join(a, 'manifest.jsonl'),
    `${JSON.stringify({ ...linked, work: 'linked, of unknown size', bytes: null, sha256: null })}\n`,
  );
  renameSync(join(a, 'XML'), join(temporary.path, 'elsewhere'));
  symlinkSync(join(temporary.path, 'elsewhere'), join(a, 'XML'));
  const out = join(temporary.path, 'out');
  const { files, missing } = await mergeFolders([a], out, options);
  assert.deepEqual([files, missing.length], [1, 9]);
  assert.deepEqual(readdirSync(join(out, 'PDF')), ['good.pdf']);
  for (const name of ['docstokg.yaml', 'run.json', 'decisions.jsonl', 'XML', 'secret.pdf'])
    assert.equal(existsSync(join(out, name)), false, name);
});

test('manifest lines that are not rows are skipped with a warning that names them', async () => {
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

test('rotated manifests are read, and the records of works are merged, once', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-merge-'));
  const a = writeFolder(join(temporary.path, 'a'), [
    { work: 'old', at: 1, outcome: 'saved', file: ['PDF/old.pdf', 'old'] },
  ]);
  renameSync(join(a, 'manifest.jsonl'), join(a, 'manifest.0001.jsonl'));
  writeFolder(a, [{ work: 'new', at: 2, outcome: 'saved', file: ['PDF/new.pdf', 'new'] }]);
  const b = writeFolder(join(temporary.path, 'b'), [{ work: 'other', at: 3, outcome: 'failed' }]);
  renameSync(join(b, 'manifest.jsonl'), join(b, 'manifest.0001.jsonl'));
  const record = (id: string, title: string) => ({ ...emptyRecord(id, NO_IDS), title });
  {
    using records = Records.open(a);
    records.add([{ ...record('old', 'An old paper'), publisher: 'Merging House' }, record('new', 'A new paper')]);
    records.noteArxivVersions([['old', 3]]);
    records.noteRepeats(new Map([['new', 2]]));
    records.noteInput(
      'list.txt',
      new Map([
        ['old', 1],
        ['new', 2],
      ]),
    );
  }
  const answer = { kind: 'answer', question: 'Berg 2020', origin: 'test', readAt: '2026', answer: { kind: 'unknown' } };
  appendFileSync(join(a, 'records.jsonl'), `${JSON.stringify(answer)}\n`);
  // These name files that are not merged.
  for (const kind of ['paper', 'words']) appendFileSync(join(a, 'records.jsonl'), `${JSON.stringify({ kind })}\n`);
  {
    using records = Records.open(b);
    records.noteInput('list.txt', new Map([['other', 1]]));
    records.replace([{ ...record('old', 'An old paper'), venue: 'Journal of Merging' }]);
  }
  const out = join(temporary.path, 'out');
  let size = 0;
  for (let times = 0; times < 2; times += 1) {
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    const { works, files } = await mergeFolders([a, b], out, { ...options, warn });
    assert.deepEqual([works, files, warnings], [3, times === 0 ? 2 : 0, []]);
    const { length } = readFileSync(join(out, 'records.jsonl'));
    if (times > 0) assert.equal(length, size, 'merging again adds no record');
    size = length;
  }
  using store = CorpusStore.open(out);
  store.ingest();
  const records = new Records(store);
  assert.deepEqual(
    [...records.all()].map(({ id, title, venue, publisher }) => [id, title, venue, publisher]),
    [
      ['new', 'A new paper', null, null],
      ['old', 'An old paper', 'Journal of Merging', 'Merging House'],
    ],
    'a record that replaces another in its own folder is merged here',
  );
  assert.doesNotMatch(readFileSync(join(out, 'records.jsonl'), 'utf8'), /"kind":"(?:paper|words)"/);
  assert.deepEqual(
    [records.arxivVersions().get('old'), store.number('select sum(times) from repeated_entries')],
    [3, 1],
  );
  assert.deepEqual([store.count('listed_in'), store.count('catalogue_answers')], [3, 1]);
});

test('a saved file wins over a later row without one, and the next copy replaces a damaged one', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-merge-'));
  const a = writeFolder(join(temporary.path, 'a'), [
    { work: 'one', at: 1, outcome: 'saved', file: ['PDF/one.pdf', 'one'] },
    { work: 'two', at: 1, outcome: 'saved', file: ['PDF/two.pdf', 'two'] },
    { work: 'three', at: 1, outcome: 'parked' },
  ]);
  const b = writeFolder(join(temporary.path, 'b'), [
    { work: 'one', at: 9, outcome: 'parked' },
    { work: 'two', at: 9, outcome: 'saved', file: ['PDF/two.pdf', 'newer'] },
    { work: 'three', at: 9, outcome: 'saved', file: ['PDF/three.pdf', 'three'] },
  ]);
  writeFileSync(join(b, 'PDF/two.pdf'), 'worse');
  writeFileSync(join(b, 'PDF/three.pdf'), 'THREE');
  const out = writeFolder(join(temporary.path, 'out'), [{ work: 'one', at: 10, outcome: 'parked' }]);
  const { missing } = await mergeFolders([a, b], out, options);
  assert.equal(missing.length, 2);
  const lines = readFileSync(join(out, 'manifest.jsonl'), 'utf8').trim().split('\n');
  const last = new Map(lines.map((line) => JSON.parse(line) as { work: string }).map((row) => [row.work, row]));
  const outcome = (work: string): unknown => (last.get(work) as { outcome?: string } | undefined)?.outcome;
  assert.deepEqual(['one', 'two', 'three'].map(outcome), ['saved', 'saved', 'parked']);
  assert.equal(readFileSync(join(out, 'PDF/one.pdf'), 'utf8'), 'one');
  assert.equal(readFileSync(join(out, 'PDF/two.pdf'), 'utf8'), 'two');
});

test('a stopped merge leaves only complete files, and the next merge completes it', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-merge-'));
  const lines = Array.from({ length: 50 }, (_, at) => ({ work: `w${at}`, at, outcome: 'saved' as const }));
  const a = writeFolder(
    join(temporary.path, 'a'),
    lines.map((line) => ({ ...line, file: [`PDF/${line.work}.pdf`, `bytes of ${line.work}`] as const })),
  );
  const out = join(temporary.path, 'out');
  // Left by a killed merge.
  mkdirSync(join(out, '.parts', '1-dead'), { recursive: true });
  writeFileSync(join(out, '.parts', '1-dead', 'body.part'), 'half');
  const stop = new AbortController();
  const merging = mergeFolders([a], out, { ...options, warn: () => undefined }, stop.signal);
  stop.abort();
  await assert.rejects(merging, { name: 'AbortError' });
  const merged = await mergeFolders([a], out, options);
  assert.equal(merged.works, 50);
  assert.equal(readdirSync(join(out, 'PDF')).length, 50);
  const left = readdirSync(out, { recursive: true }).map(String);
  assert.deepEqual(
    left.filter((name) => name.includes('.part') && name !== '.parts'),
    [],
  );
});
