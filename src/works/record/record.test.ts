import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import {
  cslItem,
  emptyRecord,
  mergeRecords,
  NO_IDS,
  noticesGiven,
  parseCrossrefRecord,
  parseOpenAlexRecord,
  parsePersonName,
  recordFromCsl,
  RecordStore,
  retractionOf,
  withProvenance,
} from '../index.ts';
import { plainText } from './plain-text.ts';

const AT = '2026-11-01T00:00:00.000Z';

const OPENALEX = {
  id: 'https://openalex.org/W123',
  doi: 'https://doi.org/10.1000/Reef',
  title: 'Heat and <i>Acropora</i> reefs',
  publication_year: 2024,
  publication_date: '2024-05-17',
  type: 'article',
  language: 'en',
  ids: { pmid: 'https://pubmed.ncbi.nlm.nih.gov/77' },
  open_access: { is_oa: true, oa_status: 'gold' },
  authorships: [
    {
      author: { display_name: 'Ana van der Berg', orcid: 'https://orcid.org/0000-0002-1825-009x' },
      institutions: [{ display_name: 'Reef Institute', ror: 'https://ror.org/04tnbqb63' }],
    },
    { author: { display_name: 'Liu Wei', orcid: null } },
  ],
  primary_location: { is_oa: true, landing_page_url: 'https://doi.org/10.1000/reef', license: 'cc-by', version: 'publishedVersion', source: { display_name: 'Journal of Reefs', issn: ['1234-5678'], host_organization_name: 'Sea Press' } },
  biblio: { volume: '12', issue: null, first_page: '3', last_page: '9' },
  abstract_inverted_index: { Heat: [0], kills: [1], 'reefs.': [2] },
  referenced_works: ['https://openalex.org/W9', 'nonsense'],
  topics: [{ id: 'https://openalex.org/T10878', display_name: 'Coral' }],
  keywords: [{ id: 'x', display_name: 'Bleaching' }],
  awards: [{ funder_display_name: 'Ocean Fund', funder_award_id: 'G-1' }],
  funders: [{ display_name: 'Ocean Fund', ror: 'https://ror.org/00' }],
  is_retracted: false,
}; // prettier-ignore

test('a record of OpenAlex is read with all that it takes to cite the work', () => {
  const record = parseOpenAlexRecord(OPENALEX, AT);
  assert.ok(record);
  const { title, date, venue, volume, pages, abstract, license, access, references, funders } = record;
  assert.deepEqual(
    { title, date, venue, volume, pages, abstract, license, access, references },
    {
      title: 'Heat and Acropora reefs',
      date: '2024-05-17',
      venue: 'Journal of Reefs',
      volume: '12',
      pages: '3-9',
      abstract: 'Heat kills reefs.',
      license: 'cc-by',
      access: 'gold',
      references: ['W9'],
    },
  );
  assert.deepEqual(funders, [{ name: 'Ocean Fund', ror: 'https://ror.org/00', awards: ['G-1'] }]);
  assert.equal(record.authors[0]?.orcid, '0000-0002-1825-009X');
  assert.deepEqual(
    record.sources.map(({ from, at }) => [from, at]),
    [['openalex', AT]],
  );
  assert.ok(record.sources[0]?.fields.includes('abstract'));
});

test('a field in a shape nobody expects costs no more than itself', () => {
  const record = parseOpenAlexRecord({ ...OPENALEX, biblio: 'none', keywords: [7], awards: {} }, AT);
  assert.equal(record?.volume, null);
  assert.deepEqual(record?.keywords, []);
  assert.equal(record?.title, 'Heat and Acropora reefs');
});

const CROSSREF = {
  DOI: '10.1000/REEF',
  type: 'journal-article',
  title: ['Heat and reefs'],
  author: [
    { given: 'Ana', family: 'van der Berg', affiliation: [] },
    { given: 'Wei', family: 'Liu' },
  ],
  issued: { 'date-parts': [[2024, 5]] },
  'container-title': ['J. Reefs &amp; Seas'],
  issue: '4',
  page: '3-9',
  abstract: '<jats:title>Abstract</jats:title><jats:p>Heat <jats:italic>kills</jats:italic>, p < .05.</jats:p>',
  'updated-by': [
    { DOI: '10.1000/notice', type: 'retraction', source: 'publisher', updated: { 'date-parts': [[2025, 2, 3]] } },
    { DOI: '10.1000/erratum', type: 'correction', source: 'retraction-watch' },
  ],
  relation: { 'has-preprint': [{ 'id-type': 'doi', id: '10.1101/2024.01.01.1' }], 'is-cited-by': [] },
};

