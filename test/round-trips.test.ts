import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import type { WorkRecord } from '../src/works/index.ts';
import { bibtexEntry, citationKey, cslItem, emptyRecord, parseWorks, risEntry } from '../src/works/index.ts';

// Other tools read our output, and we read theirs. Tests of tools that are not installed are skipped.

const author = (family: string, given: string) => ({
  name: `${given} ${family}`,
  family,
  given,
  orcid: null,
  institutions: [],
});

const RECORDS: readonly WorkRecord[] = [
  {
    ...emptyRecord('W1', { openalex: 'W1', doi: '10.1000/reef_(a)', pmid: '123456' }),
    title: 'Heat & the reefs of 100% of_the Pacific: $5 each',
    authors: [author('van der Berg', 'Ana-Maria'), author('Müller', 'Jörg')],
    date: '2024-05-17',
    venue: 'Journal of Reefs & Seas',
    volume: '12',
    issue: '4',
    pages: '3-9',
    type: 'article',
    language: 'en',
    abstract: 'It was hot: 35 °C ± 2.',
  },
  {
    ...emptyRecord('W2', { openalex: 'W2', doi: '10.1000/b' }),
    title: 'Рифы и тепло',
    authors: [author('Иванов', 'Иван')],
    date: '2020',
    venue: 'Журнал рифов',
    type: 'article',
  },
];

/** Names, characters and work types that break an entry if they are not escaped. */
const ODD: readonly WorkRecord[] = [
  'article',
  'preprint',
  'book',
  'book-chapter',
  'dissertation',
  'report',
  'dataset',
  'conference-paper',
  'peer-review',
].map((type, at) => ({
  ...emptyRecord(`W${at + 10}`, { openalex: `W${at + 10}`, doi: `10.1000/odd_${at}<x>;2-#` }),
  type,
  title: `${at} {odd} } and { \\ "quotes", ~ ^ # $ % & _ @article{x, = ‘ß’ Ünïcödé 漢字 𝒳`,
  authors: [
    author('van der Berg', 'Ana-Maria'),
    author('O’Neill and Sons', 'J. and K.'),
    { ...author('', ''), name: 'The {ATLAS} Collaboration and Friends, Inc.', family: null, given: null },
    { ...author('', ''), name: '李小龙' },
    author('Müller-Łódź', 'Jörg "Jo"'),
    { ...author('', ''), name: 'Plato', family: null, given: null },
  ],
  date: at % 2 === 0 ? '2024-05-17' : '2020',
  venue: 'Journal of {Odd} & Things',
  publisher: 'Barnes & Sons',
  pages: '3–9',
  abstract: 'We \\emph{x} 50% @comment{hm} "a" } {',
  keywords: ['a & b', 'c'],
}));

/** The fields that must survive a round trip. */
interface Fields {
  readonly title: string;
  readonly families: readonly string[];
  readonly year: string;
  readonly venue: string;
  readonly doi: string;
}

const wanted = RECORDS.map((record) => ({
  title: record.title ?? '',
  families: record.authors.map(({ family }) => family ?? ''),
  year: record.date?.slice(0, 4) ?? '',
  venue: record.venue ?? '',
  doi: record.ids.doi ?? '',
}));

/** An item of CSL-JSON written by another tool. */
interface Item {
  readonly title: string;
  readonly author: readonly Readonly<Record<string, string>>[];
  readonly issued: { readonly 'date-parts': readonly (readonly (number | string)[])[] };
  readonly 'container-title': string;
  readonly DOI: string;
}

function fieldsOfCsl(text: string): Fields[] {
  return (JSON.parse(text) as readonly Item[]).map((item) => ({
    title: plain(item.title),
    families: item.author.map((one) =>
      [one['dropping-particle'], one['non-dropping-particle'], one['family']].filter(Boolean).join(' '),
    ),
    year: String(item.issued['date-parts'][0]?.[0]),
    venue: plain(item['container-title']),
    doi: item.DOI,
  }));
}

