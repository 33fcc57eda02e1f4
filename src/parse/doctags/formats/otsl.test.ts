import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Cell, Table } from '../../document.ts';
import { readOtsl, writeOtsl, type CellToken } from './otsl.ts';

const cell = (row: number, column: number, text: string, more: Partial<Cell> = {}): Cell => ({
  row,
  column,
  rowSpan: 1,
  columnSpan: 1,
  text,
  kind: 'data',
  ...more,
});

function tokens(stream: string): CellToken[] {
  return Array.from(stream.matchAll(/<([a-z]+)\/?>([^<]*)/g), ([, token = '', text = '']) => ({ token, text }));
}

test('spans are written as docling spells them', () => {
  const table: Table = {
    rows: 3,
    columns: 4,
    cells: [
      cell(0, 0, 'a', { kind: 'column-header', rowSpan: 2 }),
      cell(0, 1, 'b', { kind: 'column-header', columnSpan: 3 }),
      cell(1, 1, 'c', { rowSpan: 2, columnSpan: 2 }),
      cell(1, 3, ''),
      cell(2, 0, 'd', { kind: 'row-header' }),
      cell(2, 3, 'e'),
    ],
  };
  const written = writeOtsl(table);
  assert.equal(written, '<ched>a<ched>b<lcel><lcel><nl><ucel><fcel>c<xcel><ecel><nl><rhed>d<xcel><xcel><fcel>e<nl>');
  assert.deepEqual(readOtsl(tokens(written)), table);
});

test('the spelling of the OTSL paper is read as the same table', () => {
  const docling = readOtsl(tokens('<fcel>a<fcel>b<xcel><nl><fcel>c<xcel><xcel><nl>'));
  const paper = readOtsl(tokens('<fcel>a<fcel>b<lcel><nl><fcel>c<ucel><xcel><nl>'));
  assert.deepEqual(paper, docling);
  assert.deepEqual(paper.cells[1], cell(0, 1, 'b', { rowSpan: 2, columnSpan: 2 }));
});

test('a cell left of a two-dimensional span does not swallow it', () => {
  const table = readOtsl(tokens('<fcel>left<fcel>wide<xcel><nl><fcel>below<xcel><xcel><nl>'));
  assert.deepEqual(
    table.cells.map(({ text, rowSpan, columnSpan }) => [text, rowSpan, columnSpan]),
    [
      ['left', 1, 1],
      ['wide', 2, 2],
      ['below', 1, 1],
    ],
  );
});

test('short rows are filled up and text behind an unowned continuation is kept', () => {
  const table = readOtsl(tokens('<fcel>a<fcel>b<fcel>c<nl><lcel>lost<nl>'));
  assert.equal(table.columns, 3);
  assert.deepEqual(
    table.cells.filter(({ row }) => row === 1).map(({ text }) => text),
    ['lost', '', ''],
  );
});
