import assert from 'node:assert/strict';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { DuckDBInstance } from '@duckdb/node-api';

import { changeGraph } from '../../../test/support/graph.ts';
import { paper } from '../../../test/support/graph-papers.ts';
import { crateFaults } from '../../../test/support/ro-crate.ts';
import { sha256, systemClock } from '../../base/index.ts';
import { manifestRow } from '../../download/index.ts';
import { ManifestFolder } from '../../run/index.ts';
import { chunkItem, chunkOutput, openTokenizer } from '../../parse/index.ts';
import { CorpusStore, Records } from '../../database/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import { emptyRecord, NO_IDS, workFromIds } from '../../works/index.ts';
import type { Corpus } from '../corpus.ts';
import { openCorpus } from '../corpus.ts';
import type { ExportFormat } from './export-corpus.ts';
import type { Account } from '../../library/index.ts';

/** Markdown, HTML and links that a note must escape. */
const ABSTRACT = 'It *was* hot. <script>x</script> ![[secret]] [a](http://b) ```dataviewjs';

const author = { name: 'Ana Berg', family: 'Berg', given: 'Ana', orcid: null, institutions: [] };

function record(id: string, more: Partial<WorkRecord>): WorkRecord {
  const base = {
    ...emptyRecord(id, { openalex: id, doi: `10.1000/${id.toLowerCase()}` }),
    authors: [author],
    date: '2024',
  };
  return { ...base, venue: 'Journal of Reefs', type: 'article', ...more };
}

/**
 * A run of five works: two saved (one open, one closed licence), a preprint of the first, one unavailable, one
 * unreadable entry.
 */
async function someRun(folder: string): Promise<void> {
  mkdirSync(join(folder, 'PDF'), { recursive: true });
  {
    using records = Records.open(folder);
    records.add([
      record('W1', { title: 'Heat and the reefs of the north', license: 'cc-by', abstract: ABSTRACT }),
      record('W2', { title: 'Something else entirely about fish', license: 'publisher-specific', references: ['W1'] }),
      record('W3', { title: 'Heat and the reefs of the north', type: 'preprint', date: '2023' }),
      record('W4', { title: 'Nobody can have this one, it is closed' }),
    ]);
  }
  await using manifest = await ManifestFolder.open({ folder, runId: 'r', clock: systemClock });
  const at = { startedAt: 0, endedAt: 1 };
  for (const id of ['W1', 'W2', 'W3', 'W4', 'entry:mine.bib#7']) {
    const work = workFromIds({ ...NO_IDS, openalex: id });
    assert.ok(work);
    const lost = { kind: 'failed', reason: id === 'W4' ? 'no-plan' : 'unreadable-entry', detail: 'line 7' } as const;
    const row = manifestRow({ work, outcome: lost, attempts: [], problems: [], asked: [], ...at }, 'r');
    const isSaved = id === 'W1' || id === 'W2' || id === 'W3';
    await manifest.write(
      isSaved ? { ...row, outcome: 'saved', reason: 'success', path: `PDF/${id}.pdf`, kind: 'pdf' } : row,
    );
    if (isSaved) writeFileSync(join(folder, 'PDF', `${id}.pdf`), '%PDF-');
  }
  const tokenizer = await openTokenizer('cl100k');
  const quality = { unmappedGlyphs: 0, columns: 1, confidence: 1 };
  const blocks = [
    {
      order: 0,
      kind: 'text' as const,
      text: 'Corals bleach when it is hot for long.',
      regions: [{ page: 3, box: { left: 0, top: 0, right: 9, bottom: 9 } }],
    },
  ];
  for (const id of ['W1', 'W2', 'W3']) {
    const document = { blocks, metadata: { authors: [], needsOcr: [], quality } };
    const options = { maxTokens: 64, minTokens: 8, overlapTokens: 0 };
    await chunkItem({ id, document, output: chunkOutput(join(folder, 'Data'), id, 'parquet'), tokenizer, options });
  }
}

async function text(corpus: Corpus, format: ExportFormat, more: object = {}): Promise<string> {
  return (await Array.fromAsync(corpus.export({ format, ...more }))).join('');
}

