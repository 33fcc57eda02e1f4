import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ReadPassage } from './candidates.ts';
import { candidatesOf } from './candidates.ts';

const FOUND = { passage: 1, paper: 1 };

function passage(text: string): ReadPassage {
  return { document: 'd', title: 'Garlic oil against beetles', headings: ['Results'], text };
}

test('sentences are read one by one, at their places in the passage', () => {
  const text = 'Results\n\nLarvae died within 40 hours of exposure. Adults of the beetle lived longer than pupae.';
  const found = candidatesOf(passage(text), FOUND);
  assert.deepEqual(
    found.map(({ start, end, text: said }) => [text.slice(start, end), said]),
    [
      ['Larvae died within 40 hours of exposure.', 'Larvae died within 40 hours of exposure.'],
      ['Adults of the beetle lived longer than pupae.', 'Adults of the beetle lived longer than pupae.'],
    ],
  );
});

test('headings, labels, keyword lines and hints for citing are not read', () => {
  const text = [
    '4.2 Evidence for overgrowth of algae',
    'Krill Density South Sea Krill Counts',
    'Keywords: krill density, South Sea, nets, counting',
    'The density of krill fell in every sea that was sampled.',
  ].join('\n\n');
  assert.deepEqual(
    candidatesOf(passage(text), FOUND).map((candidate) => candidate.text),
    ['The density of krill fell in every sea that was sampled.'],
  );
});

test('the last sentence of a passage is read even if it is cut', () => {
  const [found] = candidatesOf(passage('The density of krill fell in every sea that'), FOUND);
  assert.equal(found?.text, 'The density of krill fell in every sea that');
});

test('each row of a table is a candidate with caption and column headers, at the place of the row', () => {
  const text =
    'Table 1. Lethal concentrations of garlic oil.\nStage | LC50 (%) | LC90 (%)\nLarva | 0.77 | 1.37\nPupa | 2.37 | ';
  const rows = candidatesOf(passage(text), FOUND).filter(({ row }) => row !== null);
  assert.deepEqual(
    rows.map(({ text: said }) => said),
    [
      'Table 1. Lethal concentrations of garlic oil. | Stage Larva; LC50 (%): 0.77; LC90 (%): 1.37',
      'Table 1. Lethal concentrations of garlic oil. | Stage Pupa; LC50 (%): 2.37',
    ],
  );
  const [first] = rows;
  assert.equal(text.slice(first?.start, first?.end), 'Larva | 0.77 | 1.37');
  assert.deepEqual(first?.row?.cells, ['Larva', '0.77', '1.37']);
});

test('a table without a body has no rows', () => {
  assert.deepEqual(
    candidatesOf(passage('Stage | LC50 (%) | LC90 (%)'), FOUND).filter(({ row }) => row !== null),
    [],
  );
});
