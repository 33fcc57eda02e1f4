import type { Cell, Table } from '../../document.ts';

/** The table as rows of positions; a position inside a span holds the cell that covers it. */
export function tableGrid(table: Table): (Cell | undefined)[][] {
  const grid: (Cell | undefined)[][] = Array.from({ length: table.rows }, () => Array.from({ length: table.columns }));
  for (const cell of table.cells)
    for (let row = cell.row; row < Math.min(table.rows, cell.row + cell.rowSpan); row += 1)
      for (let column = cell.column; column < Math.min(table.columns, cell.column + cell.columnSpan); column += 1) {
        const line = grid[row];
        if (line && line[column] === undefined) line[column] = cell;
      }
  return grid;
}

/** How many rows at the top are heads. */
export function headRows(table: Table): number {
  let rows = 0;
  const byRow = Map.groupBy(table.cells, (cell) => cell.row);
  while (rows < table.rows && byRow.get(rows)?.some((cell) => cell.kind === 'column-header')) rows += 1;
  return rows;
}
