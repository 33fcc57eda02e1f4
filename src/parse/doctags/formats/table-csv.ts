import type { Table } from '../../document.ts';

/** A table as CSV (RFC 4180): a cell that spans several places is written in the first of them. */
export function writeTableCsv(table: Table): string {
  const rows = Array.from({ length: table.rows }, () => Array.from({ length: table.columns }, () => ''));
  for (const cell of table.cells) {
    const row = rows[cell.row];
    if (row && cell.column < row.length) row[cell.column] = cell.text;
  }
  return rows.map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
