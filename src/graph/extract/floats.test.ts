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

test('cells of a table are quantities by row and column, in the unit of the cell or of the heading', () => {
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
    'the sentence points to it',
  );
});

test('a figure without its picture is known by its caption', () => {
  const { nodes } = read(blocks({ kind: 'caption', text: 'Figure 3. Warm water.' }));
  assert.deepEqual(nodes.find(({ kind }) => kind === 'figure')?.data, { label: 'Figure 3' });
});
