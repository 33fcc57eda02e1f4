import assert from 'node:assert/strict';
import { test } from 'node:test';

import { excerpt, isTable } from '../../src/serve/page/excerpt.ts';
import { mostNamed } from '../../src/serve/page/views/most-named.ts';

const named = (label: string, count: number) => ({ id: label, kind: 'term', label, count });

test('names with the word itself come before those that only contain its letters', () => {
  const found = [named('respiratory illness', 9), named('N95 respirators', 1), named('n95 Respirators', 1)];
  assert.deepEqual(
    mostNamed(found, 'respirator').map(({ label }) => label),
    ['N95 respirators', 'respiratory illness'],
  );
});

test('of a table its caption is shown and the rows that have most of the words, in their order', () => {
  const table = [
    'Table 1 Resistance of masks',
    'Trial | standing | cycling',
    'nasal inhalation | 1.5 | 2.5',
    'nasal exhalation | 3.5 | 4.5',
    'oral inhalation | 5.5 | 6.5',
    'oral exhalation |  | 8.5',
  ].join('\n');
  assert.ok(isTable(table));
  assert.deepEqual(excerpt(table, 'oral inhalation').split('\n'), [
    'Table 1 Resistance of masks',
    'nasal inhalation | 1.5 | 2.5',
    'oral inhalation | 5.5 | 6.5',
    'oral exhalation | 8.5',
    '…',
  ]);
  assert.ok(!isTable(`${'A paragraph with a small table behind it. '.repeat(9)}\n${table}`), 'mostly sentences');
  assert.ok(!isTable('A sentence with one | sign.\nAnother line.'));
});
