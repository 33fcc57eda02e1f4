import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import type { WorkRecord } from '../index.ts';
import {
  apaCitation,
  bestFirst,
  bibtexEntry,
  citationKey,
  cslItem,
  emptyRecord,
  readRetractionWatch,
  risEntry,
} from '../index.ts';
import { findVersions } from './versions.ts';

function record(
  id: string,
  more: Partial<Omit<WorkRecord, 'ids'>> & { doi?: string; arxiv?: string } = {},
): WorkRecord {
  const { doi, arxiv, ...rest } = more;
  const author = (name: string) => ({ name, family: null, given: null, orcid: null, institutions: [] });
  return {
    ...emptyRecord(id, {
      ...(doi !== undefined && { doi }),
      ...(arxiv !== undefined && { arxiv: { id: arxiv, version: null } }),
    }),
    title: 'Heat & the {reefs} of 100% of_the Pacific',
    authors: ['Ana-Maria van der Berg', 'Liu Wei', 'The ATLAS Collaboration'].map(author),
    date: '2024-05-17',
    venue: 'Journal of Reefs',
    volume: '12',
    issue: '4',
    pages: '3-9',
    type: 'article',
    ...rest,
  };
}

test('duplicate keys are numbered without trying all used numbers', () => {
  let lookups = 0;
  class Counting extends Map<string, number> {
    override has(key: string): boolean {
      lookups += 1;
      return super.has(key);
    }
  }
  const taken = new Counting();
  const keys = Array.from({ length: 2_000 }, () => citationKey(record('W1'), taken));
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(lookups < 50 * keys.length, `${lookups} lookups`);
});

test('up to twenty authors are all named; of more, the first nineteen and the last', () => {
  const [one] = record('W1').authors;
  assert.ok(one);
  const cited = (count: number): string =>
    apaCitation(record('W1', { authors: Array.from({ length: count }, (_, at) => ({ ...one, name: `Ana B${at}` })) }));
  assert.ok(cited(20).startsWith('B0, A., ') && cited(20).includes('B18, A., & B19, A. ('), cited(20));
  assert.ok(cited(21).includes('B18, A., … B20, A. (') && !cited(21).includes('B19'), cited(21));
});

test('the best version of a work has an id, was not retracted, has a file, and is published', () => {
  const notice = { kind: 'retraction', doi: null, date: null, source: 'crossref' } as const;
  const versions = [
    record('entry:list.bib#1', { version: 'publishedVersion', date: '2022' }),
    record('retracted', { version: 'publishedVersion', notices: [notice] }),
    record('unknown'),
    record('preprint', { type: 'preprint', version: 'publishedVersion' }),
    record('accepted', { version: 'acceptedVersion' }),
    record('published', { version: 'publishedVersion', date: '2020' }),
    record('published later', { version: 'publishedVersion', date: '2021-02' }),
  ];
  const ordered = (...saved: string[]): string[] => bestFirst(versions, (id) => saved.includes(id)).map(({ id }) => id);
  assert.deepEqual(ordered(), [
    'published later',
    'published',
    'accepted',
    'unknown',
    'preprint',
    'retracted',
    'entry:list.bib#1',
  ]);
  assert.deepEqual(ordered('preprint', 'retracted').slice(0, 2), ['preprint', 'published later']);
});

test('a Retraction Watch row without DOI and PMID belongs to no work', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-watch-'));
  const path = join(folder.path, 'retraction_watch.csv');
  const rows = ['unavailable,0', ',', ',123', '10.1000/a,unavailable'].map((ids) => `${ids},Retraction,1/2/2024 0:00`);
  writeFileSync(path, ['OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature,RetractionDate', ...rows].join('\n'));
  const found = await Array.fromAsync(readRetractionWatch(path));
  assert.deepEqual(
    found.map(({ doi, pmid }) => [doi, pmid]),
    [
      [null, '123'],
      ['10.1000/a', null],
    ],
  );
});

test('a work is cited in APA style', () => {
  assert.equal(
    apaCitation(record('W1', { doi: '10.1000/reef' })),
    'van der Berg, A.-M., Wei, L., & The ATLAS Collaboration (2024). Heat & the {reefs} of 100% of_the Pacific. Journal of Reefs, 12(4), 3–9. https://doi.org/10.1000/reef',
  );
  assert.equal(
    apaCitation(record('W1', { authors: [], venue: null, date: '2015', title: 'How low should we go?' })),
    'How low should we go? (2015).',
  );
  assert.equal(apaCitation(record('W1', { authors: [], venue: null, date: null, title: 'Reefs.' })), 'Reefs. (n.d.).');
  const [one] = record('W1').authors;
  assert.ok(one);
  assert.match(
    apaCitation(record('W1', { authors: Array.from({ length: 25 }, () => one) })),
    /, … van der Berg, A\.-M\. \(2024\)/,
  );
});

