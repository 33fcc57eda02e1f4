import type { Cell, Table } from '../../../document.ts';
import { overlap } from '../page/box.ts';
import { joinTexts } from '../text/hyphen.ts';
import type { Segment } from '../page/segment.ts';
import type { Column } from './table-columns.ts';
import { cellPieces, findColumns, HEAD_DEPTH } from './table-columns.ts';
import type { TableRegion } from './table-region.ts';
import { rowsOf } from './table-region.ts';
import type { Entry, TableLine, TableRow } from './table-rows.ts';
import { groupRows, separators } from './table-rows.ts';
import type { RowSetting } from './table-rows.ts';
import { ruledCells } from './table-ruled.ts';
import type { CellDraft } from './table-span.ts';
import { spanRows, spanSections, takeBetweenLines } from './table-span.ts';

/** Reads the cells of a table region; undefined when the region turns out to hold no grid. */
export function buildTable(
  region: TableRegion,
  segments: readonly Segment[],
  vocabulary: ReadonlySet<string>,
): Table | undefined {
  const ruled = region.vertical.length > 0 ? ruledCells(region, segments) : undefined;
  if (ruled) return finish(ruled.cells, ruled.rows, { ...ruled, vocabulary });
  const lines = tableLines(region, segments);
  if (!lines) return undefined;
  const { columns, headerEnd, between } = lines;
  const groups = groupRows(lines.lines, lines);
  const header = headerRows(groups, headerEnd);
  const cells = groups.flatMap((group, row) => cellsOf(group, row));
  spanRows(cells, groups, between, header);
  spanSections(cells, { rows: groups.length, columns: columns.length, header });
  // Two columns under no rule of a head, whose lines are not beside each other, are columns of the page.
  const placed = joinOverlapping(cells);
  if (columns.length === 2 && lines.cuts.length <= 2 && placed.length < cells.length) return undefined;
  return finish(placed, groups.length, { columns: columns.length, header, vocabulary });
}

/** The lines of a table with the columns they fill; undefined when there are none to speak of. */
export function tableLines(
  region: TableRegion,
  segments: readonly Segment[],
): ({ lines: TableLine[]; columns: readonly Column[] } & RowSetting) | undefined {
  const inner = region.vertical.filter((rule) => rule.left > region.box.left + 4 && rule.right < region.box.right - 4);
  const rows = rowsOf(cellPieces(segments, inner));
  if (rows.length < 2) return undefined;
  const columns = findColumns(rows, inner, region.horizontal);
  if (columns.length < 2) return undefined;
  const cuts = separators(region);
  const headerEnd = cuts.find((y) => y > (rows[0]?.[0]?.baseline ?? 0) - 1) ?? -Infinity;
  const lines = rows.map((row): TableLine => ({
    baseline: row[0]?.baseline ?? 0,
    entries: row.map((piece) => entryOf(piece, columns, region, piece.baseline < headerEnd)),
  }));
  const between = takeBetweenLines(lines);
  return { lines, columns, cuts, parts: region.horizontal.map(({ top }) => top), headerEnd, between };
}

/** Rows above the first rule that has rows on both sides. */
function headerRows(groups: readonly TableRow[], headerEnd: number): number {
  const count = groups.filter((group) => (group.lines[0]?.baseline ?? 0) < headerEnd).length;
  return count < groups.length ? count : 0;
}

/** An entry with the columns it covers; a rule under part of a header says what it heads. */
function entryOf(piece: Segment, columns: readonly Column[], region: TableRegion, header: boolean): Entry {
  const hits = columns.flatMap((column, index) =>
    overlap(column.left, column.right, piece.left, piece.right) > 0.5 ? [index] : [],
  );
  let from = hits[0] ?? nearest(piece, columns);
  let to = hits.at(-1) ?? from;
  if (header) {
    const middle = (piece.left + piece.right) / 2;
    const full = region.box.right - region.box.left;
    const under = region.horizontal.find(
      (rule) =>
        rule.right - rule.left < 0.9 * full &&
        rule.top > piece.baseline - 1 &&
        rule.top - piece.baseline < HEAD_DEPTH * piece.size &&
        middle > rule.left &&
        middle < rule.right,
    );
    const covered = columns.flatMap((column, index) =>
      under && overlap(column.left, column.right, under.left, under.right) > 0.5 * (column.right - column.left)
        ? [index]
        : [],
    );
    from = Math.min(from, covered[0] ?? from);
    to = Math.max(to, covered.at(-1) ?? to);
  }
  return {
    text: piece.text,
    from,
    to,
    baseline: piece.baseline,
    left: piece.left,
    right: piece.right,
    size: piece.size,
  };
}

