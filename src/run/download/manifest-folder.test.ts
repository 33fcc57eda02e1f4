import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { systemClock } from '../../base/index.ts';
import type { AttemptRow, ManifestRow } from '../../download/index.ts';
import { Records } from '../../database/index.ts';
import { ManifestFolder } from './manifest-folder.ts';

const ATTEMPT: AttemptRow = {
  resolver: 'arxiv',
  url: 'https://arxiv.example/pdf/1.pdf',
  final_url: 'https://arxiv.example/pdf/1.pdf',
  chain: [],
  status: 200,
  bytes: 1000,
  sha256: 'ab',
  kind: 'pdf',
  license: null,
  version: null,
  host_type: null,
  same_as: null,
  evidence: null,
  terms: null,
  reason: 'success',
  detail: null,
  started_at: '2026-01-01T00:00:00.000Z',
  duration_ms: 20,
};

function row(work: string, more: Partial<ManifestRow> = {}): ManifestRow {
  return {
    schema_version: 'contentdownload/1.0.0',
    run_id: 'run',
    at: '2026-01-01T00:00:01.000Z',
    work,
    doi: null,
    title: 'A title, with "quotes"',
    outcome: 'saved',
    reason: 'success',
    detail: null,
    resolver: 'arxiv',
    url: ATTEMPT.url,
    final_url: ATTEMPT.final_url,
    path: `PDF/${work}.pdf`,
    kind: 'pdf',
    content_type: 'application/pdf',
    sha256: 'ab',
    bytes: 1000,
    license: null,
    version: null,
    host_type: null,
    same_as: null,
    terms: null,
    retry_at: null,
    duration_ms: 30,
    attempts: [ATTEMPT],
    problems: [],
    ...more,
  };
}

function ingested(folder: string): string[] {
  using database = new DatabaseSync(join(folder, 'corpus.sqlite'), { readOnly: true });
  return (database.prepare('select work from outcomes order by sequence').all() as { work: string }[]).map(
    ({ work }) => work,
  );
}

function open(folder: string, warnings: string[] = []): Promise<ManifestFolder> {
  return ManifestFolder.open({
    folder,
    runId: 'run',
    clock: systemClock,
    warn: (message) => void warnings.push(message),
  });
}

test('text, database and reports have the same rows, and the last row of a work is always known', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-manifest-'));
  {
    await using manifest = await open(folder.path);
    assert.equal(manifest.last('a'), undefined);
    await manifest.write(row('a', { outcome: 'failed', reason: 'timeout', path: null, bytes: null }));
    assert.equal(manifest.last('a')?.outcome, 'failed');
    // More rows than one ingest takes.
    await Promise.all(Array.from({ length: 250 }, (_, at) => manifest.write(row(`w${at}`))));
    await manifest.write(row('a', { at: '2026-01-01T00:00:02.000Z' }));
    assert.equal(manifest.last('a')?.outcome, 'saved');
    assert.equal(manifest.last('w0')?.path, 'PDF/w0.pdf');
  }
  const lines = readFileSync(join(folder.path, 'manifest.jsonl'), 'utf8').trim().split('\n');
  const works = lines.map((line) => (JSON.parse(line) as ManifestRow).work);
  assert.equal(works.length, 252);
  assert.deepEqual(ingested(folder.path), works);
  const read = (name: string): string => readFileSync(join(folder.path, name), 'utf8');
  assert.equal(read('manifest.csv').trim().split('\r\n').length, 253);
  assert.equal(read('manifest.last.csv').trim().split('\r\n').length, 252);
  const index = JSON.parse(read('manifest.index.json')) as { works: number; files: Record<string, unknown> };
  assert.equal(index.works, 251);
  assert.deepEqual(index.files['a'], { path: 'PDF/a.pdf', sha256: 'ab', bytes: 1000, kind: 'pdf' });
  assert.equal(Object.keys(index.files).length, 251);
  assert.deepEqual((JSON.parse(read('manifest.summary.json')) as { outcomes: unknown }).outcomes, { saved: 251 });
  const metrics = JSON.parse(read('manifest.metrics.json')) as { by_host: Record<string, unknown> };
  assert.deepEqual(metrics.by_host['arxiv.example'], { attempts: 251, saved: 251, bytes: 251_000, ms: 5020 });
  assert.deepEqual(
    readdirSync(folder.path).filter((name) => name.endsWith('.part')),
    [],
  );
});

test('a damaged manifest line is reported once and its row restored, with a copy of the damaged file', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-manifest-'));
  const jsonl = join(folder.path, 'manifest.jsonl');
  {
    await using manifest = await open(folder.path);
    for (const work of ['a', 'b', 'c']) await manifest.write(row(work));
  }
  const lines = readFileSync(jsonl, 'utf8').split('\n');
  writeFileSync(jsonl, [lines[0], lines[1]?.slice(0, 40), ...lines.slice(2)].join('\n'));
  const damaged = readFileSync(jsonl, 'utf8');
  const warnings: string[] = [];
  await (await open(folder.path, warnings))[Symbol.asyncDispose]();
  assert.match(warnings.join('\n'), /manifest\.jsonl was changed: it was written again .* is now .*damaged-1/);
  assert.equal(readFileSync(`${jsonl}.damaged-1`, 'utf8'), damaged);
  const works = readFileSync(jsonl, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as ManifestRow).work);
  assert.deepEqual(works, ['a', 'b', 'c']);
  warnings.length = 0;
  await (await open(folder.path, warnings))[Symbol.asyncDispose]();
  assert.deepEqual(warnings, []);
});