test('Crossref adds what OpenAlex lacks, and takes nothing away', () => {
  const [openalex, crossref] = [parseOpenAlexRecord(OPENALEX, AT), parseCrossrefRecord(CROSSREF, AT)];
  assert.ok(openalex && crossref);
  assert.equal(crossref.abstract, 'Heat kills, p < .05.');
  assert.equal(crossref.date, '2024-05');
  const both = mergeRecords(openalex, crossref);
  assert.equal(both.venue, 'Journal of Reefs');
  assert.equal(both.issue, '4');
  assert.equal(both.date, '2024-05-17');
  // Crossref says which part is the family name; OpenAlex who they are.
  assert.deepEqual(
    both.authors.map(({ family, given, orcid }) => [family, given, orcid]),
    [
      ['van der Berg', 'Ana', '0000-0002-1825-009X'],
      ['Liu', 'Wei', null],
    ],
  );
  assert.deepEqual(both.relations, [{ kind: 'has-preprint', doi: '10.1101/2024.01.01.1' }]);
  assert.deepEqual(
    both.sources.map(({ from }) => from),
    ['openalex', 'crossref'],
  );
  assert.ok(both.sources[1]?.fields.includes('issue') && !both.sources[1].fields.includes('venue'));
});

test('only a retraction takes a work back, and a reinstatement puts it back in force', () => {
  const record = parseCrossrefRecord(CROSSREF, AT);
  assert.ok(record);
  assert.equal(retractionOf(record)?.doi, '10.1000/notice');
  const corrected = { notices: record.notices.filter(({ kind }) => kind === 'correction') };
  assert.equal(retractionOf(corrected), undefined);
  const reinstated = [
    ...record.notices,
    { kind: 'reinstatement' as const, doi: '10.1000/back', date: '2025-06-01', source: 'publisher' },
  ];
  assert.equal(retractionOf({ notices: reinstated }), undefined);
  assert.equal(retractionOf({ notices: reinstated.toReversed() }), undefined);
});

test('a notice names the works that it is about', () => {
  const notice = { DOI: '10.1000/notice', 'update-to': [{ DOI: '10.1000/REEF', type: 'Expression of Concern' }] };
  assert.deepEqual(noticesGiven(notice), [
    {
      doi: '10.1000/reef',
      notice: { kind: 'expression-of-concern', doi: '10.1000/notice', date: null, source: 'publisher' },
    },
  ]);
});

test('names are taken apart as bibliographies do, and groups stay whole', () => {
  const parts = (name: string): (string | null)[] => {
    const { family, given } = parsePersonName(name);
    return [family, given];
  };
  assert.deepEqual(parts('Ana Maria van der Berg'), ['van der Berg', 'Ana Maria']);
  assert.deepEqual(parts('Berg, Ana'), ['Berg', 'Ana']);
  assert.deepEqual(parts('Martin Luther King Jr.'), ['King Jr.', 'Martin Luther']);
  assert.deepEqual(parts('De Wit'), ['Wit', 'De']);
  assert.deepEqual(parts('The ATLAS Collaboration'), [null, null]);
  assert.deepEqual(parts('王伟'), [null, null]);
  assert.deepEqual(parts('Plato'), [null, null]);
});

test('tags leave a text, and brackets that are none stay', () => {
  assert.equal(plainText('H<sub>2</sub>O &amp; <b>ice</b> at p < .05 and q > 1'), 'H2O & ice at p < .05 and q > 1');
  assert.equal(plainText('  '), null);
  assert.equal(plainText('<a<b<c'), '<a<b<c');
});

