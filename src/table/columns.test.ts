import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseColumn, parseColumns } from './columns.ts';

test('columns are parsed from text and YAML, and invalid ones are refused', () => {
  assert.deepEqual(
    [parseColumn('dose:number:mg'), parseColumn('year')].map(({ name, type, unit, field }) => [
      name,
      type,
      unit,
      field,
    ]),
    [
      ['dose', 'number', 'mg', null],
      ['year', 'text', null, 'year'],
    ],
  );
  for (const text of [
    '',
    '3',
    'columns: []',
    '- {name: a, type: date}',
    '- {name: a, choices: [x]}',
    '- {nom: a}',
    '- a\n- a',
    '- [',
    '- {name: a, type: choice}',
  ])
    assert.throws(() => parseColumns(text, 'x.yaml'), { code: 'TABLE_COLUMNS' }, text);
});
