import assert from 'node:assert/strict';
import { test } from 'node:test';

import { citedHit } from '../../test/support/cited-hit.ts';
import type { CitedHit } from '../corpus/index.ts';
import { quoteAt } from '../ask/index.ts';
import type { Cell, Column } from './cell.ts';
import { parseColumn } from './columns.ts';
import { askedOf, compoundsOf, extractedCell, typedValue } from './fill-cells.ts';

function hit(text: string, section: CitedHit['passage']['section'] = 'results', headings: string[] = []): CitedHit {
  return citedHit('d', text, { id: `d#${text.slice(0, 12)}`, section, headings, page: 2 });
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
  const sample = parseColumn('sample size:number');
  assert.equal(valueOf(cellFrom(sample, 'The electrodes of the sample were compared after 956 cycles.')), null);
  assert.equal(valueOf(cellFrom(sample, 'The sample size was 48.')), '48');
  for (const aim of [
    'The required sample size was 384.',
    'A sample size of 384 was required.',
    'Between March 2018 and May 2019 patients with stroke were seen.',
    'In 2019 patients were seen.',
  ])
    assert.equal(valueOf(cellFrom(sample, aim)), null, aim);
  assert.equal(valueOf(cellFrom(sample, 'A total of 2019 patients were seen.')), '2019');
  assert.equal(valueOf(cellFrom(sample, 'The sample was 1.5 million women.')), '1500000');
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
    group: null,
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

test('a column with a common name and no question is asked in full', () => {
  assert.match(
    askedOf(parseColumn('sample size:number')),
    /^sample size: How many participants, .* \(a number with its unit\)$/,
  );
  assert.equal(askedOf(parseColumn('soil type')), 'soil type');
});

test('values of a model have the type of their column, or a true reason', () => {
  assert.equal(typedValue(parseColumn('dose:number:mg'), '20'), '20 mg');
  assert.equal(typedValue(parseColumn('dose:number:mg'), '20 mg daily'), '20 mg daily');
  assert.deepEqual(typedValue(parseColumn('dose:number:mg'), '20 g'), { reason: 'other-unit' });
  assert.deepEqual(typedValue(parseColumn('number of patients:number'), '30%'), { reason: 'not-a-number' });
  assert.equal(typedValue(parseColumn('sample size:number'), '153 of 193 hospital staff'), '153', 'only the number');
  assert.equal(typedValue(parseColumn('sample size:number'), 'four altitudes'), '4');
  assert.equal(typedValue(parseColumn('duration:number'), '12 weeks'), '12 weeks');
  assert.deepEqual(typedValue(parseColumn('blinding:yes/no'), 'perhaps'), { reason: 'not-yes-no' });
  assert.equal(typedValue(parseColumn('drugs:list'), 'a;  b\nc; a'), 'a; b; c');
});
