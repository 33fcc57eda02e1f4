import type { Cell, Table } from '../../document.ts';
import { guardText } from './doctags-tokens.ts';

const ORIGIN: Readonly<Record<Cell['kind'], string>> = {
  data: 'fcel',
  'column-header': 'ched',
  'row-header': 'rhed',
  'section-row': 'srow',
};
const KINDS: Readonly<Record<string, Cell['kind']>> = {
  fcel: 'data',
  ecel: 'data',
  ched: 'column-header',
  rhed: 'row-header',
  srow: 'section-row',
};

/** One token of the stream with the text behind it. */
export interface CellToken {
  readonly token: string;
  readonly text: string;
}

/** A table as a stream of cell tokens, row by row; spans as docling spells them (two-dimensional ones are all xcel). */
export function writeOtsl(table: Table): string {
  const grid: (string | undefined)[][] = Array.from({ length: table.rows }, () =>
    Array.from({ length: table.columns }),
  );
  for (const cell of table.cells) {
    const continued = cell.rowSpan > 1 && cell.columnSpan > 1 ? 'xcel' : cell.columnSpan > 1 ? 'lcel' : 'ucel';
    for (let row = cell.row; row < Math.min(table.rows, cell.row + cell.rowSpan); row += 1)
      for (let column = cell.column; column < Math.min(table.columns, cell.column + cell.columnSpan); column += 1) {
        const line = grid[row];
        if (!line || line[column] !== undefined) continue;
        const isOrigin = row === cell.row && column === cell.column;
        const text = cellText(cell.text);
        line[column] = isOrigin ? (text === '' ? '<ecel>' : `<${ORIGIN[cell.kind]}>${text}`) : `<${continued}>`;
      }
  }
  return grid.map((line) => `${Array.from(line, (token) => token ?? '<ecel>').join('')}<nl>`).join('');
}

function cellText(text: string): string {
  return guardText(text.replace(/\s+/g, ' ').trim());
}

/**
 * Builds a table from a stream of tokens. Both spellings of spans are read: an origin owns the run of unowned
 * lcel/xcel to its right and of unowned ucel/xcel below it, and with them the rectangle. Short rows are filled up.
 */
export function readOtsl(tokens: readonly CellToken[]): Table {
  const grid: CellToken[][] = [[]];
  for (const cell of tokens) {
    if (cell.token === 'nl') grid.push([]);
    else grid.at(-1)?.push(cell);
  }
  while (grid.length > 0 && grid.at(-1)?.length === 0) grid.pop();
  const columns = grid.reduce((most, row) => Math.max(most, row.length), 0);
  const owned = grid.map(() => new Uint8Array(columns));
  const isOneOf = (row: number, column: number, first: string): boolean => {
    const token = grid[row]?.[column]?.token;
    return (token === first || token === 'xcel') && owned[row]?.[column] === 0;
  };
  const cells: Cell[] = [];
  grid.forEach((line, row) => {
    for (let column = 0; column < columns; column += 1) {
      const { token, text } = line[column] ?? { token: 'ecel', text: '' };
      if (owned[row]?.[column]) continue;
      // A continuation without an owner becomes a cell: the text of a damaged table is not lost.
      const starts = KINDS[token] !== undefined;
      let columnSpan = 1;
      let rowSpan = 1;
      if (starts) {
        while (isOneOf(row, column + columnSpan, 'lcel')) columnSpan += 1;
        while (isOneOf(row + rowSpan, column, 'ucel')) rowSpan += 1;
      }
      for (let at = row; at < row + rowSpan; at += 1) owned[at]?.fill(1, column, column + columnSpan);
      cells.push({ row, column, rowSpan, columnSpan, text, kind: KINDS[token] ?? 'data' });
    }
  });
  return { rows: grid.length, columns, cells };
}
