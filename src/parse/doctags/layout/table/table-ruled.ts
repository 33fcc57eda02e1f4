import type { Box } from '../../../document.ts';
import { overlap } from '../page/box.ts';
import type { Segment } from '../page/segment.ts';
import { cellPieces } from './table-columns.ts';
import type { TableRegion } from './table-region.ts';
import type { CellDraft } from './table-span.ts';

/** Rules closer than this are one rule drawn twice. */
const SAME_RULE = 4;
/** The share of a cell's edge that must be drawn. */
const DRAWN = 0.6;

/** Cells as the rules around them say. */
export interface RuledCells {
  readonly cells: CellDraft[];
  readonly rows: number;
  readonly columns: number;
  readonly header: number;
}

/** Reads a table in which rules are around every cell; undefined when they are not, or when text runs across them. */
export function ruledCells(region: TableRegion, segments: readonly Segment[]): RuledCells | undefined {
  const { box, horizontal, vertical } = region;
  const xs = edges([box.left, box.right, ...vertical.map((rule) => rule.left)]);
  const ys = withText(edges([box.top, box.bottom, ...horizontal.map((rule) => rule.top)]), segments);
  const columns = xs.length - 1;
  const rows = ys.length - 1;
  if (columns < 2 || rows < 2 || columns * rows > 20_000) return undefined;
  const grid: Grid = { xs, ys, horizontal, vertical };
  const drafts = spans(grid);
  if (drafts.length < 0.6 * columns * rows) return undefined;
  for (const piece of cellPieces(segments, vertical)) {
    const x = (piece.left + piece.right) / 2;
    const y = piece.baseline - 0.3 * piece.size;
    const cell = drafts.find((draft) => {
      const area = areaOf(draft, grid);
      return x > area.left && x < area.right && y > area.top && y < area.bottom;
    });
    if (!cell) return undefined;
    const area = areaOf(cell, grid);
    if (piece.left < area.left - 3 || piece.right > area.right + 3) return undefined;
    cell.entries.push({
      text: piece.text,
      from: cell.column,
      to: cell.column + cell.columnSpan - 1,
      baseline: piece.baseline,
      left: piece.left,
      right: piece.right,
      size: piece.size,
    });
  }
  if (holdsRows(drafts, rows)) return undefined;
  const header = Math.max(1, ...drafts.filter(({ row }) => row === 0).map(({ rowSpan }) => rowSpan));
  return {
    cells: drafts.filter(({ entries, rowSpan, columnSpan }) => entries.length > 0 || rowSpan > 1 || columnSpan > 1),
    rows,
    columns,
    header: header < Math.min(4, rows) ? header : 1,
  };
}

interface Grid {
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  readonly horizontal: readonly Box[];
  readonly vertical: readonly Box[];
}

function edges(values: readonly number[]): number[] {
  const result: number[] = [];
  for (const value of values.toSorted((a, b) => a - b))
    if (value - (result.at(-1) ?? -Infinity) > SAME_RULE) result.push(value);
  return result;
}

/** The heights between which text is: a frame round the table makes no row above or below it. */
function withText(ys: readonly number[], segments: readonly Segment[]): readonly number[] {
  const top = Math.min(...segments.map(({ baseline }) => baseline));
  const bottom = Math.max(...segments.map(({ baseline }) => baseline));
  return ys.slice(
    Math.max(
      0,
      ys.findLastIndex((y) => y < top),
    ),
    ys.findIndex((y) => y > bottom) + 1 || undefined,
  );
}

function areaOf(cell: CellDraft, { xs, ys }: Grid): Box {
  return {
    left: xs[cell.column] ?? 0,
    right: xs[cell.column + cell.columnSpan] ?? 0,
    top: ys[cell.row] ?? 0,
    bottom: ys[cell.row + cell.rowSpan] ?? 0,
  };
}

/** Cells from the upper left on, each as wide and high as no rule ends it. */
function spans(grid: Grid): CellDraft[] {
  const rows = grid.ys.length - 1;
  const columns = grid.xs.length - 1;
  const taken = new Set<number>();
  const drafts: CellDraft[] = [];
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      if (taken.has(row * columns + column)) continue;
      let columnSpan = 1;
      while (
        column + columnSpan < columns &&
        !taken.has(row * columns + column + columnSpan) &&
        !hasRight(grid, row, column + columnSpan - 1)
      )
        columnSpan += 1;
      let rowSpan = 1;
      const goesDown = (): boolean => {
        for (let each = column; each < column + columnSpan; each += 1) {
          if (taken.has((row + rowSpan) * columns + each) || hasBottom(grid, row + rowSpan - 1, each)) return false;
          if (each + 1 < column + columnSpan && hasRight(grid, row + rowSpan, each)) return false;
        }
        return true;
      };
      while (row + rowSpan < rows && goesDown()) rowSpan += 1;
      for (let y = row; y < row + rowSpan; y += 1)
        for (let x = column; x < column + columnSpan; x += 1) taken.add(y * columns + x);
      drafts.push({ row, column, rowSpan, columnSpan, entries: [] });
    }
  return drafts;
}

function hasRight({ xs, ys, vertical }: Grid, row: number, column: number): boolean {
  const x = xs[column + 1] ?? 0;
  const [top = 0, bottom = 0] = [ys[row], ys[row + 1]];
  const drawn = vertical
    .filter((rule) => Math.abs(rule.left - x) <= SAME_RULE)
    .reduce((sum, rule) => sum + Math.max(0, overlap(rule.top, rule.bottom, top, bottom)), 0);
  return drawn > DRAWN * (bottom - top);
}

function hasBottom({ xs, ys, horizontal }: Grid, row: number, column: number): boolean {
  const y = ys[row + 1] ?? 0;
  const [left = 0, right = 0] = [xs[column], xs[column + 1]];
  const drawn = horizontal
    .filter((rule) => Math.abs(rule.top - y) <= SAME_RULE)
    .reduce((sum, rule) => sum + Math.max(0, overlap(rule.left, rule.right, left, right)), 0);
  return drawn > DRAWN * (right - left);
}

/** Numbers below numbers, or as many lines in every cell: only groups of rows are ruled off. */
function holdsRows(drafts: readonly CellDraft[], rows: number): boolean {
  // One row below the head, of many lines: it is not ruled off row by row.
  if (rows === 2 && drafts.some(({ row, entries }) => row === 1 && lineCount(entries) > 3)) return true;
  for (let row = 0; row < rows; row += 1) {
    const filled = drafts.filter((draft) => draft.row === row && draft.entries.length > 0);
    if (filled.some(({ entries }) => lineCount(entries.filter((entry) => NUMBER.test(entry.text))) >= 2)) return true;
    const counts = new Set(filled.map(({ entries }) => lineCount(entries)));
    if (row > 0 && filled.length >= 2 && counts.size === 1 && !counts.has(1)) return true;
  }
  return false;
}

const NUMBER = /^[^\p{L}\p{N}]*\p{N}[^\p{L}]*$/u;

function lineCount(entries: CellDraft['entries']): number {
  return new Set(entries.map((entry) => Math.round(entry.baseline))).size;
}