test('BibTeX escapes TeX commands, keeps groups intact and gives each entry a unique key', () => {
  const taken = new Map<string, number>();
  const entry = bibtexEntry(record('W1', { doi: '10.1000/re{e}f' }), citationKey(record('W1'), taken), 'PDF/W1.pdf');
  assert.match(entry, /^@article\{berg2024heat,\n/);
  assert.match(
    entry,
    /title = \{\{Heat \\& the \\textbraceleft\{\}reefs\\textbraceright\{\} of 100\\% of\\_the Pacific\}\}/,
  );
  assert.match(entry, /author = \{van der Berg, Ana-Maria and Wei, Liu and \{The ATLAS Collaboration\}\}/);
  assert.match(entry, /pages = \{3--9\}/);
  assert.match(entry, /doi = \{10\.1000\/re%7Be%7Df\}/);
  assert.match(entry, /file = \{PDF\/W1\.pdf\}/);
  assert.equal(citationKey(record('W2'), taken), 'berg2024heat2');
  for (let number = 3; number < 40; number += 1)
    assert.equal(citationKey(record('W2'), taken), `berg2024heat${number}`);
  const turkish = {
    ...record('W3'),
    authors: [{ name: 'Wen Yılmaz', family: 'Yılmaz', given: 'Wen', orcid: null, institutions: [] }],
  };
  assert.equal(citationKey(turkish, taken), 'yilmaz2024heat');
  // Exports mention a retraction only while it is in force.
  const notice = { kind: 'retraction', doi: null, date: '2025', source: 'publisher' } as const;
  const back = { ...record('W4'), notices: [notice] };
  for (const text of [bibtexEntry(back, 'k'), risEntry(back), JSON.stringify(cslItem(back))])
    assert.match(text, /was retracted/);
  const again = { ...back, notices: [notice, { ...notice, kind: 'reinstatement', date: '2026' } as const] };
  assert.doesNotMatch(bibtexEntry(again, 'k'), /was retracted/);
});

test('RIS has a line for each field and ends its record', () => {
  const text = risEntry(record('W1', { doi: '10.1000/reef', abstract: 'Two\nlines' }), 'PDF/W1.pdf');
  assert.match(text, /^TY {2}- JOUR\r\n/);
  assert.match(text, /AU {2}- van der Berg, Ana-Maria\r\n/);
  assert.match(text, /SP {2}- 3\r\nEP {2}- 9\r\n/);
  assert.match(text, /AB {2}- Two lines\r\n/);
  assert.match(text, /L1 {2}- PDF\/W1\.pdf\r\nER {2}- \r\n\r\n$/);
});

test('versions are found by ids, DOI families, relations, and by title, authors and year; others stay separate', () => {
  const found = (...records: WorkRecord[]): string[] =>
    findVersions(records).map(({ work, of, reason }) => `${of} ${work} ${reason}`);
  const other = { title: 'Something else entirely about fish' };
  assert.deepEqual(found(record('W1', { arxiv: '2101.00001' }), record('W2', { arxiv: '2101.00001', ...other })), [
    'W1 W2 same-id',
  ]);
  assert.deepEqual(
    found(record('W1', { doi: '10.21203/rs.1/v1' }), record('W2', { doi: '10.21203/rs.1/v2', ...other })),
    ['W1 W2 doi-family'],
  );
  assert.deepEqual(
    found(
      record('W1', { doi: '10.1/a' }),
      record('W2', { ...other, relations: [{ kind: 'is-preprint-of', doi: '10.1/a' }] }),
    ),
    ['W1 W2 crossref-relation'],
  );
  assert.deepEqual(
    found(
      record('W1'),
      record('W2', { type: 'preprint', date: '2023-01-01', title: 'Heat and the reefs of 100 of the Pacific' }),
    ),
    [],
  );
  assert.deepEqual(
    found(
      record('W1'),
      record('W2', { type: 'preprint', date: '2023', title: 'HEAT & the reefs of 100% of the Pacific.' }),
    ),
    ['W1 W2 title-authors-year'],
  );
  // The same title by other authors, an erratum, or a short title such as "Editorial" proves nothing.
  const [somebody] = record('W1').authors;
  assert.ok(somebody);
  assert.deepEqual(found(record('W1'), record('W2', { authors: [{ ...somebody, name: 'Somebody Else' }] })), []);
  assert.deepEqual(found(record('W1'), record('W2', { type: 'erratum' })), []);
  assert.deepEqual(found(record('W1', { title: 'Editorial' }), record('W2', { title: 'Editorial' })), []);
});
