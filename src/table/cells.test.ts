import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { CitedHit } from '../corpus/index.ts';
import type { EdgeStatement, NodeStatement } from '../graph/index.ts';
import { quoteAt } from '../ask/index.ts';
import type { Cell, Column } from './cell.ts';
import { parseColumn } from './columns.ts';
import { compoundsOf, extractedCell, typedValue } from './fill-cells.ts';
import { sharedOut } from './fill-table.ts';
import { knownCell, likelyCell } from './known-cells.ts';

function hit(text: string, section: CitedHit['passage']['section'] = 'results', headings: string[] = []): CitedHit {
  const passage = { id: `d#${text.slice(0, 12)}`, document: 'd', title: 'T', headings, section, page: 2, boxes: [] };
  return {
    rank: 1,
    score: 1,
    fit: 1,
    by: 'words',
    link: null,
    work: null,
    passage: { ...passage, hasTable: false, hasFigure: false, text, file: undefined },
  };
}

/** What a column gets from one sentence or table row. */
function cellFrom(column: Column, text: string, quoted = text): Cell {
  const start = text.indexOf(quoted);
  const quote = quoteAt(hit(text), { start, end: start + quoted.length });
  return extractedCell(column, [{ text: quoted, fit: 0.9, quotes: [quote] }], [hit(text)]);
}
const valueOf = (cell: Cell | undefined): string | null => (cell?.kind === 'value' ? cell.value : null);

test('a number without its kind is no answer', () => {
  const size = parseColumn('number of patients:number');
  assert.equal(valueOf(cellFrom(size, 'In all, 48 patients (30.0%) took part (Table 2).')), '48');
  assert.equal(valueOf(cellFrom(size, 'Twenty-two patients took part.')), '22');
  assert.equal(valueOf(cellFrom(size, 'Patients took part (Table 2).')), null);
  assert.equal(valueOf(cellFrom(size, 'Of the patients (30.0%) took part.')), null);
  assert.equal(valueOf(cellFrom(size, 'The patients were seen in 2019 on pages 12.')), null);
  const share = parseColumn('percentage of women:number');
  assert.equal(valueOf(cellFrom(share, 'There were 20 women (41.5%) in the study.')), '41.5%');
  assert.equal(valueOf(cellFrom(share, 'There were 20 women in the study.')), null);
  const dose = parseColumn('dose:number:mg');
  assert.equal(valueOf(cellFrom(dose, 'The dose was 20 mg for 3 mgs of it.')), '20 mg');
  assert.equal(valueOf(cellFrom(dose, 'The dose was 20 g of it.')), null);
});

test('a number of a table has its row, column, unit and table', () => {
  const text =
    'Table 1. Trial\nGroup | Patients, n | Dose (mg) | Women (%)\nDrug | 48 | 20 | 41.5\nPlacebo | 50 | 0 | 40.0';
  const row = 'Drug | 48 | 20 | 41.5';
  const dose = cellFrom(parseColumn('dose of the drug:number'), text, row);
  assert.equal(valueOf(dose), '20 mg');
  assert.deepEqual(dose.quotes[0]?.row, {
    table: 'Table 1. Trial',
    row: 'Drug',
    cells: [{ column: 'Dose (mg)', value: '20', unit: 'mg' }],
  });
  assert.equal(dose.quotes[0]?.page, 2);
  assert.equal(valueOf(cellFrom(parseColumn('number of patients:number'), text, row)), '48');
  assert.equal(valueOf(cellFrom(parseColumn('percentage of women:number'), text, row)), '41.5%');
  assert.equal(valueOf(cellFrom(parseColumn('deaths:number'), text, row)), null, 'no header names it');
});

test('follow-up is not in "the following"', () => {
  const isNamed = compoundsOf(parseColumn('follow-up'));
  assert.ok(isNamed('Follow-up lasted 12 months.') && isNamed('They were followed up for years.'));
  assert.ok(isNamed('A followup visit') && isNamed('The follow up'));
  assert.ok(!isNamed('The following groups were upset.') && !isNamed('It follows that they were followed.'));
  assert.equal(valueOf(cellFrom(parseColumn('follow-up:number'), 'The following 12 groups were formed.')), null);
});

test('values of a model have the type of their column, or a true reason', () => {
  assert.equal(typedValue(parseColumn('dose:number:mg'), '20'), '20 mg');
  assert.equal(typedValue(parseColumn('dose:number:mg'), '20 mg daily'), '20 mg daily');
  assert.deepEqual(typedValue(parseColumn('dose:number:mg'), '20 g'), { reason: 'other-unit' });
  assert.deepEqual(typedValue(parseColumn('number of patients:number'), '30%'), { reason: 'not-a-number' });
  assert.deepEqual(typedValue(parseColumn('blinding:yes/no'), 'perhaps'), { reason: 'not-yes-no' });
  assert.equal(typedValue(parseColumn('drugs:list'), 'a;  b\nc; a'), 'a; b; c');
});

