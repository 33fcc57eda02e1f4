import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { Records } from '../../database/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import { emptyRecord } from '../../works/index.ts';
import { CorpusWorks } from '../corpus-works.ts';
import { citedHit, searchFilter } from './search-session.ts';
import type { PassageFilter } from './search-session.ts';

const author = { name: 'José Núñez', family: null, given: null, orcid: '0000-0002-1825-0097', institutions: [] };
const RECORDS: Readonly<Record<string, WorkRecord>> = {
  a: {
    ...emptyRecord('a'),
    date: '2019-03',
    authors: [author],
    venue: 'Journal of Reefs',
    type: 'article',
    license: 'cc-by',
  },
  b: {
    ...emptyRecord('b'),
    date: '2023',
    venue: 'bioRxiv',
    type: 'preprint',
    notices: [{ kind: 'retraction', doi: '10.1/n', date: '2024', source: 'publisher' }],
  },
};

const folder = mkdtempSync(join(tmpdir(), 'filter-'));
{
  using records = Records.open(folder);
  records.add(Object.values(RECORDS));
}
const works = new CorpusWorks({ folder });
after(() => works[Symbol.dispose]());

const NOTHING = { versions: new Set<string>(), excluded: new Set<string>() };

function accepted(filter: PassageFilter, leftOut: Partial<typeof NOTHING> = {}): string[] {
  const { documents } = searchFilter(filter, works, { ...NOTHING, ...leftOut });
  return ['a', 'b', 'unknown'].filter((id) => documents?.accepts(id) ?? true);
}

test('works are filtered by year, author, venue, type, licence and retraction', () => {
  assert.deepEqual(accepted({}), ['a', 'b', 'unknown']);
  assert.deepEqual(accepted({ year: '2019' }), ['a']);
  assert.deepEqual(accepted({ year: '2020-' }), ['b']);
  assert.deepEqual(accepted({ year: '-2022' }), ['a']);
  assert.deepEqual(accepted({ author: 'nunez' }), ['a']);
  assert.deepEqual(accepted({ author: 'https://orcid.org/0000-0002-1825-0097' }), ['a']);
  assert.deepEqual(accepted({ venue: 'reefs' }), ['a']);
  assert.deepEqual(accepted({ type: 'preprint,review' }), ['b']);
  assert.deepEqual(accepted({ license: 'CC BY' }), ['a']);
  assert.deepEqual(accepted({ excludeRetracted: true }), ['a', 'unknown']);
});

test('another version is never searched, a work that was screened out only if works are chosen', () => {
  const a = new Set(['a']);
  assert.deepEqual(accepted({}, { versions: a }), ['b', 'unknown']);
  assert.deepEqual(accepted({ works: new Set(['a', 'b']) }, { versions: a }), ['b']);
  assert.deepEqual(accepted({}, { excluded: a }), ['b', 'unknown']);
  assert.deepEqual(accepted({ year: '2019' }, { excluded: a }), []);
  assert.deepEqual(accepted({ works: new Set(['a']) }, { excluded: a }), ['a']);
});

test('invalid filters are refused', () => {
  assert.throws(() => searchFilter({ year: 'soon' }, works, NOTHING), { code: 'USAGE_FILTER' });
  assert.throws(() => searchFilter({ section: 'poetry' }, works, NOTHING), { code: 'USAGE_FILTER' });
  assert.deepEqual(searchFilter({ section: 'method, reference' }, works, NOTHING).sections, ['methods', 'references']);
});

test('a hit links to its page and shows the retraction of its work', () => {
  const passage = {
    id: 'p',
    document: 'b',
    title: 't',
    headings: [],
    section: 'body' as const,
    page: 7,
    boxes: [],
    hasTable: false,
    hasFigure: false,
    text: 'x',
    file: undefined,
  };
  const hit = citedHit({ rank: 1, score: 1, fit: 1, by: 'words', passage }, RECORDS['b'], 'PDF/b.pdf');
  assert.equal(hit.link, 'PDF/b.pdf#page=7');
  assert.equal(hit.work?.retraction?.doi, '10.1/n');
  assert.match(hit.work?.bibtex ?? '', /^@misc\{anon2023,/);
  assert.equal(citedHit({ rank: 1, score: 1, fit: 1, by: 'words', passage }, undefined, 'XML/b.xml').link, 'XML/b.xml');
});
