import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Script } from 'node:vm';

import type { DocumentPart, ReportData } from './data.ts';
import { Records } from '../store/index.ts';
import { emptyRecord } from '../works/index.ts';
import { gather } from './gather.ts';
import { REPORT_LIMITS } from './limits.ts';
import { writeReport } from './index.ts';
import { pageScript } from './script.ts';

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
  stage: 'doctags', doc_id: doc, status, duration_s: seconds, input_path: `${doc}.html`, input_hash: null, ...more,
}); // prettier-ignore

function gatherFolder(folder: string, limits = {}): ReturnType<typeof gather> {
  return gather(folder, { title: undefined, generatedAt: 0, limits: { ...REPORT_LIMITS, ...limits } });
}

/** A folder as docparse leaves it for one document without pages. */
function parsed(folder: string, id: string): void {
  lines(join(folder, 'Data', 'DocTagsFiles', `${id}.jsonl`), [
    { tag: 'document', version: 1, pages: [] },
    { tag: 'text', order: 0, text: `All about </script> in ${id}` },
  ]);
  lines(join(folder, 'Data', 'ChunkedDocTagFiles', `${id}.jsonl`), [
    {
      schema: 'docstokg/chunk/1', tokenizer: 't', chunk_id: id, doc_id: id, chunk_index: 0, text: `All about </script> in ${id}`,
      context: '', token_count: 5, flow_start: 0, flow_end: 9, repeated_chars: 0, title: '', headings: [], kinds: ['text'],
      blocks: [0], page_first: null, page_last: null, regions: [],
    },
  ]); // prettier-ignore
}

test('works are counted by their last row, and those that are not listed are said to be missing', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-report-'));
  lines(join(folder.path, 'manifest.0001.jsonl'), [
    work('W1', 'failed', 'server-error'),
    work('W2', 'failed', 'no-plan'),
  ]);
  lines(join(folder.path, 'manifest.jsonl'), [
    work('W1', 'saved', 'success', { path: 'PDF/W1.pdf', bytes: 100, kind: 'pdf', license: 'cc-by', sha256: 'aa' }),
    work('W3', 'failed', 'paywalled', { path: '../../etc/passwd' }),
  ]);
  const { data, works } = await gatherFolder(folder.path, { workChars: 400 });
  assert.deepEqual(data.account?.outcomes, { failed: 2, saved: 1 });
  assert.deepEqual(data.account.reasons, { 'no-plan': 1, paywalled: 1 });
  assert.deepEqual(data.account.licences, { 'cc-by': 1 });
  assert.deepEqual(works.flat().map(({ id, file }) => [id, file]), [['W1', './PDF/W1.pdf'], ['W2', '']]); // prettier-ignore
  assert.ok(
    data.leftOut.some((sentence) => sentence.startsWith('1 works')),
    data.leftOut.join(),
  );
  assert.ok(data.sentences['paywalled']);
  assert.equal(data.hostsFrom, 'attempts');
  assert.deepEqual(data.hosts.map(({ host, requests }) => [host, requests]), [['a.org', 3]]); // prettier-ignore
  const all = await gatherFolder(folder.path);
  assert.equal(all.works.flat().find(({ id }) => id === 'W3')?.file, '', 'a path that leaves the folder is no link');
});

