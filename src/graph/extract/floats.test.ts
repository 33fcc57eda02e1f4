import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Block, Cell } from '../../parse/index.ts';
import { extractDocument } from './extract-document.ts';

function cell(row: number, column: number, text: string, kind: Cell['kind'] = 'data'): Cell {
  return { row, column, rowSpan: 1, columnSpan: 1, text, kind };
}

const TABLE = {
  rows: 3,
  columns: 3,
  cells: [
    cell(0, 0, 'Site', 'column-header'),
    cell(0, 1, 'Depth (m)', 'column-header'),
    cell(0, 2, 'Cover', 'column-header'),
    cell(1, 0, 'North reef'),
    cell(1, 1, '12.5'),
    cell(1, 2, '40 %'),
    cell(2, 0, 'South reef'),
    cell(2, 1, 'n.d.'),
    cell(2, 2, 'T2 cells'),
  ],
};

function blocks(...given: readonly object[]): Block[] {
  return given.map((block, order) => ({ regions: [], order, ...block }) as unknown as Block);
}

function read(given: readonly Block[]): ReturnType<typeof extractDocument> {
  const metadata = { authors: [], needsOcr: [], quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 } };
  return extractDocument('paper', { pages: [], blocks: given, metadata });
}

test('table cells are quantities with row and column, in the unit of the cell or the heading', () => {
  const { nodes, edges } = read(
    blocks(
      { kind: 'text', text: 'Depths differ (Table 1).' },
      { kind: 'caption', text: 'Table 1. Depth and cover.', parent: 2 },
      { kind: 'table', text: '', table: TABLE },
    ),
  );
  const measured = edges.filter(({ kind, source }) => kind === 'measures' && source === 'table:paper#2');
  const data = measured.map(({ target, evidence }) => {
    const { property, entity, normal, base } = nodes.find(({ id }) => id === target)?.data ?? {};
    const quote = evidence.place.kind === 'text' ? evidence.place.quote : '';
    return [property, entity, normal, base, quote, evidence.detail['row'], evidence.detail['column']];
  });
  assert.deepEqual(data, [
    ['Depth (m)', 'North reef', [12.5], 'm', '12.5', 1, 1],
    ['Cover', 'North reef', [0.4], '', '40 %', 1, 2],
  ]);
  assert.ok(
    edges.some(
      ({ kind, target, evidence }) =>
        kind === 'contains' && target === 'table:paper#2' && evidence.method === 'caption',
    ),
  );
  assert.ok(
    edges.some(({ kind, target }) => kind === 'mentions' && target === 'table:paper#2'),
    'the sentence refers to it',
  );
});

test('a figure without an image is found by its caption', () => {
  const { nodes } = read(blocks({ kind: 'caption', text: 'Figure 3. Warm water.' }));
  assert.deepEqual(nodes.find(({ kind }) => kind === 'figure')?.data, { label: 'Figure 3' });
});

/** Value, uncertainty and unit of each quantity in a table with one column of data. */
function cells(heading: string, row: string, text: string, caption = 'Table 1. Results.'): unknown[] {
  const table = {
    rows: 2,
    columns: 2,
    cells: [cell(0, 0, '', 'column-header'), cell(0, 1, heading, 'column-header'), cell(1, 0, row), cell(1, 1, text)],
  };
  const { nodes } = read(blocks({ kind: 'caption', text: caption, parent: 1 }, { kind: 'table', text: '', table }));
  return nodes
    .filter(({ kind }) => kind === 'quantity')
    .map(({ data }) => [data['values'], data['uncertainty'] ?? null, data['unit']]);
}

