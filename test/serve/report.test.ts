import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Script } from 'node:vm';
import { gunzipSync, gzipSync } from 'node:zlib';

import { systemClock } from '../../src/base/index.ts';
import type { ManifestRow } from '../../src/download/index.ts';
import { ManifestFolder } from '../../src/run/index.ts';
import type {
  About,
  Lanes,
  Passages,
  ReportFacts,
  Sources,
  Stages,
  WholeDocument,
  Work,
} from '../../src/serve/page/answers.ts';
import { pageParts } from '../../src/serve/page-assets.ts';
import type { ReportLimits } from '../../src/serve/report.ts';
import { writeReport } from '../../src/serve/report.ts';

function lines(path: string, rows: readonly unknown[]): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

const attempt = (url: string, reason: string, status: number | null) => ({
  resolver: 'openalex', url, final_url: url, chain: [], status, bytes: 10, sha256: null, kind: null, license: null,
  version: null, host_type: null, reason, detail: null, started_at: '2026-01-02T03:04:05.000Z', duration_ms: 100,
}); // prettier-ignore
const work = (id: string, outcome: string, reason: string, more: object = {}) => ({
  schema_version: 'contentdownload/1.0.0', run_id: 'r', at: '2026-01-02T03:04:06.000Z', work: id, doi: `10.1/${id}`,
  title: `Title of ${id}`, outcome, reason, detail: null, resolver: outcome === 'saved' ? 'openalex' : null, url: null,
  final_url: null, path: null, kind: null, content_type: null, sha256: null, bytes: null, license: null, version: null,
  host_type: null, retry_at: null, duration_ms: 500, attempts: [attempt('https://a.org/x', reason, 404)], problems: [],
  ...more,
}); // prettier-ignore
const stage = (doc: string, status: string, seconds: number, more: object = {}) => ({
  stage: 'doctags', doc_id: doc, status, duration_s: seconds, input_path: `${doc}.html`, input_hash: null,
  finished_at: '2026-01-02T03:04:05.000Z', ...more,
}); // prettier-ignore

const first = <T>(items: readonly T[]): T => items[0] as T;

/** The responses inside a report, by path. */
async function answersOf(
  folder: string,
  limits: Partial<ReportLimits> = {},
  out?: string,
): Promise<{ all: <T>(path: string) => T[]; html: string }> {
  const { path } = await writeReport({ folder, limits, path: out, title: 'A </title><script>alert(1)</script>' });
  const html = readFileSync(path, 'utf8');
  const blocks = [...html.matchAll(/<script type="text\/plain" data-path="([^"]*)">([\w+/=]*)<\/script>/g)];
  const all = <T>(wanted: string): T[] =>
    blocks
      .filter(([, at]) => at === wanted.replaceAll('&', '&amp;'))
      .map(([, , text = '']) => JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString()) as T);
  return { all, html };
}

/** Writes the files of docparse for one document without pages. */
function parsed(folder: string, id: string, about: object = {}): void {
  lines(join(folder, 'Data', 'DocTagsFiles', `${id}.jsonl`), [
    { tag: 'document', version: 1, pages: [] },
    { tag: 'text', order: 0, text: `All about </script> in ${id}` },
  ]);
  writeFileSync(join(folder, 'Data', 'DocTagsFiles', `${id}.meta.json`), JSON.stringify({ title: id, ...about }));
  lines(join(folder, 'Data', 'ChunkedDocTagFiles', `${id}.jsonl`), [
    {
      schema: 'docstokg/chunk/1', tokenizer: 't', chunk_id: id, doc_id: id, chunk_index: 0, text: `All about </script> in ${id}`,
      context: '', token_count: 5, flow_start: 0, flow_end: 9, repeated_chars: 0, title: '', headings: [], kinds: ['text'],
      blocks: [0], page_first: null, page_last: null, regions: [],
    },
  ]); // prettier-ignore
}
/** Writes manifest rows as a download does. */
async function download(folder: string, ...rows: readonly object[]): Promise<void> {
  await using written = await ManifestFolder.open({ folder, runId: 'r', clock: systemClock });
  for (const row of rows) await written.write(row as ManifestRow);
}
const manifest = (folder: string, ...rows: readonly object[]): void =>
  lines(join(folder, 'Data', 'Manifests', 'docparse.doctags.manifest.jsonl'), rows);

