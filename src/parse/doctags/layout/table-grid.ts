import type { Cell, Table } from '../../document.ts';
import { overlap } from './box.ts';
import { joinTexts } from './hyphen.ts';
import type { Segment } from './segment.ts';
import { glyphsText } from './segment-text.ts';
import type { Column } from './table-columns.ts';
import { cellPieces, findColumns } from './table-columns.ts';
import type { TableRegion } from './table-region.ts';
import { rowsOf } from './table-region.ts';
import { groupRows, type RowGroup } from './table-rows.ts';

/** What is being put into a cell of the grid. */
interface Draft {
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  lines: string[];
  bold: boolean;
}

/** Reads the cells of a table region; undefined when the region turns out to hold no grid. */
export function buildTable(
  region: TableRegion,
  segments: readonly Segment[],
  vocabulary: ReadonlySet<string>,
): Table | undefined {
  const inner = region.vertical.filter((rule) => rule.left > region.box.left + 4 && rule.right < region.box.right - 4);
  const pieces = cellPieces(segments, inner);
  const rows = rowsOf(pieces);
  if (rows.length < 2) return undefined;
  const columns = findColumns(rows, inner);
  if (columns.length < 2) return undefined;
  const groups = groupRows(rows, columns, region);
  const drafts: Draft[] = [];
  groups.forEach((group, row) => {
    for (const piece of group.pieces.toSorted((a, b) => a.baseline - b.baseline || a.left - b.left)) {
      const [from, to] = columnsOf(piece, columns, region, group);
      const text = glyphsText(piece.glyphs, piece.size, piece.baseline);
      const same = drafts.find((draft) => draft.row === row && draft.column <= to && draft.column + draft.columnSpan > from);
      if (same) {
        const end = Math.max(same.column + same.columnSpan, to + 1);
        same.column = Math.min(same.column, from);
        same.columnSpan = end - same.column;
        same.lines.push(text);
      } else
        drafts.push({ row, column: from, rowSpan: 1, columnSpan: to - from + 1, lines: [text], bold: piece.bold > 0.6 });
    }
  });
  spanRows(drafts, groups);
  return finish(drafts, groups, columns.length, vocabulary);
}

/** First and last column that a piece covers; a rule under part of a header says what it heads. */
function columnsOf(piece: Segment, columns: readonly Column[], region: TableRegion, group: RowGroup): [number, number] {
  const hits = columns.flatMap((column, index) =>
    overlap(column.left, column.right, piece.left, piece.right) > 0.5 ? [index] : [],
  );
  let from = hits[0] ?? nearest(piece, columns);
  let to = hits.at(-1) ?? from;
  if (group.header) {
    const middle = (piece.left + piece.right) / 2;
    const full = region.box.right - region.box.left;
    const under = region.horizontal.find(
      (rule) =>
        rule.right - rule.left < 0.9 * full &&
        rule.top > piece.baseline - 1 &&
        rule.top - piece.baseline < 1.2 * piece.size &&
        middle > rule.left &&
        middle < rule.right,
    );
    if (under) {
      const covered = columns.flatMap((column, index) =>
        overlap(column.left, column.right, under.left, under.right) > 0.5 * (column.right - column.left) ? [index] : [],
      );
      from = Math.min(from, covered[0] ?? from);
      to = Math.max(to, covered.at(-1) ?? to);
    }
  }
  return [from, to];
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

/** Cells set between two rows of their neighbours span them. */
function spanRows(drafts: Draft[], groups: readonly RowGroup[]): void {
  groups.forEach((group, row) => {
    if (group.spanTo === undefined) return;
    for (const draft of drafts) if (draft.row === row && group.spanning.has(draft.column)) draft.rowSpan = group.spanTo - row + 1;
  });
}

function finish(drafts: readonly Draft[], groups: readonly RowGroup[], columns: number, vocabulary: ReadonlySet<string>): Table {
  const cells: Cell[] = [];
  const taken = new Set<string>();
  const key = (row: number, column: number): string => `${row} ${column}`;
  for (const draft of drafts)
    for (let row = draft.row; row < draft.row + draft.rowSpan; row += 1)
      for (let column = draft.column; column < draft.column + draft.columnSpan; column += 1)
        taken.add(key(row, column));
  for (let row = 0; row < groups.length; row += 1) {
    const header = groups[row]?.header ?? false;
    const inRow = drafts.filter((draft) => draft.row === row);
    const section = !header && inRow.length === 1 && (inRow[0]?.columnSpan ?? 1) > columns / 2;
    for (let column = 0; column < columns; column += 1) {
      const draft = inRow.find((each) => each.column === column);
      if (!draft) {
        if (!taken.has(key(row, column)))
          cells.push({ row, column, rowSpan: 1, columnSpan: 1, text: '', kind: 'data' });
        continue;
      }
      cells.push({
        row,
        column,
        rowSpan: draft.rowSpan,
        columnSpan: draft.columnSpan,
        text: joinTexts(draft.lines, vocabulary),
        kind: header ? 'column-header' : section ? 'section-row' : 'data',
      });
    }
  }
  return { rows: groups.length, columns, cells };
}
