import { AppError } from '../../../base/index.ts';
import type { Cell, Table } from '../../document.ts';
import type { MarkupElement, MarkupNode } from './node.ts';
import { children } from './node.ts';

const LARGEST_SPAN = 1_000;
const LARGEST_GRID = 500_000;

export interface SourceRow {
  readonly part: 'head' | 'body';
  readonly cells: readonly MarkupElement[];
}

/** The rows of an HTML-model table (JATS uses the same), heads first, feet last, wherever the file has them. */
export function tableRows(table: MarkupElement): SourceRow[] {
  const head: SourceRow[] = [];
  const body: SourceRow[] = [];
  const foot: SourceRow[] = [];
  const collect = (parent: MarkupElement, part: 'head' | 'body', into: SourceRow[]): void => {
    for (const row of children(parent, 'tr')) into.push({ part, cells: children(row, 'td', 'th') });
  };
  for (const part of children(table)) {
    if (part.name === 'thead') collect(part, 'head', head);
    else if (part.name === 'tbody') collect(part, 'body', body);
    else if (part.name === 'tfoot') collect(part, 'body', foot);
    else if (part.name === 'tr') body.push({ part: 'body', cells: children(part, 'td', 'th') });
    else if (part.name === 'tgroup') body.push(...groupRows(part));
  }
  return [...head, ...body, ...foot];
}

/**
 * The rows of a CALS table, as OASIS tables in JATS are: its columns have names, by which its cells say where they
 * span.
 */
function groupRows(group: MarkupElement): SourceRow[] {
  const columns = children(group, 'colspec').map(({ attributes }) => attributes['colname']);
  const cellOf = (entry: MarkupElement): MarkupElement => {
    const { namest, nameend, morerows = '0' } = entry.attributes;
    const colspan = columns.indexOf(nameend ?? namest) - columns.indexOf(namest) + 1;
    return { ...entry, attributes: { colspan: String(colspan), rowspan: String(Number(morerows) + 1) } };
  };
  return children(group, 'thead', 'tbody').flatMap((part) =>
    children(part, 'row').map((row) => ({
      part: part.name === 'thead' ? ('head' as const) : ('body' as const),
      cells: children(row, 'entry').map(cellOf),
    })),
  );
}

/** Lays rows out on a grid as a browser does: a cell takes the next free position; spans are cut at the last row. */
export function layOutTable(source: readonly SourceRow[], textOf: (cell: MarkupElement) => string): Table {
  const rows = withoutSpacers(source);
  const cells: Cell[] = [];
  const free: number[] = [];
  let columns = 0;
  let area = 0;
  rows.forEach(({ part, cells: sources }, row) => {
    let column = 0;
    for (const source of sources) {
      while ((free[column] ?? 0) > row) column += 1;
      const columnSpan = span(source.attributes['colspan'], 1);
      const rowSpan = Math.min(span(source.attributes['rowspan'], rows.length - row), rows.length - row);
      area += columnSpan * rowSpan;
      if (area > LARGEST_GRID)
        throw new AppError('PARSE_TOO_LARGE', `a table has more than ${LARGEST_GRID} positions`, {
          hint: 'the file is damaged or made to exhaust memory',
        });
      for (let at = column; at < column + columnSpan; at += 1) free[at] = row + rowSpan;
      cells.push({ row, column, rowSpan, columnSpan, text: textOf(source), kind: kindOf(source, part, column) });
      column += columnSpan;
      if (column > columns) columns = column;
    }
  });
  return { rows: rows.length, columns, cells: markSectionRows(cells, columns) };
}

/** Rows that hold nothing at all are space between rows. */
function withoutSpacers(rows: readonly SourceRow[]): SourceRow[] {
  let spannedTo = 0;
  return rows.filter(({ cells }, row) => {
    const spacer = row >= spannedTo && cells.every((cell) => cell.children.every(isBlank));
    for (const cell of cells)
      spannedTo = Math.max(spannedTo, row + span(cell.attributes['rowspan'], rows.length - row));
    return !spacer;
  });
}

function isBlank(node: MarkupNode): boolean {
  if (typeof node === 'string') return node.trim() === '';
  return (
    node.name !== 'img' && node.name !== 'graphic' && node.name !== 'inline-graphic' && node.children.every(isBlank)
  );
}

function span(attribute: string | undefined, zero: number): number {
  const value = Number.parseInt(attribute ?? '1', 10);
  // A span of 0 means "to the end" for rows in HTML.
  if (value === 0) return Math.max(1, Math.min(zero, LARGEST_SPAN));
  return Number.isFinite(value) && value > 0 ? Math.min(value, LARGEST_SPAN) : 1;
}

function kindOf(source: MarkupElement, part: 'head' | 'body', column: number): Cell['kind'] {
  if (part === 'head') return 'column-header';
  if (source.name !== 'th') return 'data';
  const scope = source.attributes['scope'];
  if (scope === 'col' || scope === 'colgroup') return 'column-header';
  if (scope === 'row' || scope === 'rowgroup') return 'row-header';
  // LaTeXML says which kind of head it guessed.
  const classes = source.attributes['class'] ?? '';
  if (/\bltx_th_column\b/.test(classes)) return 'column-header';
  if (/\bltx_th_row\b/.test(classes)) return 'row-header';
  return column === 0 ? 'row-header' : 'column-header';
}

/** A row below the head that holds one cell across all columns titles the rows under it. */
function markSectionRows(cells: readonly Cell[], columns: number): Cell[] {
  if (columns < 2) return [...cells];
  return cells.map((cell) =>
    cell.row > 0 &&
    cell.columnSpan === columns &&
    cell.rowSpan === 1 &&
    cell.text !== '' &&
    cell.kind !== 'column-header'
      ? { ...cell, kind: 'section-row' }
      : cell,
  );
}
