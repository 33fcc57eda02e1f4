import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ReadPassage } from '../reader/index.ts';
import { quotedRowAt } from './quoted-row.ts';
import { rowSentence } from './row-sentence/index.ts';

function rowIn(text: string, words: string) {
  const passage: ReadPassage = { document: 'd', title: 'A paper', headings: [], text };
  const start = text.indexOf(words);
  const found = quotedRowAt(passage, start, start + words.length)?.row;
  assert.ok(found, words);
  return found;
}

test('a row is a sentence with its table, and the names of its columns from all rows of the header', () => {
  const text = [
    'Table 3: Risk factors.',
    ' |  |  |  | Cases and controls',
    'Activity | OR | 95% CI | p-value | n = 22 | % | n = 45 | %',
    'Entered the room | 20.0 | 4.1–97.1 | <0.001 | 20 | (91) | 15 | (33)',
    'Touched a surface | 7.8 | 2.3–25.9 | 0.001 | 12 | (55) | 6 | (13)',
  ].join('\n');
  assert.equal(
    rowSentence(rowIn(text, 'Touched a surface | 7.8 | 2.3–25.9 | 0.001 | 12 | (55)')),
    'Table 3: Risk factors. | Touched a surface; OR: 7.8; 95% CI: 2.3–25.9; p-value: 0.001; Cases and controls n = 22: 12; Cases and controls %: (55)',
  );
});

test('rows of words below a header that names each column are no header', () => {
  const text = 'Drug | Effect | Study\nAspirin | fewer strokes | Ito\nIbuprofen | none seen | Berg\nNaproxen | more bleeding | Liu'; // prettier-ignore
  assert.equal(
    rowSentence(rowIn(text, 'Naproxen | more bleeding | Liu')),
    'Naproxen; Effect: more bleeding; Study: Liu',
  );
});

test('a row that stands under a heading of rows says so, and a cell without a column has no colon', () => {
  const text =
    'Outcome | HR (95% CI) | \nMyocardial infarction |  | \n≥60 years | 1.00 | ref\n<50 years | 2.21 (1.55–3.17) | <0.001';
  assert.equal(
    rowSentence(rowIn(text, '<50 years | 2.21 (1.55–3.17) | <0.001')),
    'Myocardial infarction, <50 years; HR (95% CI): 2.21 (1.55–3.17); <0.001',
  );
  assert.equal(rowIn(text, '≥60 years | 1.00').group, 'Myocardial infarction');
});

test('a row with a value or a dash is no header, and a heading of rows ends at a total and at a row with its own unit', () => {
  const gases = 'Gas |  | \nOzone | 19.95 | –\nEster | RT | –\nEther | 20.56 | 1609';
  assert.equal(rowSentence(rowIn(gases, 'Ether | 20.56 | 1609')), 'Ether; 20.56; 1609');
  const people = 'Trait | n\nEthnic group | \nMalay | 10\nTotal | 90\nChinese | 80\nAge, years | 62\nMen | 41\n3,889 | \nWomen | 49'; // prettier-ignore
  const groupOf = (words: string): string | null => rowIn(people, words).group;
  assert.deepEqual(['Malay | 10', 'Total | 90', 'Age, years | 62', 'Men | 41', 'Women | 49'].map(groupOf), [
    'Ethnic group',
    null,
    null,
    null,
    null,
  ]);
});

test('a row whose first cell is empty has the name of the next one', () => {
  const text = 'Ward | Staff | Attack rate\nKitchen | Cook | 25.0\n | Laundry | 7.1';
  assert.equal(rowSentence(rowIn(text, ' | Laundry | 7.1')), 'Laundry; Attack rate: 7.1');
});
