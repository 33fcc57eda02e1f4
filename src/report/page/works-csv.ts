import type { WorkLine } from '../data.ts';

const FIELDS = [
  'id',
  'doi',
  'title',
  'outcome',
  'reason',
  'resolver',
  'licence',
  'bytes',
  'file',
  'retracted',
] as const;

/** Works as a table for other programs. A cell that a spreadsheet would take for a formula starts with a quote. */
export function worksCsv(works: readonly WorkLine[]): string {
  return [
    FIELDS,
    ...works.map((work) =>
      FIELDS.map((column) => (column === 'retracted' ? (work.retracted ? 'yes' : '') : work[column])),
    ),
  ]
    .map((cells) => `${cells.map(cell).join(',')}\r\n`)
    .join('');
}

function cell(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