test('funding comes from the statement, and not from who had no role', () => {
  const passages = [
    hit('Grants for reefs were studied by the authors in 2010.', 'introduction'),
    hit('Acknowledgements\n\nWe thank the team. A grant of the Reef Fund helped us.', 'back', ['Acknowledgements']),
    hit(
      'Funding\n\nThis work was supported by the Sea Foundation (12345). The funders had no role in the study.',
      'back',
      ['Funding'],
    ),
  ];
  const paper = { facts: undefined, passages };
  const cell = knownCell(parseColumn('funding'), paper);
  assert.equal(valueOf(cell), 'This work was supported by the Sea Foundation (12345).');
  assert.deepEqual([cell?.kind === 'value' && cell.from, cell?.quotes.length], ['statement', 1]);
  assert.equal(
    valueOf(knownCell(parseColumn('funding'), { facts: undefined, passages: passages.slice(0, 2) })),
    'A grant of the Reef Fund helped us.',
  );
  assert.equal(knownCell(parseColumn('funding'), { facts: undefined, passages: passages.slice(0, 1) }), undefined);
  const labelled = hit('Acknowledgements\n\nWe thank the team.\n\nFinancial support. None.', 'back', [
    'Acknowledgements',
  ]);
  const none = knownCell(parseColumn('funding'), { facts: undefined, passages: [labelled] });
  assert.equal(valueOf(none), 'Financial support. None.');
  const views = hit('The findings are not the views of the funding agencies.', 'back', ['Acknowledgements']);
  assert.equal(knownCell(parseColumn('funding'), { facts: undefined, passages: [views] }), undefined);
});

test('software comes from the graph, a country from the abstract, or from methods and affiliations', () => {
  const nodes = ['R', 'SPSS'].map((label) => ({ id: `software:${label}`, kind: 'software', label }));
  const edges = nodes.map(({ id, label }) => ({
    kind: 'uses',
    target: id,
    evidence: { place: { kind: 'text', quote: `We used ${label}.`, page: 4 } },
  }));
  const facts = { nodes: nodes as unknown as NodeStatement[], edges: edges as unknown as EdgeStatement[] };
  const software = knownCell(parseColumn('software:list'), { facts, passages: [] });
  assert.deepEqual([valueOf(software), software?.quotes.map(({ page }) => page)], ['R; SPSS', [4, 4]]);
  const country = parseColumn('country');
  const of = (...passages: CitedHit[]): [string | null, string | null] => {
    const paper = { facts: undefined, passages };
    return [valueOf(knownCell(country, paper)), valueOf(likelyCell(country, paper))];
  };
  assert.deepEqual(of(hit('We asked nurses in Viet Nam about it.', 'abstract')), ['Vietnam', null]);
  assert.deepEqual(of(hit('We asked nurses in Peru and Chile.', 'abstract')), [null, null]);
  assert.deepEqual(of(hit('Air was let through. Available under a CC BY-NC 3.0 Poland License.', 'abstract')), [
    null,
    null,
  ]);
  assert.deepEqual(of(hit('Dept. of X, Leiden, The Netherlands.', 'front')), [null, 'Netherlands']);
  assert.deepEqual(of(hit('A, London, UK. B, Paris, France.', 'front'), hit('Farms in Peru were seen.', 'methods')), [
    null,
    'Peru',
  ]);
});

test('a design comes from the title or abstract, else from a sentence about the paper itself', () => {
  const design = parseColumn('study design');
  const of = (...passages: CitedHit[]): string | null => valueOf(likelyCell(design, { facts: undefined, passages }));
  const methods = hit('A cohort study of others was read. This case-control study included 20 farms.', 'methods');
  assert.equal(of(methods), 'This case-control study included 20 farms.');
  assert.equal(
    of(methods, hit('Reefs after heat: a systematic review.', 'front')),
    'Reefs after heat: a systematic review.',
  );
  assert.equal(of(hit('The funders had no role in study design.', 'methods')), null);
});

test('each column has its share of the passages, and the abstract is always there', () => {
  const list = (name: string): CitedHit[] => Array.from({ length: 6 }, (_, at) => hit(`${name}${at} is a passage.`));
  const lists = Array.from('abcdefgh', list);
  const abstract = hit('Abstract of the paper', 'abstract');
  const chosen = sharedOut(lists, [abstract], 100_000);
  assert.equal(chosen.length, 24);
  assert.equal(chosen[0], abstract);
  for (const own of lists) assert.ok(own.filter((each) => chosen.includes(each)).length >= 2);
  const few = sharedOut(lists, [abstract], 1_024);
  assert.ok(few.length < 24 && few.includes(abstract));
});