/** Removes markup that protects capitals. */
function plain(text: string): string {
  return text.replaceAll(/<\/?span[^>]*>/g, '');
}

async function fieldsWeRead(text: string, format: 'bibtex' | 'ris' | 'csl'): Promise<Fields[]> {
  const found: Fields[] = [];
  for await (const listed of parseWorks(bytesOf(text), format)) {
    assert.equal(listed.kind, 'work', JSON.stringify(listed));
    if (listed.kind !== 'work') continue;
    const { record } = listed;
    assert.ok(record);
    found.push({
      title: record.title ?? '',
      families: record.authors.map(({ family, name }) => family ?? name),
      year: record.date?.slice(0, 4) ?? '',
      venue: record.venue ?? '',
      doi: record.ids.doi ?? '',
    });
  }
  return found;
}

const bibtex = (records = RECORDS): string => {
  const taken = new Map<string, number>();
  return records.map((record) => bibtexEntry(record, citationKey(record, taken))).join('\n');
};
const csl = (): string => JSON.stringify(RECORDS.map((record) => cslItem(record)));
const ris = (): string => RECORDS.map((record) => risEntry(record)).join('\n');

test('BibTeX, RIS and CSL-JSON round-trip', async () => {
  assert.deepEqual(await fieldsWeRead(bibtex(), 'bibtex'), wanted);
  assert.deepEqual(await fieldsWeRead(ris(), 'ris'), wanted);
  assert.deepEqual(await fieldsWeRead(csl(), 'csl'), wanted);
});

test('a work with only an OpenAlex id round-trips in BibTeX, RIS and CSL-JSON', async () => {
  const record = { ...emptyRecord('W77', { openalex: 'W77' }), title: 'Reefs', date: '2020' };
  const written = { bibtex: bibtex([record]), ris: risEntry(record), csl: JSON.stringify([cslItem(record)]) };
  for (const [format, text] of Object.entries(written)) {
    const [read] = await Array.fromAsync(parseWorks(bytesOf(text), format as 'bibtex' | 'ris' | 'csl'));
    assert.equal(read?.kind === 'work' ? read.work.id : read?.kind, 'W77', format);
  }
});

test('unusual names, characters and work types survive BibTeX and RIS', async () => {
  const families = ['van der Berg', 'O’Neill and Sons', 'The {ATLAS} Collaboration and Friends, Inc.', '李小龙'];
  for (const [format, text] of [
    ['bibtex', bibtex(ODD)],
    ['ris', ODD.map((record) => risEntry(record)).join('\n')],
  ] as const) {
    const read = await Array.fromAsync(parseWorks(bytesOf(text), format));
    const records = read.map((listed) => (listed.kind === 'work' ? listed.record : undefined));
    for (const [at, wrote] of ODD.entries()) {
      const got = records[at];
      assert.ok(got, format);
      assert.equal(got.title, wrote.title);
      assert.equal(got.ids.doi, wrote.ids.doi);
      const names = got.authors.map(({ family, name }) => family ?? name);
      if (format === 'bibtex') assert.deepEqual(names.slice(0, 4), families);
      assert.equal(names.length, 6, names.join(' | '));
      assert.equal(got.publisher, wrote.publisher);
      const kinds = ['article', 'preprint', 'dataset', 'peer-review'];
      if (!kinds.includes(wrote.type ?? '')) assert.equal(got.type, wrote.type);
    }
  }
});