test('a record becomes an item of CSL-JSON and comes back', () => {
  const [openalex, crossref] = [parseOpenAlexRecord(OPENALEX, AT), parseCrossrefRecord(CROSSREF, AT)];
  assert.ok(openalex && crossref);
  const record = mergeRecords(openalex, crossref);
  const item = cslItem(record);
  assert.equal(item.type, 'article-journal');
  assert.deepEqual(item['issued'], { 'date-parts': [[2024, 5, 17]] });
  assert.deepEqual(item['author'], [
    { family: 'van der Berg', given: 'Ana' },
    { family: 'Liu', given: 'Wei' },
  ]);
  const back = recordFromCsl(item, 'W123');
  for (const field of ['title', 'date', 'venue', 'volume', 'issue', 'pages', 'abstract', 'language', 'type'] as const)
    assert.equal(back[field], record[field], field);
  assert.equal(back.ids.doi, '10.1000/reef');
  assert.equal(back.ids.pmid, '77');
});

test('the store keeps what a source once said when it says nothing later', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'records-'));
  const path = join(folder.path, 'manifest.sqlite3');
  const record = parseOpenAlexRecord(OPENALEX, AT);
  assert.ok(record);
  {
    using store = new RecordStore(path);
    store.add([record]);
    store.add([
      withProvenance({ ...emptyRecord('W123'), title: 'A new title' }, 'openalex', '2026-12-01T00:00:00.000Z'),
    ]);
  }
  using store = new RecordStore(path);
  assert.equal(store.size, 1);
  const kept = store.get('W123');
  assert.equal(kept?.title, 'A new title');
  assert.equal(kept?.abstract, 'Heat kills reefs.');
  assert.equal(store.get('doi:10.1000/REEF')?.id, 'W123');
  assert.deepEqual(
    [...store.all()].map(({ id }) => id),
    ['W123'],
  );
});

test('a record is found by every id it has, and what is known by DOI becomes the record of its OpenAlex work', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'records-'));
  using store = new RecordStore(join(folder.path, 'manifest.sqlite3'));
  const [openalex, crossref] = [parseOpenAlexRecord(OPENALEX, AT), parseCrossrefRecord(CROSSREF, AT)];
  assert.ok(openalex && crossref);
  store.add([crossref]);
  store.add([openalex]);
  store.add([crossref]);
  assert.equal(store.size, 1);
  assert.equal(store.get('pmid:77')?.id, 'W123');
  assert.equal(store.get('doi:10.1000/reef')?.issue, '4');
  store.link([{ document: 'doi_10.1000_reef-abc', work: 'doi:10.1000/reef' }]);
  assert.equal(store.ofDocument('doi_10.1000_reef-abc')?.id, 'W123');
  assert.equal(store.ofDocument('W123')?.id, 'W123');
  assert.equal(store.ofDocument('W7'), undefined);
  // OpenAlex may know one DOI twice: those stay two.
  store.add([{ ...openalex, id: 'W124', ids: { ...openalex.ids, openalex: 'W124' } }]);
  assert.equal(store.size, 2);
  const { changes } = store;
  store.add([openalex]);
  assert.equal(store.changes, changes);
});

test('a work that was first known by its DOI is one record, whatever is said of it in which order', () => {
  using store = new RecordStore(':memory:');
  const doi = { ...NO_IDS, doi: '10.5555/x' };
  const openalex = { ...doi, openalex: 'W9' };
  store.add([{ ...emptyRecord('doi:10.5555/x', doi), volume: '1' }]);
  // Somebody who knows it by its DOI has heard what OpenAlex calls it.
  store.add([{ ...emptyRecord('doi:10.5555/x', openalex), issue: '2' }]);
  store.add([{ ...emptyRecord('W9', openalex), title: 'Reefs' }]);
  assert.deepEqual(
    [...store.all()].map(({ id, volume, issue, title }) => [id, volume, issue, title]),
    [['W9', '1', '2', 'Reefs']],
  );
  store.add([emptyRecord('W10', { ...doi, openalex: 'W10' })]);
  assert.equal(store.size, 2, 'two works of OpenAlex with one DOI stay two');
  // A paper of one's own that turns out to be it is filed there, and what was known of the paper alone is gone.
  const paper = { document: 'mine', sha256: 'a' };
  store.fileOwn({ ...paper, checked: false }, [{ ...emptyRecord('paper:mine'), title: 'Reefs' }]);
  assert.equal(store.size, 3);
  assert.equal(
    store.fileOwn({ ...paper, checked: true }, [emptyRecord('paper:mine'), emptyRecord('W9', openalex)]),
    'W9',
  );
  assert.deepEqual([store.size, store.ofDocument('mine')?.id], [2, 'W9']);
});