test('a run is exported in every format with links, licences and consistent counts, and labels are imported', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'export-'));
  await someRun(folder.path);
  await using corpus = await openCorpus(folder.path);

  const bibtex = await text(corpus, 'bibtex');
  assert.equal(bibtex.match(/^@/gm)?.length, 4);
  assert.match(bibtex, /file = \{PDF\/W1\.pdf\}/);
  assert.equal((await text(corpus, 'ris')).match(/^ER {2}-/gm)?.length, 4);
  assert.deepEqual(
    (JSON.parse(await text(corpus, 'csl')) as { id: string }[]).map(({ id }) => id),
    ['W1', 'W2', 'W3', 'W4'],
  );
  assert.doesNotMatch(await text(corpus, 'csv'), /unreadable/, 'entries without a work are no works');
  assert.equal((await text(corpus, 'bibtex', { redistributable: true })).match(/^@/gm)?.length, 1);

  const documents = (await text(corpus, 'documents'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { metadata: Record<string, unknown> });
  assert.deepEqual(
    documents.map(({ metadata }) => [metadata['work'], metadata['page'], metadata['license']]),
    [
      ['W1', 3, 'cc-by'],
      ['W2', 3, 'publisher-specific'],
    ],
  );

  const prisma = JSON.parse(await text(corpus, 'prisma')) as Account['prisma'];
  assert.deepEqual(prisma, {
    identified: 5,
    removed_before_screening: { unreadable_entries: 1, duplicates: 1 },
    records: 3,
    unidentified: 0,
    screened: 0,
    not_screened: 3,
    not_screened_unsettled: { waiting: 0, in_conflict: 0, unsure: 0 },
    excluded: 0,
    sought: 3,
    not_retrieved: 1,
    not_retrieved_by_reason: { 'no-plan': 1 },
    retrieved: 2,
    assessed: 0,
    not_assessed: 2,
    not_assessed_unsettled: { waiting: 0, in_conflict: 0, unsure: 0 },
    excluded_by_full_text: 0,
    excluded_by_full_text_reasons: {},
    included: 0,
  });

  {
    using records = Records.open(folder.path);
    const decided = { phase: 'title-abstract', by: 'ada', at: '', reason: null, note: null, criteria: 0 } as const;
    records.screen([
      { kind: 'screened', id: 'a', work: 'W2', decision: 'exclude', ...decided, rank: null },
      { kind: 'screened', id: 'b', work: 'W1', decision: 'include', ...decided, rank: null },
    ]);
  }
  assert.doesNotMatch(await text(corpus, 'bibtex'), /fish/);
  assert.equal((JSON.parse(await text(corpus, 'prisma')) as Account['prisma']).excluded, 1);

  const dataset = join(folder.path, 'dataset');
  await text(corpus, 'parquet', { out: dataset, redistributable: true });
  const card = readFileSync(join(dataset, 'README.md'), 'utf8');
  assert.match(card, /^---\nlicense: cc-by-4\.0\n/);
  const duckdb = await (await DuckDBInstance.create()).connect();
  const rows = await duckdb.runAndReadAll(
    `SELECT p.text, w.title FROM '${dataset}/data/passages-*.parquet' p JOIN '${dataset}/data/works-*.parquet' w ON p.work = w.id`,
  );
  assert.deepEqual(rows.getRows(), [['Corals bleach when it is hot for long.', 'Heat and the reefs of the north']]);

  await text(corpus, 'prisma', { out: join(folder.path, 'flow.svg') });
  assert.match(readFileSync(join(folder.path, 'flow.svg'), 'utf8'), /Records identified \(n = 5\)/);
  const vault = join(folder.path, 'vault');
  const note1 = { work: 'W1', by: 'ada', page: 3, quote: 'It *was* hot.', text: 'Compare **table 2**.' };
  await corpus.saveNote(note1);
  assert.match(
    await text(corpus, 'notes'),
    /^## .*Heat[^]*\n> It \\\*was\\\* hot\. \(page 3\)\n\nCompare \*\*table 2\*\*\.\n\n\*ada, /,
  );
  await text(corpus, 'obsidian', { out: vault });
  const note = readFileSync(join(vault, '@berg2024heat.md'), 'utf8');
  assert.ok(note.includes('It \\*was\\* hot. \\<script\\>'), note);
  assert.match(note, /## Notes\n\n> It/);
  assert.doesNotMatch(note, /(?<!\\)<script|(?<!\\)!\[|(?<!\\)\[\[secret|(?<!\\)`/);
  await assert.rejects(text(corpus, 'obsidian'), { code: 'USAGE_EXPORT' });
});

test('an RO-Crate describes every work, and has its lists, its graph and the papers that anyone may pass on', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'export-'));
  await someRun(folder.path);
  {
    using store = CorpusStore.create(folder.path);
    changeGraph(store, { add: [paper('10.1000/w1', 2024, { 'Corals bleach.': ['organism Corals'] })] });
  }
  await using corpus = await openCorpus(folder.path);
  const crate = join(folder.path, 'crate');
  mkdirSync(join(crate, 'papers'), { recursive: true });
  writeFileSync(join(crate, 'papers', 'of-an-earlier-export.pdf'), '');
  await text(corpus, 'ro-crate', { out: crate });
  const metadata = readFileSync(join(crate, 'ro-crate-metadata.json'), 'utf8');
  const files = globSync('**/*.*', { cwd: crate }).sort();
  assert.deepEqual(files, [
    'graph.ttl',
    'papers/W1.pdf',
    'prisma.json',
    'references.json',
    'ro-crate-metadata.json',
    'works.csv',
  ]);
  assert.deepEqual(await crateFaults(metadata, files), []);
  const all = (JSON.parse(metadata) as { '@graph': Record<string, unknown>[] })['@graph'];
  const typed = (type: string) => all.filter((each) => each['@type'] === type);
  assert.deepEqual(
    typed('ScholarlyArticle').map((each) => each['@id']),
    ['https://doi.org/10.1000/w1', 'https://doi.org/10.1000/w2', 'https://doi.org/10.1000/w4'],
  );
  const [file] = typed('File').filter((each) => each['@id'] === 'papers/W1.pdf');
  assert.deepEqual(file?.['license'], { '@id': 'https://creativecommons.org/licenses/by/4.0/' });
  // The check finds what is wrong with a crate.
  const changed = (id: string, more: object): string =>
    JSON.stringify({
      ...(JSON.parse(metadata) as object),
      '@graph': all.map((each) => (each['@id'] === id ? { ...each, ...more } : each)),
    });
  for (const [broken, fault] of [
    [changed('ro-crate-metadata.json', { conformsTo: undefined }), /does not name its version/],
    [changed('./', { license: undefined }), /the root has no license/],
    [changed('./', { datePublished: '2024' }), /datePublished to the day/],
    [changed('./', { hasPart: [] }), /not a part of the root: works\.csv/],
    [changed('./', { autor: 'Ana' }), /in the words of the context/],
    [changed('graph.ttl', { '@type': 'CreativeWork' }), /not described as a File or Dataset: graph\.ttl/],
    [changed('#export', { instrument: { '@id': '#none' } }), /refers to #none, not described/],
    [changed('#export', { instrument: { name: 'DocsToKG' } }), /not flat: #export/],
  ] as const)
    assert.match((await crateFaults(broken, files)).join('\n'), fault);
  assert.match((await crateFaults(metadata, [])).join('\n'), /not in the folder: papers\/W1\.pdf/);
});

test("one's own papers are packed into an RO-Crate as long as they are the files that were parsed", async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'export-'));
  const folder = join(root.path, 'run');
  const texts = join(folder, 'Data', 'DocTagsFiles');
  mkdirSync(texts, { recursive: true });
  {
    using records = Records.open(folder);
    // Two files have one name, each in its own folder; of the third others may do nothing, the fourth has changed.
    for (const [document, license, parsed] of [
      ['first', 'cc-by', '%PDF-first'],
      ['second', 'cc-by', '%PDF-second'],
      ['closed', 'publisher-specific', '%PDF-closed'],
      ['changed', 'cc-by', '%PDF-before'],
    ] as const) {
      const own = join(root.path, 'mine', document);
      mkdirSync(own, { recursive: true });
      writeFileSync(join(own, 'paper.pdf'), `%PDF-${document}`);
      const about = { source: join(own, 'paper.pdf'), source_kind: 'pdf', source_sha256: sha256(parsed) };
      writeFileSync(join(texts, `${document}.meta.json`), JSON.stringify(about));
      writeFileSync(join(texts, `${document}.jsonl`), '');
      const said = { ...emptyRecord(`paper:${document}`, {}), title: `The ${document} paper of ours`, license };
      records.fileOwn({ document, sha256: sha256(parsed), checked: false }, [said]);
    }
  }
  await using corpus = await openCorpus(folder);
  const crate = join(root.path, 'crate');
  await text(corpus, 'ro-crate', { out: crate });
  assert.deepEqual(globSync('papers/*', { cwd: crate }).sort(), ['papers/first.pdf', 'papers/second.pdf']);
  assert.equal(readFileSync(join(crate, 'papers', 'second.pdf'), 'utf8'), '%PDF-second');
  const metadata = readFileSync(join(crate, 'ro-crate-metadata.json'), 'utf8');
  assert.deepEqual(await crateFaults(metadata, globSync('**/*.*', { cwd: crate })), []);
  assert.match(metadata, /4 scholarly works, 2 of them with their papers/);
});

test('versions are listed with the reason for merging them, and can be split', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'export-'));
  await someRun(folder.path);
  await using corpus = await openCorpus(folder.path);
  assert.deepEqual(
    (await corpus.versions()).versions.map(({ work, of, reason, title }) => [work, of, reason, title]),
    [['W3', 'W1', 'title-authors-year', 'Heat and the reefs of the north']],
  );
  const [head = '', ...rows] = (await text(corpus, 'csv')).split('\n');
  const column = head.split(',').indexOf('other_version');
  assert.deepEqual(
    rows.filter((row) => row.split(',')[column] === 'yes').map((row) => row.split(',')[0]),
    ['W3'],
  );
  await corpus.versions({ apart: 'W3' });
  assert.equal((JSON.parse(await text(corpus, 'prisma')) as Account['prisma']).removed_before_screening.duplicates, 0);
  await assert.rejects(corpus.versions({ apart: 'W9' }), { code: 'USAGE_VERSION' });
  await using nothing = await openCorpus(join(folder.path, 'nothing'));
  await assert.rejects(text(nothing, 'csv'), { code: 'CORPUS_NO_WORKS' });
});
