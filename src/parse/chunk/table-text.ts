import type { Cell, Table } from '../document.ts';

/** A table as lines of text; the first `headerRows` name the columns. */
export interface TableText {
  readonly rows: readonly string[];
  readonly headerRows: number;
}

const BETWEEN_CELLS = ' | ';

/** One line per row. A cell that spans rows is said in each of them, so that every row can be read alone. */
export function tableText(table: Table): TableText {
  const rows: (Cell | undefined)[][] = Array.from({ length: table.rows }, () => []);
  for (const cell of table.cells) {
    for (let row = cell.row; row < Math.min(cell.row + cell.rowSpan, table.rows); row += 1) {
      const line = rows[row];
      if (line) line[cell.column] = cell;
    }
  }
  let headerRows = 0;
  while (headerRows < rows.length && rows[headerRows]?.some((cell) => cell?.kind === 'column-header')) headerRows += 1;
  // A table of nothing but headers has no body to repeat them for.
  if (headerRows === rows.length) headerRows = 0;
  return { rows: rows.map(lineOf), headerRows };
}

function lineOf(cells: readonly (Cell | undefined)[]): string {
  return Array.from(cells, (cell) => cell?.text.replaceAll(/\s+/g, ' ').trim() ?? '').join(BETWEEN_CELLS);
}
