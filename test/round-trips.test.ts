import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

import type { WorkRecord } from '../src/works/index.ts';
import { bibtexEntry, citationKey, cslItem, emptyRecord, parseWorks, risEntry } from '../src/works/index.ts';

// Other tools read what we write, and we read what they write. Tools that are not installed are told by the skipped tests.

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

/** What is to survive a journey, whatever the tools call it. */
interface Told {
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

/** An item of CSL-JSON as another tool writes it. */
interface Item {
  readonly title: string;
  readonly author: readonly Readonly<Record<string, string>>[];
  readonly issued: { readonly 'date-parts': readonly (readonly (number | string)[])[] };
  readonly 'container-title': string;
  readonly DOI: string;
}

function toldByCsl(text: string): Told[] {
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

/** Markup with which a tool keeps capitals. */
function plain(text: string): string {
  return text.replaceAll(/<\/?span[^>]*>/g, '');
}

async function toldByUs(text: string, format: 'bibtex' | 'ris' | 'csl'): Promise<Told[]> {
  const found: Told[] = [];
  const bytes = (async function* () {
    yield Buffer.from(text);
  })();
  for await (const listed of parseWorks(bytes, format)) {
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

const bibtex = (): string => {
  const taken = new Set<string>();
  return RECORDS.map((record) => bibtexEntry(record, citationKey(record, taken))).join('\n');
};
const csl = (): string => JSON.stringify(RECORDS.map((record) => cslItem(record)));
const ris = (): string => RECORDS.map((record) => risEntry(record)).join('\n');

test('what we write as BibTeX, RIS and CSL-JSON we read again', async () => {
  assert.deepEqual(await toldByUs(bibtex(), 'bibtex'), wanted);
  assert.deepEqual(await toldByUs(ris(), 'ris'), wanted);
  assert.deepEqual(await toldByUs(csl(), 'csl'), wanted);
});

function pandoc(from: string, to: string, text: string): string {
  const { status, stdout, stderr } = spawnSync('pandoc', ['-f', from, '-t', to], { input: text, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout;
}

const version = /pandoc (\d+)/.exec(spawnSync('pandoc', ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1];
const skip = version === undefined ? 'pandoc is not installed' : false;

test('pandoc reads our BibTeX and CSL-JSON, and we read what it makes of them', { skip }, async () => {
  assert.deepEqual(toldByCsl(pandoc('bibtex', 'csljson', bibtex())), wanted);
  assert.deepEqual(toldByCsl(pandoc('csljson', 'csljson', csl())), wanted);
  // It writes titles in BibTeX with capitals, as BibTeX expects them.
  const small = (works: readonly Told[]): Told[] => works.map((work) => ({ ...work, title: work.title.toLowerCase() }));
  assert.deepEqual(small(await toldByUs(pandoc('csljson', 'biblatex', csl()), 'bibtex')), small(wanted));
  assert.deepEqual(await toldByUs(pandoc('bibtex', 'csljson', bibtex()), 'csl'), wanted);
});

test('pandoc reads our RIS', { skip: skip || (Number(version) < 3 ? 'pandoc before 3.0 reads no RIS' : false) }, () => {
  assert.deepEqual(toldByCsl(pandoc('ris', 'csljson', ris())), wanted);
});
