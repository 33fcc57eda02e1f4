import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Table } from './cell.ts';
import { tableText } from './write-table.ts';

test('Markdown has a short name for each paper, and the full citation below the table', () => {
  const title = 'A study of how the corals of the northern reef came back after the long summer';
  const work = (apa: string) => ({ id: 'W9', title, year: 2019, apa, doi: null });
  const named = (apa: string): string | undefined => {
    const rows = [{ document: 'd', work: work(apa), link: null, cells: [] }];
    return tableText({ columns: [], model: null, rows }, 'markdown').split('\n')[2];
  };
  const short = '(2019): A study of how the corals of the northern reef came back …';
  assert.equal(named(`van der Berg, A. M., & Lee, B. (2019). ${title}. Reefs.`), `| van der Berg et al. ${short} |`);
  assert.equal(named(`Lee, B. (2019). ${title}.`), `| Lee ${short} |`);
  assert.equal(named(`${title}. (2019).`), `| ${short} |`);
  const whole = tableText(
    {
      columns: [],
      model: null,
      rows: [{ document: 'd', work: work('Lee, B. (2019). Whole.'), link: null, cells: [] }],
    },
    'markdown',
  );
  assert.match(whole, /^- Lee, B\. \(2019\)\. Whole\.$/m);
});

test('a row that a value is quoted from is told with its table and columns', () => {
  const row = {
    table: 'Table 1: Doses',
    group: null,
    row: 'Drug',
    cells: [{ column: 'Dose', value: '20', unit: 'mg' }],
  };
  const quotes = [{ text: 'Drug | 20', page: 2, passage: null, row }];
  const table: Table = {
    columns: [{ name: 'dose', question: 'dose', type: 'number', unit: null, choices: [], field: null }],
    model: null,
    rows: [
      { document: 'd', work: null, link: null, cells: [{ kind: 'value', value: '20 mg', from: 'extractive', quotes }] },
    ],
  };
  assert.match(tableText(table, 'markdown'), /^1\. d, page 2: “Table 1: Doses \\\| Drug; Dose: 20” \(extractive\)$/m);
  assert.match(tableText(table, 'csv'), /,20 mg,Table 1: Doses \| Drug; Dose: 20,2,extractive/);
});