test('works are counted by their last row; works that do not fit are reported and counted', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-report-'));
  await download(
    folder.path,
    work('W1', 'failed', 'server-error'),
    work('W2', 'failed', 'no-plan'),
    work('W1', 'saved', 'success', {
      at: '2026-01-02T03:05:06.000Z',
      path: 'PDF/W1.pdf',
      bytes: 100,
      kind: 'pdf',
      license: 'cc-by',
      sha256: 'aa',
    }),
    work('W3', 'failed', 'paywalled'),
  );
  const { all } = await answersOf(folder.path, { works: 900, workDetails: 900 });
  const sources = first(all<Sources>('/runs/run/sources'));
  assert.deepEqual([sources.works, sources.bytes, sources.kinds], [3, 100, { pdf: 1 }]);
  assert.deepEqual(sources.attempt_reasons.map(({ reason, attempts }) => [reason, attempts]), [['no-plan', 1], ['paywalled', 1]]); // prettier-ignore
  assert.deepEqual(first(all<{ outcomes: object }>('/runs/run/account')).outcomes, { saved: 1, skipped: 2 });
  const listed = all<Work[]>('works').flat().length;
  assert.ok(listed > 0 && listed < 3, `${listed} works listed in the space for two`);
  assert.ok(
    first(all<ReportFacts>('report')).omitted.some((each) => /^[12] works? counted but not listed$/.test(each)),
  );
  const lanes = first(all<Lanes>('/runs/run/hosts'));
  assert.deepEqual(
    [lanes.from, lanes.items.map(({ host, requests }) => [host, requests])],
    ['attempts', [['a.org', 3]]],
  );
});

test('host activity comes from the host log: refusals, requested waits, maximum in flight and the limit', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-report-'));
  const at = (second: number): string => new Date(1_700_000_000_000 + second * 1000).toISOString();
  const slice = (second: number, more: object) => ({
    kind: 'host', at: at(second), ms: 1000, host: 'b.org', sent: 1, done: { 200: 1 }, bytes: 5, waited_ms: 10, most: 1, cap: 2,
    asked_until: null, held_until: null, ...more,
  }); // prettier-ignore
  await download(folder.path, work('W1', 'failed', 'paywalled'));
  lines(join(folder.path, 'hosts.jsonl'), [
    { kind: 'run', schema_version: 'hosts/1', run_id: 'r', at: at(0), time_scale: 0.05 },
    slice(0, { most: 2 }),
    slice(1, { done: { 429: 2, timeout: 1 }, asked_until: at(31) }),
    slice(40, { done: { 500: 1 }, held_until: at(70) }),
    ...Array.from({ length: 2_000 }, (_, second) => slice(100 + second, { host: 'busy.org' })),
  ]);
  const { all } = await answersOf(folder.path);
  const { items } = first(all<Lanes>('/runs/run/hosts'));
  const [busy, host] = items;
  assert.deepEqual([host?.requests, host?.most, host?.cap, host?.refused, host?.failed], [3, 2, 2, 2, 2]);
  assert.deepEqual(host?.holds.map(([from, to, why]) => [(to - from) / 1000, why]), [[30, 'asked'], [30, 'failing']]); // prettier-ignore
  const drawn = busy?.slices ?? [];
  assert.ok(drawn.length > 100 && drawn.length <= 600, `${drawn.length} slices: adjacent ones are merged`);
  assert.equal(drawn.reduce((sum, [, , sent]) => sum + sent, 0), 2_000); // prettier-ignore
});

test('a folder of local papers has stages, documents and passages; scans and earlier work are counted separately', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-report-'));
  for (const id of ['one', 'two', 'scan']) parsed(folder.path, id);
  manifest(
    folder.path,
    stage('one', 'failure', 9, { category: 'timeout', message: 'too slow' }),
    stage('one', 'success', 0.3),
    stage('two', 'success', 0.1),
    stage('two', 'skip', 0, { reason: 'unchanged' }),
    stage('scan', 'skip', 0.1, { reason: 'needs-ocr' }),
    stage('bad', 'failure', 1, { category: 'runtime', message: 'broken' }),
  );
  writeFileSync(join(folder.path, 'run.json'), '{"asked":{"ids":[],"input":["papers/own"]}}');
  const { all } = await answersOf(folder.path);
  const [doctags] = first(all<Stages>('/runs/run/stages')).items;
  assert.deepEqual(
    [doctags?.succeeded, doctags?.failed, doctags?.skipped, doctags?.needs_ocr, doctags?.max_s, doctags?.categories],
    [2, 1, 0, 1, 0.3, { runtime: 1 }],
  );
  assert.equal(doctags?.histogram.reduce((sum, { documents }) => sum + documents, 0), 2); // prettier-ignore
  const { counts } = first(all<{ counts: Readonly<Record<string, number>> }>('/runs/run/account'));
  assert.deepEqual([counts['parsed'], counts['scans'], counts['failed_documents']], [2, 1, 1]);
  assert.equal(counts['downloaded_this_run'], undefined, 'only a run knows what it downloaded');
  const two = first(all<WholeDocument>('/runs/run/documents/two'));
  assert.equal(two.blocks[0]?.text, 'All about </script> in two');
  assert.deepEqual([two.before, two.after], ['scan', null]);
  const [passage] = first(all<Passages>('/runs/run/documents/two/passages')).items;
  assert.ok(passage?.text.endsWith('two'));
});