test('a folder without rows has reports too', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-manifest-'));
  await (await open(folder.path))[Symbol.asyncDispose]();
  const index = JSON.parse(readFileSync(join(folder.path, 'manifest.index.json'), 'utf8')) as Record<string, unknown>;
  assert.deepEqual([index['works'], index['files']], [0, {}]);
});

test('restoring the manifest keeps rows of other logs that only the database still has', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-manifest-'));
  {
    await using manifest = await open(folder.path);
    await manifest.write(row('a'));
  }
  {
    using records = Records.open(folder.path);
    records.saveSet({ name: 'kept', works: ['a'], filter: null }, '2026');
  }
  for (const name of ['manifest.jsonl', 'decisions.jsonl']) rmSync(join(folder.path, name));
  await (await open(folder.path))[Symbol.asyncDispose]();
  using records = Records.open(folder.path);
  assert.deepEqual(
    records.sets().map(({ name }) => name),
    ['kept'],
  );
  assert.deepEqual(ingested(folder.path), ['a']);
});

test('a lost, damaged or outdated manifest or database is restored from the other', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-manifest-'));
  const jsonl = join(folder.path, 'manifest.jsonl');
  const database = join(folder.path, 'corpus.sqlite');
  {
    await using manifest = await open(folder.path);
    for (const work of ['a', 'b', 'c']) await manifest.write(row(work));
  }
  const whole = readFileSync(jsonl);
  const warnings: string[] = [];
  for (const name of readdirSync(folder.path)) if (/corpus\.sqlite/.test(name)) rmSync(join(folder.path, name));
  {
    await using manifest = await open(folder.path, warnings);
    assert.equal(manifest.last('c')?.outcome, 'saved');
  }
  assert.deepEqual(ingested(folder.path), ['a', 'b', 'c']);
  assert.deepEqual(warnings, []);
  // The process may be killed after writing the manifest and before writing the database.
  writeFileSync(jsonl, Buffer.concat([whole, Buffer.from(`${JSON.stringify(row('d'))}\n`)]));
  await (await open(folder.path, warnings))[Symbol.asyncDispose]();
  assert.deepEqual(ingested(folder.path), ['a', 'b', 'c', 'd']);

  rmSync(jsonl);
  await (await open(folder.path, warnings))[Symbol.asyncDispose]();
  assert.equal(readFileSync(jsonl, 'utf8').trim().split('\n').length, 4);
  assert.match(warnings.join(), /manifest\.jsonl was missing: it was written again from corpus\.sqlite/);

  truncateSync(jsonl, Math.floor(whole.length / 2));
  await (await open(folder.path, warnings))[Symbol.asyncDispose]();
  const works = readFileSync(jsonl, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as ManifestRow).work);
  assert.deepEqual(works.sort(), ['a', 'b', 'c', 'd']);

  for (const name of readdirSync(folder.path)) if (/sqlite-/.test(name)) rmSync(join(folder.path, name));
  writeFileSync(database, readFileSync(database).fill('damage', 0, 60));
  {
    await using manifest = await open(folder.path, warnings);
    assert.equal(manifest.last('a')?.path, 'PDF/a.pdf');
  }
  assert.equal(ingested(folder.path).length, 4);
});

test('saved files come in pages after a position, each by its last row, and new rows are announced', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-saved-'));
  await using manifest = await open(folder.path);
  const at = (second: number): string => `2026-01-01T00:00:0${second}.000Z`;
  await manifest.write(row('a'));
  await manifest.write(row('b', { outcome: 'skipped', reason: 'paywalled', path: null }));
  await manifest.write(row('c'));
  await manifest.write(row('d'));
  await manifest.write(row('a', { at: at(2), path: 'PDF/a-2.pdf' }));
  await manifest.write(row('c', { at: at(3), outcome: 'failed', path: null }));
  manifest.flush();
  const [first, ...others] = manifest.savedAfter(0, 1);
  assert.deepEqual([first?.work, others], ['d', []]);
  const rest = manifest.savedAfter(first?.sequence ?? 0, 9);
  assert.deepEqual(
    rest.map(({ work, path }) => [work, path]),
    [['a', 'PDF/a-2.pdf']],
  );
  let announced = 0;
  {
    using _watching = manifest.onIngest(() => (announced += 1));
    await manifest.write(row('e'));
    manifest.flush();
  }
  manifest.flush();
  assert.equal(announced, 1);
  assert.deepEqual(
    manifest.savedAfter(rest.at(-1)?.sequence ?? 0, 9).map(({ work }) => work),
    ['e'],
  );
});
