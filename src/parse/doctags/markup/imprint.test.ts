import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findArxivId, imprintOf, isoDate } from './imprint.ts';
import type { Block } from '../../document.ts';
import { ownDois, pdfImprint } from '../layout/output/metadata.ts';

test('an arXiv identifier is found in both its forms, without the version', () => {
  assert.equal(findArxivId('arXiv preprint arXiv:1607.06450v2, 2016'), '1607.06450');
  assert.equal(findArxivId('https://arxiv.org/abs/cs/9802040'), 'cs/9802040');
  assert.equal(findArxivId('in 2016.06450'), undefined);
});

const PROBES = join(import.meta.dirname, '../../../../../shared/data/hostile/open/markup/t01_redos.txt');
test('hostile text does not slow down a search', { skip: existsSync(PROBES) ? false : `${PROBES} is absent` }, () => {
  for (const line of readFileSync(PROBES, 'utf8').split('\n')) {
    findArxivId(line);
  }
});

test('dates are read in the formats of HTML heads and papers', () => {
  const read = [
    '2020/05/17',
    '2020-05',
    '17 May 2020',
    'May 3, 2020',
    'Spring 2020',
    '2020',
    '2020-13-40',
    'no date',
    '1020',
  ];
  assert.deepEqual(read.map(isoDate), [
    '2020-05-17',
    '2020-05',
    '2020-05-17',
    '2020-05-03',
    '2020',
    '2020',
    '2020',
    undefined,
    undefined,
  ]);
});

test('missing fields are omitted, and overlong text is not an imprint', () => {
  assert.deepEqual(imprintOf({ venue: ' ', volume: undefined, issn: ['', 'x'.repeat(600)] }), {});
  assert.deepEqual(imprintOf({ venue: ' Reefs ', issn: ['1', '1'] }), { imprint: { venue: 'Reefs', issn: ['1'] } });
});

const REGION = { page: 1, box: { left: 0, top: 0, right: 1, bottom: 1 } };
const text = (order: number, words: string): Block => ({ kind: 'text', order, regions: [REGION], text: words });
const INFORMATION = { title: '', author: '' };

test('DOIs of the reference list are ignored on a first page, and a DOI cut off by a line end is completed', () => {
  const blocks: Block[] = [
    text(0, 'See doi:10.5555/cited and doi: 10.5555/whole. one'),
    text(1, 'https://doi.org/10.5555/whole.one; data at 10.5281/data.'),
    { kind: 'reference', order: 2, regions: [REGION], text: 'Stone 2001', doi: '10.5555/cited' },
  ];
  assert.deepEqual(ownDois(blocks, [], INFORMATION), { doi: '10.5555/whole.one', others: ['10.5281/data'] });
  const stated = { ...INFORMATION, doi: '10.5555/STATED' };
  assert.equal(ownDois(blocks, [], stated).doi, '10.5555/stated');
  assert.deepEqual(ownDois([], ['https://doi.org/10.5555/link'], INFORMATION), { doi: '10.5555/link', others: [] });
  assert.equal(ownDois([text(0, '10.5555/alone')], [], INFORMATION).doi, '10.5555/alone');
  const last: Block = {
    ...text(1, 'Cite this article as: Stone A. https://doi.org/10.5555/last'),
    regions: [{ ...REGION, page: 9 }],
  };
  assert.equal(ownDois([text(0, 'Rivers'), last], [], INFORMATION).doi, '10.5555/last');
});

test('a DOI is found after a cover sheet and in a citation request, without the suffix of a supplement', () => {
  const title: Block = { kind: 'title', order: 1, regions: [{ ...REGION, page: 2 }], text: 'Reefs' };
  const behind = { ...text(2, 'https://doi.org/10.5555/own'), regions: [{ ...REGION, page: 2 }] };
  assert.equal(ownDois([text(0, 'A cover'), title, behind], [], INFORMATION).doi, '10.5555/own');
  const cited: Block = { kind: 'reference', order: 3, regions: [REGION], text: 'Cite us', doi: '10.5555/own' };
  assert.equal(ownDois([text(0, 'DOI: 10.5555/own'), cited], [], INFORMATION).doi, '10.5555/own');
  assert.equal(ownDois([text(0, 'As doi:10.5555/own shows'), cited], [], INFORMATION).doi, undefined);
  const supplement = text(0, 'doi:10.5555/own. Supplement: doi:10.5555/own/-/DCSupplemental.');
  assert.equal(ownDois([supplement], [], INFORMATION).doi, '10.5555/own');
});