test('data that does not fit into the report is not read, whatever the size of the corpus', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-report-'));
  const ids = ['a', 'b', 'c', 'd'];
  for (const id of ids) parsed(folder.path, id);
  manifest(folder.path, ...ids.map((id) => stage(id, 'success', 1)));
  // Reading one of these files would report it as damaged.
  for (const kind of ['DocTagsFiles', 'ChunkedDocTagFiles'])
    for (const id of ['c', 'd']) writeFileSync(join(folder.path, 'Data', kind, `${id}.jsonl`), 'damaged');
  const { all } = await answersOf(folder.path, { passages: 200, structure: 400, documents: 3 });
  assert.deepEqual(first(all<{ id: string }[]>('documents')).map(({ id }) => id), ['a', 'b', 'c']); // prettier-ignore
  assert.deepEqual(first(all<ReportFacts>('report')).omitted, [
    '1 document counted but not listed',
    '2 documents not searched here; use docstokg search',
    '2 documents listed without structure',
  ]);
});

test('no text can break out of the report data, and only its own script is allowed', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-report-'));
  parsed(folder.path, 'one');
  manifest(folder.path, stage('one', 'success', 0.3));
  const { html, all } = await answersOf(folder.path);
  const scripts = [...html.matchAll(/<script([^>]*)>/g)].map(([, about = '']) => about);
  assert.equal(scripts.filter((about) => about === '').length, 1, 'one script is executable');
  assert.ok(scripts.every((about) => about === '' || about.startsWith(' type="text/plain" data-path=')));
  assert.match(html, /default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+'; img-src data:/);
  assert.equal(first(all<About>('/')).runs[0]?.title, 'A </title><script>alert(1)</script>');
});

test('a run folder cannot make the report open or link to a file outside it', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-report-'));
  const folder = join(scratch.path, 'run');
  const secret = join(scratch.path, 'secret.pdf');
  writeFileSync(secret, '%PDF-1.4 secret');
  const sources = { absolute: secret, above: '../secret.pdf', linked: 'PDF/linked.pdf', inside: 'PDF/inside.pdf' };
  for (const [id, source] of Object.entries(sources))
    parsed(folder, id, { source, source_kind: 'pdf', source_sha256: id });
  mkdirSync(join(folder, 'PDF'));
  writeFileSync(join(folder, 'PDF', 'inside.pdf'), '%PDF-1.4');
  symlinkSync(secret, join(folder, 'PDF', 'linked.pdf'));
  manifest(folder, ...Object.keys(sources).map((id) => stage(id, 'success', 1)));
  await download(folder, work('W1', 'saved', 'success', { path: '../secret.pdf', sha256: 'above' }));
  const { all, html } = await answersOf(folder);
  assert.deepEqual(first(all<ReportFacts>('report')).files, { '/runs/run/documents/inside/file': './PDF/inside.pdf' });
  const beside = await answersOf(folder, {}, join(scratch.path, 'page.html'));
  assert.deepEqual(Object.values(first(beside.all<ReportFacts>('report')).files), ['./run/PDF/inside.pdf']);
  assert.doesNotMatch(html, /\.png"/, 'no page is drawn');
});

test('a folder without a run is rejected with a hint', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-report-'));
  await assert.rejects(writeReport({ folder: folder.path }), { code: 'REPORT_NO_RUN' });
});

test("the page's modules become one script, with the licences of its packages, far below 400 kB as it is sent", async () => {
  const { script, style } = await pageParts();
  assert.doesNotThrow(() => new Script(script));
  assert.doesNotMatch(script, /^\s*(?:import|export)\s/m);
  assert.doesNotMatch(script + style, /<\/(?:script|style)/);
  for (const name of ['htm', 'sigma', 'graphology', 'uplot'])
    assert.ok(script.includes(`\n${name}: `), `${name} comes with its licence`);
  const packed = gzipSync(script).length + gzipSync(style).length;
  assert.ok(packed <= 180_000, `${packed} bytes`);
});