test('hosts are drawn from the host log: refusals, waits that servers asked for, the most at once against the cap', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-report-'));
  const at = (second: number): string => new Date(1_700_000_000_000 + second * 1000).toISOString();
  const slice = (second: number, more: object) => ({
    kind: 'host', at: at(second), ms: 1000, host: 'b.org', sent: 1, done: { 200: 1 }, bytes: 5, waited_ms: 10, most: 1, cap: 2,
    asked_until: null, held_until: null, ...more,
  }); // prettier-ignore
  lines(join(folder.path, 'manifest.jsonl'), [work('W1', 'failed', 'paywalled')]);
  lines(join(folder.path, 'hosts.jsonl'), [
    { kind: 'run', schema_version: 'hosts/1', run_id: 'r', at: at(0), time_scale: 0.05 },
    slice(0, { most: 2 }),
    slice(1, { done: { 429: 2, timeout: 1 }, asked_until: at(31) }),
    slice(40, { done: { 500: 1 }, held_until: at(70) }),
  ]);
  const { data } = await gatherFolder(folder.path);
  assert.equal(data.timeScale, 0.05);
  const [host] = data.hosts;
  assert.deepEqual([host?.requests, host?.most, host?.cap, host?.refused, host?.failed], [3, 2, 2, 2, 2]);
  assert.deepEqual(
    host?.holds.map(([from, to, why]) => [(to - from) / 1000, why]),
    [
      [30, 'asked'],
      [30, 'failing'],
    ],
  );
  const many = await gatherFolder(folder.path, { slicesPerHost: 1 });
  assert.equal(many.data.hosts[0]?.slices.length, 2, 'neighbours are joined');
  assert.equal(
    many.data.hosts[0]?.slices.reduce((sum, [, , sent]) => sum + sent, 0),
    3,
  );
});

test('a folder of own papers without a download has stages, documents and passages, and nothing of works', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-report-'));
  parsed(folder.path, 'one');
  parsed(folder.path, 'two');
  writeFileSync(join(folder.path, 'two.html'), '');
  lines(join(folder.path, 'Data', 'Manifests', 'docparse.doctags.manifest.jsonl'), [
    stage('one', 'failure', 9, { category: 'timeout', message: 'too slow' }),
    stage('one', 'success', 0.3),
    stage('two', 'success', 0.1),
    stage('two', 'skip', 0),
    stage('bad', 'failure', 1, { category: 'runtime', message: 'broken' }),
  ]);
  writeFileSync(join(folder.path, 'run.json'), '{"asked":{"ids":[],"input":["papers/own"]}}');
  {
    using records = Records.open(folder.path);
    const notice = { kind: 'retraction', doi: null, date: null, source: 'publisher' } as const;
    for (const [document, id, notices] of [
      ['one', 'W1', []],
      ['two', 'W2', [notice]],
    ] as const)
      records.fileOwn({ document, sha256: '', checked: true }, [{ ...emptyRecord(id, { openalex: id }), notices }]);
  }
  const { data, parts } = await gatherFolder(folder.path);
  assert.deepEqual(
    data.documents.map(({ retracted }) => retracted),
    [undefined, true],
  );
  assert.equal(data.title, 'Works of own');
  assert.equal(data.account, null);
  const [doctags] = data.stages;
  assert.deepEqual([doctags?.succeeded, doctags?.failed, doctags?.skipped, doctags?.max], [2, 1, 0, 0.3]);
  assert.deepEqual(doctags?.categories, { runtime: 1 });
  assert.deepEqual(doctags.histogram.reduce((sum, [, count]) => sum + count, 0), 2); // prettier-ignore
  assert.deepEqual(data.passages.map(({ document, text }) => [document, text.slice(-3)]), [[0, 'one'], [1, 'two']]); // prettier-ignore
  assert.equal(parts[1]?.blocks[0]?.tag, 'text');
  const small = await gatherFolder(folder.path, { passageChars: 40, blockChars: 40 });
  assert.equal(small.data.passages.length, 1);
  assert.equal(small.parts[1], undefined);
  assert.equal(small.data.leftOut.length, 2, small.data.leftOut.join());
});