test('the unit of a cell is read from the cell, its heading, its row or the caption', () => {
  assert.deepEqual(cells('Group A', 'CRP (mg/L)', '5.1'), [[[5.1], null, 'mg/L']]);
  assert.deepEqual(cells('Group A', 'Prostate weight, g', '41.4±14.9'), [[[41.4], [14.9], 'g']]);
  assert.deepEqual(cells('ΔG/kJ mol⁻¹', 'a', '20'), [[[20], null, 'kJ mol⁻¹']]);
  assert.deepEqual(cells('MIC and MBC in mg/ml', 'a', '5.2 ± 0.2'), [[[5.2], [0.2], 'mg/ml']]);
  assert.deepEqual(cells('% of mortality', 'a', '30'), [[[30], null, '%']]);
  assert.deepEqual(cells('Root', 'Lysine', '3', 'Table 2. Composition (% w/w) of roots'), [[[3], null, '%']]);
  assert.deepEqual(cells('P value', 'CRP (mg/L)', '0.04'), [[[0.04], null, null]], 'a P value has no unit');
  assert.deepEqual(cells('Depth (m)', 'a', '3.1b'), [[[3.1], null, 'm']], 'a footnote mark is not a unit');
});

test('a count with a percentage is two values', () => {
  const both = [
    [[45], null, null],
    [[32.1], null, '%'],
  ];
  assert.deepEqual(cells('No. (%)', 'Women', '45 (32.1)'), both);
  assert.deepEqual(cells('Patients', 'Women', '45 (32.1%)'), both);
});

test('a node of a cell with a count and its share is named by its own number', () => {
  const { nodes, edges } = read(
    blocks(
      { kind: 'caption', text: 'Table 1. Events.', parent: 1 },
      {
        kind: 'table',
        text: '',
        table: {
          rows: 3,
          columns: 2,
          cells: [
            cell(0, 0, 'Event', 'column-header'),
            cell(0, 1, 'Treated, n (%)', 'column-header'),
            cell(1, 0, 'Nausea'),
            cell(1, 1, '20 (27%)'),
            cell(2, 0, 'Nausea'),
            cell(2, 1, '4 (27%)'),
          ],
        },
      },
    ),
  );
  const labels = edges
    .filter(({ kind }) => kind === 'measures')
    .map(({ target, evidence: { place } }) => [
      nodes.find(({ id }) => id === target)?.label.split(' · ')[1],
      place.kind === 'text' ? place.quote : '',
    ]);
  assert.deepEqual(labels, [
    ['20', '20 (27%)'],
    ['27%', '20 (27%)'],
    ['4', '4 (27%)'],
    ['27%', '4 (27%)'],
  ]);
});

test('a letter in a heading is a unit only if the heading speaks of what it measures', () => {
  const unitOf = (heading: string): unknown => {
    const { nodes } = read(
      blocks(
        { kind: 'caption', text: 'Table 1. Groups.', parent: 1 },
        {
          kind: 'table',
          text: '',
          table: {
            rows: 2,
            columns: 2,
            cells: [
              cell(0, 0, 'Row', 'column-header'),
              cell(0, 1, heading, 'column-header'),
              cell(1, 0, 'Patients enrolled'),
              cell(1, 1, '18'),
            ],
          },
        },
      ),
    );
    return nodes.find(({ kind }) => kind === 'quantity')?.data['unit'];
  };
  assert.equal(unitOf('Control (C)'), null);
  assert.equal(unitOf('Voltage (V)'), 'V');
});

test('numbers without an owner are no nodes', () => {
  const { nodes } = read(
    blocks(
      { kind: 'text', text: 'It was 35%.' },
      { kind: 'caption', text: 'Table 1. Numbers.', parent: 2 },
      { kind: 'table', text: '', table: { rows: 1, columns: 2, cells: [cell(0, 0, ''), cell(0, 1, '12')] } },
    ),
  );
  assert.deepEqual(
    nodes.filter(({ kind }) => kind === 'quantity'),
    [],
  );
});

test('a row that begins with its number is named by the first words in it', () => {
  const cells = [
    cell(0, 0, 'No.', 'column-header'),
    cell(0, 1, 'Compound', 'column-header'),
    cell(0, 2, 'Area (%)', 'column-header'),
    cell(1, 0, '40'),
    cell(1, 1, 'Thymol'),
    cell(1, 2, '1.9'),
  ];
  const { nodes } = read(
    blocks(
      { kind: 'caption', text: 'Table 1. Compounds.', parent: 1 },
      { kind: 'table', text: '', table: { rows: 2, columns: 3, cells } },
    ),
  );
  assert.deepEqual(
    nodes.filter(({ kind }) => kind === 'quantity').map(({ label }) => label),
    ['Area (%) · 1.9 · Thymol'],
  );
});