test('the arXiv stamp in the margin gives id and date; an arXiv id in the text is ignored', () => {
  const glyphs = 'arXiv:2305.03393v1[cs.CL]5May2023'.split('').map((letter) => ({ text: letter }));
  const page = { glyphs } as unknown as NonNullable<Parameters<typeof pdfImprint>[2]['page']>;
  const parts = { page, otherDois: [] };
  assert.deepEqual(pdfImprint([], INFORMATION, parts), { imprint: { arxivId: '2305.03393', date: '2023-05-05' } });
  const cited = [text(0, 'as in arXiv:1706.03762 [1]')];
  assert.deepEqual(pdfImprint(cited, INFORMATION, { page: undefined, otherDois: [] }), {});
});

test('the date is read from the header of a preprint and from a line with only a date', () => {
  const dateOf = (line: string): string | undefined =>
    pdfImprint([text(0, line)], INFORMATION, { page: undefined, otherDois: [] }).imprint?.date;
  assert.equal(
    dateOf('bioRxiv preprint doi: https://doi.org/10.1101/x; this version posted January 2, 2020.'),
    '2020-01-02',
  );
  assert.equal(dateOf('3 May 2022'), '2022-05-03');
  assert.equal(dateOf('We left on 3 May 2022'), undefined);
});

test('journal, volume and year are read from the subject of the PDF', () => {
  const of = (subject: string) =>
    pdfImprint([], { ...INFORMATION, subject }, { page: undefined, otherDois: [] }).imprint;
  assert.deepEqual(of('Journal of Reefs, 12 (2020) 345-350. doi:10.5555/j.reefs.2020.1'), {
    date: '2020',
    venue: 'Journal of Reefs',
    volume: '12',
  });
  assert.deepEqual(of('Nature, doi:10.5555/nature1'), { venue: 'Nature' });
  assert.equal(of('srep, doi:10.5555/srep1'), undefined, 'a code, not a name');
  assert.equal(of('A paper about reefs, and more'), undefined);
});

const imprint = (printed: string) =>
  pdfImprint([text(0, printed)], INFORMATION, { page: undefined, otherDois: [] }).imprint;

test('the year is read from the publication date, volume and pages, the copyright, or the acceptance', () => {
  for (const [printed, date] of [
    ['Received 3 May 2018; published 19 February 2019', '2019-02-19'],
    ['Published: 12 January 2016', '2016-01-12'],
    ['We searched papers published between January 1960 and April 2014', undefined],
    ['guidelines, which were published in July 2015', undefined],
    ['Int J Occup Med. 2015 ; 28(1): 71–80', '2015'],
    ['Afr J Tradit Med., (2017) 14 (3): 209-217', '2017'],
    ['Proc. Jpn. Acad., Ser. B 84 (2008)', '2008'],
    ['VOL. 53(4) 2023: 271 - 280', '2023'],
    ['Author manuscript; available in PMC 2016 January 01.', undefined],
    ['© 2020 The Authors', '2020'],
    ['Accepted: 11 Aug 2014', '2014-08-11'],
  ] as const)
    assert.equal(imprint(printed)?.date, date, printed);
});

test('keywords are read from the line below the abstract', () => {
  assert.deepEqual(imprint('Keywords: reefs; heat · fish')?.keywords, ['reefs', 'heat', 'fish']);
});

test('a licence is read from its URL or name, not from a sentence about licences', () => {
  for (const [printed, license] of [
    [
      'under the terms of the Creative Commons Attribution Non-Commercial License 4.0',
      'Creative Commons Attribution Non-Commercial License 4.0',
    ],
    ['Re-use permitted under CC BY-NC. No commercial re-use.', 'CC BY-NC'],
    [
      'licensed under CC BY (https://creativecommons.org/licenses/by/4.0/)',
      'https://creativecommons.org/licenses/by/4.0/',
    ],
    ['We compare CC BY with other licences.', undefined],
  ] as const)
    assert.equal(imprint(printed)?.license, license, printed);
});