test('what has no room in the page is not read: a corpus of any size costs no more than fits in', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-report-'));
  for (const id of ['a', 'b', 'c', 'd']) parsed(folder.path, id);
  lines(join(folder.path, 'Data', 'Manifests', 'docparse.doctags.manifest.jsonl'), [stage('a', 'success', 1)]);
  // Whoever reads these says that they are damaged.
  for (const id of ['c', 'd']) {
    writeFileSync(join(folder.path, 'Data', 'DocTagsFiles', `${id}.jsonl`), 'damaged');
    writeFileSync(join(folder.path, 'Data', 'ChunkedDocTagFiles', `${id}.jsonl`), 'damaged');
  }
  const { data } = await gatherFolder(folder.path, { passageChars: 40, blockChars: 40, documents: 3 });
  assert.deepEqual(
    data.documents.map(({ id, shown }) => [id, shown]),
    [['a', true], ['b', false], ['c', false]], // prettier-ignore
  );
  assert.deepEqual(data.leftOut, [
    '1 documents are counted but not listed',
    '3 documents have passages that are not in the search box; docstokg search finds them',
    '2 documents are without their structure here',
  ]);
});

test('the page holds its data so that no text in it can end it, and allows no script but its own', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-report-'));
  parsed(folder.path, 'one');
  lines(join(folder.path, 'Data', 'Manifests', 'docparse.doctags.manifest.jsonl'), [stage('one', 'success', 0.3)]);
  const { path } = await writeReport({ folder: folder.path, title: '</title><script>alert(1)</script>' });
  const html = readFileSync(path, 'utf8');
  assert.equal(html.match(/<script/g)?.length, 3, 'the data, one document, the script');
  assert.match(html, /default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+'; img-src data:/);
  const block = (id: string): unknown => JSON.parse(new RegExp(`id="${id}">(.*?)</script>`).exec(html)?.[1] ?? '');
  assert.equal((block('data') as ReportData).title, '</title><script>alert(1)</script>');
  assert.match((block('document-0') as DocumentPart).blocks[0]?.text ?? '', /<\/script>/);
});

test('a run folder cannot make the report open a PDF outside it', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-report-'));
  const folder = join(scratch.path, 'run');
  const secret = join(scratch.path, 'secret.pdf');
  writeFileSync(secret, '%PDF-1.4');
  for (const id of ['absolute', 'above', 'linked', 'inside']) parsed(folder, id);
  mkdirSync(join(folder, 'PDF'));
  writeFileSync(join(folder, 'PDF', 'inside.pdf'), '%PDF-1.4');
  symlinkSync(secret, join(folder, 'PDF', 'linked.pdf'));
  const sources = { absolute: secret, above: '../secret.pdf', linked: 'PDF/linked.pdf', inside: 'PDF/inside.pdf' };
  for (const [id, source] of Object.entries(sources))
    writeFileSync(
      join(folder, 'Data', 'DocTagsFiles', `${id}.meta.json`),
      JSON.stringify({ source, source_kind: 'pdf', source_sha256: id }),
    );
  lines(join(folder, 'Data', 'Manifests', 'docparse.doctags.manifest.jsonl'), [stage('inside', 'success', 1)]);
  // The manifest of downloads is not trusted either.
  lines(join(folder, 'manifest.jsonl'), [work('W1', 'saved', 'success', { path: '../secret.pdf', sha256: 'above' })]);
  const { data } = await gatherFolder(folder);
  assert.deepEqual(Object.fromEntries(data.documents.map(({ id, file }) => [id, file])), {
    absolute: '',
    above: '',
    linked: '',
    inside: './PDF/inside.pdf',
  });
});

test('a folder that holds nothing of a run is refused with a hint', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-report-'));
  await assert.rejects(writeReport({ folder: folder.path }), { code: 'REPORT_NO_RUN' });
});

test("the page's modules become one script of at most 300 kB, with the licences of what it carries", async () => {
  const script = await pageScript();
  assert.doesNotThrow(() => new Script(script));
  assert.doesNotMatch(script, /^\s*(?:import|export)\s/m);
  assert.match(script, /graphology: .*MIT/);
  assert.ok(Buffer.byteLength(script) <= 300_000, `${Buffer.byteLength(script)} bytes`);
});