function nearest(piece: Segment, columns: readonly Column[]): number {
  const middle = (piece.left + piece.right) / 2;
  let best = 0;
  let distance = Infinity;
  columns.forEach((column, index) => {
    const away = Math.abs((column.left + column.right) / 2 - middle);
    if (away < distance) {
      best = index;
      distance = away;
    }
  });
  return best;
}

function cellsOf(group: TableRow, row: number): CellDraft[] {
  const cells: CellDraft[] = [];
  for (const line of group.lines)
    for (const entry of line.entries) {
      const same = cells.find((cell) => cell.column <= entry.to && cell.column + cell.columnSpan > entry.from);
      if (!same) {
        cells.push({ row, column: entry.from, rowSpan: 1, columnSpan: entry.to - entry.from + 1, entries: [entry] });
        continue;
      }
      const end = Math.max(same.column + same.columnSpan, entry.to + 1);
      same.column = Math.min(same.column, entry.from);
      same.columnSpan = end - same.column;
      same.entries.push(entry);
    }
  return cells;
}

interface Shape {
  readonly columns: number;
  readonly header: number;
  readonly vocabulary: ReadonlySet<string>;
}

/** Two cells never share a position: the later one gives its words to the one that holds the place. */
function joinOverlapping(drafts: readonly CellDraft[]): CellDraft[] {
  const holders = new Map<string, CellDraft>();
  const ordered = drafts.toSorted((a, b) => a.row - b.row || a.column - b.column);
  return ordered.filter((draft) => {
    const holder = holders.get(`${draft.row} ${draft.column}`);
    if (holder) {
      holder.entries.push(...draft.entries);
      return false;
    }
    for (let row = draft.row; row < draft.row + draft.rowSpan; row += 1)
      for (let column = draft.column; column < draft.column + draft.columnSpan; column += 1)
        if (holders.has(`${row} ${column}`)) {
          // It ends where another cell begins.
          if (row > draft.row) draft.rowSpan = row - draft.row;
          else draft.columnSpan = column - draft.column;
        } else holders.set(`${row} ${column}`, draft);
    return true;
  });
}

function finish(drafts: readonly CellDraft[], rows: number, shape: Shape): Table {
  const cells: Cell[] = [];
  const taken = new Set<string>();
  const ordered = drafts.toSorted((a, b) => a.row - b.row || a.column - b.column);
  for (const draft of ordered) {
    const inRow = ordered.filter((other) => other.row === draft.row);
    const header = draft.row < shape.header;
    const section = !header && inRow.length === 1 && draft.columnSpan > shape.columns / 2;
    const texts = draft.entries
      .toSorted((a, b) => a.baseline - b.baseline || a.left - b.left)
      .map((entry) => entry.text);
    cells.push({
      row: draft.row,
      column: draft.column,
      rowSpan: draft.rowSpan,
      columnSpan: draft.columnSpan,
      text: joinTexts(texts, shape.vocabulary),
      kind: header ? 'column-header' : section ? 'section-row' : 'data',
    });
    for (let row = draft.row; row < draft.row + draft.rowSpan; row += 1)
      for (let column = draft.column; column < draft.column + draft.columnSpan; column += 1)
        taken.add(`${row} ${column}`);
  }
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < shape.columns; column += 1)
      if (!taken.has(`${row} ${column}`))
        cells.push({ row, column, rowSpan: 1, columnSpan: 1, text: '', kind: 'data' });
  cells.sort((a, b) => a.row - b.row || a.column - b.column);
  return { rows, columns: shape.columns, cells };
}
