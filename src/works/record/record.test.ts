import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  cslItem,
  mergeRecords,
  noticesGiven,
  parseCrossrefRecord,
  parseOpenAlexRecord,
  parsePersonName,
  retractionOf,
} from '../index.ts';
import type { Author, Notice, NoticeKind } from './record.ts';
import { emptyRecord, plainText, withProvenance } from './record.ts';

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
  primary_location: {
    is_oa: true,
    landing_page_url: 'https://doi.org/10.1000/reef',
    license: 'cc-by',
    version: 'publishedVersion',
    source: { display_name: 'Journal of Reefs', issn: ['1234-5678'], host_organization_name: 'Sea Press' },
  },
  biblio: { volume: '12', issue: null, first_page: '3', last_page: '9' },
  abstract_inverted_index: { Heat: [0], kills: [1], 'reefs.': [2] },
  referenced_works: ['https://openalex.org/W9', 'nonsense'],
  topics: [{ id: 'https://openalex.org/T10878', display_name: 'Coral' }],
  keywords: [{ id: 'x', display_name: 'Bleaching' }],
  awards: [{ funder_display_name: 'Ocean Fund', funder_award_id: 'G-1' }],
  funders: [{ display_name: 'Ocean Fund', ror: 'https://ror.org/00' }],
  is_retracted: false,
};

test('an OpenAlex record is read with everything needed to cite the work', () => {
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

test('a field of unexpected shape affects only itself', () => {
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

test('Crossref adds what OpenAlex lacks, and removes nothing', () => {
  const [openalex, crossref] = [parseOpenAlexRecord(OPENALEX, AT), parseCrossrefRecord(CROSSREF, AT)];
  assert.ok(openalex && crossref);
  assert.equal(crossref.abstract, 'Heat kills, p < .05.');
  assert.equal(crossref.date, '2024-05');
  const both = mergeRecords(openalex, crossref);
  assert.equal(both.venue, 'Journal of Reefs');
  assert.equal(both.issue, '4');
  assert.equal(both.date, '2024-05-17');
  // Crossref knows which part is the family name; OpenAlex knows the person.
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

test('terms for text mining are not the licence of the article', () => {
  const tdm = { URL: 'https://creativecommons.org/licenses/by-nc-nd/4.0/', 'content-version': 'tdm' };
  const article = { URL: 'https://creativecommons.org/licenses/by/4.0/', 'content-version': 'vor' };
  assert.equal(parseCrossrefRecord({ ...CROSSREF, license: [tdm] }, AT)?.license, null);
  assert.equal(parseCrossrefRecord({ ...CROSSREF, license: [tdm, article] }, AT)?.license, 'cc-by');
});

test('a list wins over the paper itself, and authors are merged one by one', () => {
  const recordFrom = (from: 'list' | 'document', authors: readonly Author[]) =>
    withProvenance({ ...emptyRecord('doi:10.1000/reef'), title: `By the ${from}`, authors }, from, AT);
  const author = (name: string, orcid: string | null): Author => ({
    name,
    family: null,
    given: null,
    orcid,
    institutions: [],
  });
  const orcidsOf = (list: readonly Author[], paper: readonly Author[]): (string | null)[] => {
    const both = [recordFrom('list', list), recordFrom('document', paper)] as const;
    const merged = mergeRecords(...both);
    assert.equal(merged.title, 'By the list');
    assert.equal(mergeRecords(both[1], both[0]).title, 'By the list');
    return merged.authors.map(({ orcid }) => orcid);
  };
  assert.deepEqual(orcidsOf([author('Ana Berg', null)], [author('A. Berg', '1')]), ['1']);
  assert.deepEqual(orcidsOf([author('Ana Berg', null)], [author('A. Berg', '1'), author('Li Wu', '2')]), [null]);
  assert.deepEqual(orcidsOf([author('Ana Berg', null)], [author('Li Wu', '2')]), [null]);
  const withPlace = { ...author('A. Berg', '1'), institutions: [{ name: 'Reef Institute', ror: null }] };
  const namesake = mergeRecords(recordFrom('list', [author('Ana Berg', '3')]), recordFrom('document', [withPlace]));
  assert.deepEqual(namesake.authors, [author('Ana Berg', '3')], 'another ORCID is another person');
});

test('only a retraction retracts a work, and a reinstatement restores it', () => {
  const record = parseCrossrefRecord(CROSSREF, AT);
  assert.ok(record);
  assert.equal(retractionOf(record)?.doi, '10.1000/notice');
  const corrected = { notices: record.notices.filter(({ kind }) => kind === 'correction') };
  assert.equal(retractionOf(corrected), undefined);
  const partly = parseCrossrefRecord(
    { ...CROSSREF, 'updated-by': [{ DOI: '10.1/p', type: 'partial_retraction' }] },
    AT,
  );
  assert.deepEqual(
    partly?.notices.map(({ kind }) => kind),
    ['partial-retraction'],
  );
  assert.equal(retractionOf(partly), undefined);
  const reinstated = [
    ...record.notices,
    { kind: 'reinstatement' as const, doi: '10.1000/back', date: '2025-06-01', source: 'publisher' },
  ];
  assert.equal(retractionOf({ notices: reinstated }), undefined);
  assert.equal(retractionOf({ notices: reinstated.toReversed() }), undefined);
  // A notice without a date undoes none with a date.
  const notice = (kind: NoticeKind, date: string | null): Notice => ({ kind, doi: null, date, source: 'publisher' });
  const undated = [notice('reinstatement', '2020'), notice('retraction', null)];
  assert.equal(retractionOf({ notices: undated }), undefined);
  assert.ok(retractionOf({ notices: [notice('retraction', '2020'), notice('reinstatement', null)] }));
});

test('a notice names the works it is about', () => {
  const notice = { DOI: '10.1000/notice', 'update-to': [{ DOI: '10.1000/REEF', type: 'Expression of Concern' }] };
  assert.deepEqual(noticesGiven(notice), [
    {
      doi: '10.1000/reef',
      notice: { kind: 'expression-of-concern', doi: '10.1000/notice', date: null, source: 'publisher' },
    },
  ]);
});

test('names are split as in bibliographies, and groups stay whole', () => {
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

test('tags are removed from a text, and other brackets stay', () => {
  assert.equal(plainText('H<sub>2</sub>O &amp; <b>ice</b> at p < .05 and q > 1'), 'H2O & ice at p < .05 and q > 1');
  assert.equal(plainText('  '), null);
  assert.equal(plainText('<a<b<c'), '<a<b<c');
});

test('a record is written as CSL-JSON', () => {
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
});