test('BibTeX abbreviations are expanded', async () => {
  const text = '@string{jr = "Journal of Reefs"}\n@article{a, doi = {10.1000/a}, journal = jr # { B}, title = {Heat}}';
  const [listed] = await Array.fromAsync(parseWorks(bytesOf(text), 'bibtex'));
  assert.equal(listed?.kind === 'work' && listed.record?.venue, 'Journal of Reefs B');
});

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function pandoc(from: string, to: string, text: string): string {
  const { status, stdout, stderr } = spawnSync('pandoc', ['-f', from, '-t', to], { input: text, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout;
}

const skip = skipWithout('pandoc');
const version =
  skip === false ? /pandoc (\d+)/.exec(spawnSync('pandoc', ['--version'], { encoding: 'utf8' }).stdout)?.[1] : '';

test('pandoc reads our BibTeX and CSL-JSON, and we read its output', { skip }, async () => {
  assert.deepEqual(fieldsOfCsl(pandoc('bibtex', 'csljson', bibtex())), wanted);
  assert.deepEqual(fieldsOfCsl(pandoc('csljson', 'csljson', csl())), wanted);
  // pandoc capitalises titles in BibTeX.
  const small = (works: readonly Fields[]): Fields[] =>
    works.map((work) => ({ ...work, title: work.title.toLowerCase() }));
  assert.deepEqual(small(await fieldsWeRead(pandoc('csljson', 'biblatex', csl()), 'bibtex')), small(wanted));
  assert.deepEqual(await fieldsWeRead(pandoc('bibtex', 'csljson', bibtex()), 'csl'), wanted);
});

test('pandoc reads our RIS', { skip: skip || (Number(version) < 3 ? 'pandoc before 3.0 reads no RIS' : false) }, () => {
  assert.deepEqual(fieldsOfCsl(pandoc('ris', 'csljson', ris())), wanted);
});

const noBiber = skipWithout('biber');

test('biber reads our BibTeX without a warning, and we read its output', { skip: noBiber }, async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-biber-'));
  const [given, made] = [join(scratch.path, 'odd.bib'), join(scratch.path, 'made.bib')];
  writeFileSync(given, bibtex([...RECORDS, ...ODD]));
  const run = spawnSync('biber', ['--tool', '--output-file', made, given], { cwd: scratch.path, encoding: 'utf8' });
  assert.equal(run.status, 0, run.stdout);
  assert.doesNotMatch(run.stdout, /WARN|ERROR/);
  const read = await fieldsWeRead(readFileSync(made, 'utf8'), 'bibtex');
  assert.deepEqual(
    new Set(read.map(({ title, families, doi }) => `${doi} ${families.length} ${title}`)),
    new Set([...RECORDS, ...ODD].map(({ title, authors, ids }) => `${ids.doi} ${authors.length} ${title}`)),
  );
});

/** Python, if it has bibtexparser. */
const python = [findProgram('python3') ?? ''].find(
  (path) => path !== '' && spawnSync(path, ['-c', 'import bibtexparser']).status === 0,
);
const NAMES = `
import json, sys, bibtexparser
from bibtexparser.bparser import BibTexParser
from bibtexparser.customization import author
data = bibtexparser.loads(sys.stdin.read(), parser=BibTexParser(ignore_nonstandard_types=False, common_strings=True))
print(json.dumps([{'type': e['ENTRYTYPE'], 'doi': e['doi'], 'authors': len(author(dict(e))['author'])} for e in data.entries]))
assert not data.comments, data.comments
`;
import { findProgram, skipWithout } from './support/programs.ts';

test(
  'bibtexparser reads every entry of our BibTeX',
  { skip: python === undefined && 'python3-bibtexparser is not installed' },
  () => {
    const run = spawnSync(python ?? '', ['-c', NAMES], { input: bibtex([...RECORDS, ...ODD]), encoding: 'utf8' });
    assert.equal(run.status, 0, run.stderr);
    const read = JSON.parse(run.stdout) as readonly { readonly type: string; readonly doi: string }[];
    assert.deepEqual(
      read.map(({ doi }) => doi),
      [...RECORDS, ...ODD].map(({ ids }) => ids.doi),
    );
    assert.deepEqual([...new Set(read.map(({ type }) => type))].toSorted(), [
      'article',
      'book',
      'incollection',
      'inproceedings',
      'misc',
      'phdthesis',
      'techreport',
    ]);
  },
);
