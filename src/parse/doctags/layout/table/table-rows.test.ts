import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { TableLine } from './table-rows.ts';
import { groupRows } from './table-rows.ts';

const WIDTH = 60;

/** Lines of a table, drawn with a bar between columns; lines with a label are farther from the line above. */
function linesOf(...rows: readonly string[]): TableLine[] {
  let baseline = 100;
  return rows.map((row) => {
    baseline += row.startsWith(' ') ? 9 : 12.6;
    const entries = row.split('|').flatMap((cell, column) => {
      const text = cell.trim();
      const left = WIDTH * column;
      const place = { from: column, to: column, left, right: left + 4 * text.length, size: 8, baseline };
      return text === '' ? [] : [{ ...place, text }];
    });
    return { baseline, entries };
  }) as unknown as TableLine[];
}

function rowsOf(lines: readonly TableLine[]): number[] {
  const columns = Array.from({ length: 9 }, (_, at) => ({ left: WIDTH * at, right: WIDTH * (at + 1) - 4 }));
  return groupRows(lines, { columns, cuts: [], parts: [], headerEnd: 0, between: [] }).map((row) => row.lines.length);
}

test('lines of values that look like those above them are rows, also without a label', () => {
  const lines = linesOf(
    '0 | 3 (6.7)   | − | − | − | − | − | − | 3 (6.7)',
    '1 | 8 (17.8)  | + | − | − | − | + | − | 2 (4.4)',
    '  |           | − | + | − | − | − | − | 2 (4.4)',
    '  |           | − | − | − | + | − | + | 4 (8.9)',
    '2 | 10 (22.2) | + | + | − | − | − | − | 2 (4.4)',
    '  |           | + | − | − | + | + | − | 2 (4.4)',
    '  |           | − | + | − | + | − | − | 2 (4.4)',
    '3 | 10 (22.2) | + | + | − | − | − | − | 2 (4.4)',
    '  |           | + | − | − | + | + | − | 2 (4.4)',
    '  |           | − | + | − | + | − | − | 2 (4.4)',
    '4 | 10 (22.2) | + | + | − | − | − | − | 2 (4.4)',
    '  |           | + | − | − | + | + | − | 2 (4.4)',
    '  |           | − | + | − | + | − | − | 2 (4.4)',
  );
  assert.deepEqual(
    rowsOf(lines),
    lines.map(() => 1),
  );
});

test('a line with a label and values like those above is a row, however close it is', () => {
  const lines = linesOf(
    'Pond   | Upper | Lower | Inner | Outer',
    '       | pond  | pond  | pond  | pond',
    'Salt + | 4.7   | 8.6   | 13    | 10.5',
    ' salt  | 4.3   | 7.0   | 11    | 6.2',
  );
  assert.deepEqual(rowsOf(lines).slice(-2), [1, 1]);
});

test('values like those that a row began with begin the next, also behind the end of its broken label', () => {
  const texts = [
    ['Humans:', '7.2 (5.7)', '6.0 (4.7)', '4.8 (3.6)', '6.3 (4.9)', '5.5 (4.1)', '4.9 (3.6)', '2.9 (2.1)', '4.6 (2.5)'],
    ['farming'],
    ['Humans:', '2.0 (1.4)', '1.6 (1.1)', '1.3 (0.9)', '1.7 (1.2)', '1.5 (1.0)', '1.3 (0.9)', '2.0 (1.4)', '2.0 (1.4)'],
    ['nonfarming'],
  ];
  const lines = texts.map((cells, at) => {
    const baseline = 100 + 9 * at;
    const entries = cells.map((text, column) => {
      const left = WIDTH * column + (cells.length === 1 ? 6 : 0);
      return { from: column, to: column, left, right: left + 3 * text.length, size: 6.5, baseline, text };
    });
    return { baseline, entries };
  }) as unknown as TableLine[];
  const columns = Array.from({ length: 9 }, (_, at) => ({ left: WIDTH * at, right: WIDTH * (at + 1) - 4 }));
  // Its only rules are above and below.
  const rows = groupRows(lines, { columns, cuts: [], parts: [], headerEnd: 200, between: [] });
  assert.deepEqual(
    rows.map((row) => row.lines.length),
    [2, 2],
  );
});
