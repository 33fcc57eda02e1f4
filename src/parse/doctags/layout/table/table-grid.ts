import type { Cell, Table, Box } from '../../../document.ts';
import type { Extent } from '../page/box.ts';
import { overlap, overlapX, widthOf } from '../page/box.ts';
import { joinTexts } from '../text/glyph-text.ts';
import type { Segment } from '../page/segment.ts';
import { segmentOf } from '../page/segment.ts';
import type { TableRegion } from './table-rows.ts';
import { joinHorizontal, rowsOf, groupRows, separators, SAME_HEIGHT } from './table-rows.ts';
import type { Entry, TableLine, TableRow, RowSetting } from './table-rows.ts';
import type { CellDraft } from './table-span.ts';
import { spanRows, spanSections, takeBetweenLines } from './table-span.ts';
import type { Glyph } from '../page/page-content.ts';

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

export function tableLines(
  region: TableRegion,
  segments: readonly Segment[],
): ({ lines: TableLine[]; columns: readonly Extent[] } & RowSetting) | undefined {
  const inner = region.vertical.filter((rule) => rule.left > region.box.left + 4 && rule.right < region.box.right - 4);
  const rows = rowsOf(cellPieces(segments, inner));
  if (rows.length < 2) return undefined;
  const horizontal = region.horizontal.filter((rule) => !segments.some((segment) => isUnderline(rule, segment)));
  const columns = findColumns(rows, inner, partialRules(horizontal, region));
  if (columns.length < 2) return undefined;
  const cuts = separators(region);
  const headerEnd = cuts.find((y) => y > (rows[0]?.[0]?.baseline ?? 0) - 1) ?? -Infinity;
  const lines = rows.map((row): TableLine => ({
    baseline: row[0]?.baseline ?? 0,
    entries: row
      .flatMap((piece) => valuesApart(piece, columns))
      .map((piece) =>
        entryOf(
          piece,
          columns,
          region,
          row.filter(({ baseline }) => baseline < headerEnd),
        ),
      ),
  }));
  const between = takeBetweenLines(lines);
  return { lines, columns, cuts, parts: horizontal.map(({ top }) => top), headerEnd, between };
}

/** Values of columns that are close to each other, cut where one column ends and the next begins. */
function valuesApart(piece: Segment, columns: readonly Extent[]): Segment[] {
  const hits = columns.filter((column) => overlapX(column, piece) > 0.5);
  if (hits.length < 2 || !NUMBER.test(piece.text)) return [piece];
  const slack = 0.2 * piece.size;
  const isGutter = (before: Glyph, after: Glyph): boolean =>
    hits.some(({ right }, at) => {
      const next = hits[at + 1];
      return next !== undefined && before.right < right + slack && after.left > next.left - slack;
    });
  const parts = cutGlyphs(piece, isGutter);
  const isApart = parts.every((part) => hits.filter((column) => overlapX(column, part) > slack).length === 1);
  return isApart ? parts : [piece];
}

/**
 * Rules over a part of the table, which head several columns. One that is drawn cell by cell over the whole width does
 * not, where nothing else ends between its ends.
 */
function partialRules(horizontal: readonly Box[], { box }: TableRegion): Box[] {
  const widest = Math.max(0, ...horizontal.map(widthOf));
  const whole = joinHorizontal(horizontal).filter((rule) => widthOf(rule) > 0.9 * widthOf(box));
  const ends = horizontal.map(({ right }) => right);
  const isCell = ({ left, right, top }: Box): boolean =>
    whole.some((rule) => Math.abs(rule.top - top) < SAME_HEIGHT) &&
    !ends.some((end) => end > left + SAME_RULE && end < right - SAME_RULE);
  return horizontal.filter((rule) => widthOf(rule) < 0.9 * widest && !isCell(rule));
}

/** A rule right under some words and no wider than they are, as links have: it divides no rows. */
function isUnderline(rule: Box, { left, right, baseline, size }: Segment): boolean {
  const below = rule.top - baseline;
  return below > -0.1 * size && below < 0.25 * size && rule.left > left - 1 && rule.right < right + 1;
}

/** Rows above the first rule that has rows on both sides. */
function headerRows(groups: readonly TableRow[], headerEnd: number): number {
  const count = groups.filter((group) => (group.lines[0]?.baseline ?? 0) < headerEnd).length;
  return count < groups.length ? count : 0;
}

/** An entry with the columns it covers; a rule under part of a header says what it heads. */
function entryOf(piece: Segment, columns: readonly Extent[], region: TableRegion, header: readonly Segment[]): Entry {
  const hits = columns.flatMap((column, index) => (overlapX(column, piece) > 0.5 ? [index] : []));
  let from = hits[0] ?? nearest(piece, columns);
  let to = hits.at(-1) ?? from;
  const under = header.includes(piece) ? ruleUnder(piece, region) : undefined;
  if (under) {
    const own = columns.flatMap((column, index) => (overlapX(column, under) > 0.5 * widthOf(column) ? [index] : []));
    const over = header.filter((other) => ruleUnder(other, region) === under).sort((a, b) => a.left - b.left);
    const heads = over.filter((other, at) => at === 0 || !isInBrackets(other));
    const head = heads.findLast(({ left }) => left <= piece.left) ?? piece;
    const covered = heads.length > 1 ? shareOf(head, heads, own, columns) : own;
    from = Math.min(from, covered[0] ?? from);
    to = Math.max(to, covered.at(-1) ?? to);
  }
  return { ...piece, from, to };
}

/** The rule right under a part of a header that is as wide as what this part heads. */
function ruleUnder(piece: Segment, { box, horizontal }: TableRegion): Box | undefined {
  const middle = (piece.left + piece.right) / 2;
  return horizontal.find(
    (rule) =>
      widthOf(rule) < 0.9 * widthOf(box) &&
      rule.top > piece.baseline - 1 &&
      rule.top - piece.baseline < HEAD_DEPTH * piece.size &&
      middle > rule.left &&
      middle < rule.right,
  );
}

/** "(95% CI)" and "(n = 20)" go on with the head before them, at whatever distance. */
function isInBrackets({ text }: Segment): boolean {
  return /^[([].*[)\]]\S?$/u.test(text);
}

/** How far, in points, a head may be from the edge of its first column. */
const SAME_START = 4;

/** The columns that one of several heads over one rule has: from where it begins, or those nearest to its middle. */
function shareOf(
  piece: Segment,
  heads: readonly Segment[],
  covered: readonly number[],
  columns: readonly Extent[],
): number[] {
  const startsColumn = ({ left }: Segment): boolean =>
    covered.some((index) => Math.abs((columns[index]?.left ?? Infinity) - left) < SAME_START);
  const areAtStarts = heads.every(startsColumn);
  const sorted = heads.toSorted((a, b) => a.left - b.left);
  return covered.filter((index) => {
    const { left, right } = columns[index] ?? { left: 0, right: 0 };
    if (areAtStarts) return sorted.findLast((head) => head.left < left + SAME_START) === piece;
    const away = (head: Segment): number => Math.abs(head.left + head.right - left - right);
    return sorted.reduce((best, head) => (away(head) < away(best) ? head : best)) === piece;
  });
}

function nearest(piece: Segment, columns: readonly Extent[]): number {
  const middle = (piece.left + piece.right) / 2;
  const distances = columns.map((column) => Math.abs((column.left + column.right) / 2 - middle));
  return Math.max(0, distances.indexOf(Math.min(...distances)));
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

/** Rules closer than this are one rule drawn twice. */
const SAME_RULE = 4;
/** The share of a cell's edge that must be drawn. */
const DRAWN = 0.6;

/** Reads a table in which rules are around every cell; undefined when they are not. */
function ruledCells(region: TableRegion, segments: readonly Segment[]) {
  const { box, horizontal, vertical } = region;
  const xs = edges([box.left, box.right, ...vertical.map((rule) => rule.left)]);
  const ys = edges([box.top, box.bottom, ...horizontal.map((rule) => rule.top)]);
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
    cell.entries.push({ ...piece, from: cell.column, to: cell.column + cell.columnSpan - 1 });
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

/** Gap, in ems, that separates two cells of a row: number columns are closer than text columns. */
const CELL_GAP = 0.6;

/** Ems above a rule over several columns in which their common head is, in up to two lines. */
const HEAD_DEPTH = 2.6;

/** Cuts segments again, at the narrower gaps that separate cells, and at vertical rules. */
function cellPieces(segments: readonly Segment[], vertical: readonly Box[]): Segment[] {
  return segments.flatMap((segment) =>
    cutGlyphs(segment, (before, after) => isCut(before, after, segment) || rulesBetween(before, after, vertical)),
  );
}

function cutGlyphs(segment: Segment, isEnd: (before: Glyph, after: Glyph) => boolean): Segment[] {
  const pieces: Glyph[][] = [];
  let current: Glyph[] = [];
  for (const glyph of segment.glyphs) {
    const previous = current.at(-1);
    if (previous && isEnd(previous, glyph)) {
      pieces.push(current);
      current = [];
    }
    current.push(glyph);
  }
  if (current.length > 0) pieces.push(current);
  if (pieces.length === 1) return [segment];
  return pieces
    .map((glyphs) => segmentOf(segment.page, glyphs, segment.baseline))
    .filter((piece): piece is Segment => piece !== undefined);
}

function isCut(previous: Glyph, glyph: Glyph, segment: Segment): boolean {
  return glyph.left - previous.right > CELL_GAP * segment.size;
}

function rulesBetween(previous: Glyph, glyph: Glyph, vertical: readonly Box[]): boolean {
  const middle = (glyph.top + glyph.bottom) / 2;
  return vertical.some(
    (rule) =>
      rule.left >= previous.right - 1 && rule.right <= glyph.left + 1 && rule.top <= middle && rule.bottom >= middle,
  );
}

/** The columns that the pieces of all rows agree on; pieces over several columns do not make one. */
function findColumns(
  rows: readonly (readonly Segment[])[],
  vertical: readonly Box[],
  partial: readonly Box[],
): Extent[] {
  const most = Math.max(...rows.map((row) => row.length));
  // Rows with many cells show the columns best; others (headers, section rows) may span.
  const good = rows.filter((row) => row.length >= Math.max(2, 0.6 * most)).flat();
  const rest = rows.filter((row) => row.length < Math.max(2, 0.6 * most)).flat();
  const columns: Extent[] = [];
  for (const piece of [...good].sort(byWidth)) if (!headsSeveral(piece, partial)) place(columns, piece, vertical);
  for (const piece of [...rest].sort(byWidth)) if (!headsSeveral(piece, partial)) place(columns, piece, vertical);
  columns.sort((a, b) => a.left - b.left);
  return joinNeverBeside(columns, rows);
}

/** Two columns that no row fills side by side, while a piece is in both, are one: a head centred over short cells. */
function joinNeverBeside(columns: readonly Extent[], rows: readonly (readonly Segment[])[]): Extent[] {
  const result: Extent[] = [];
  for (const column of columns) {
    const last = result.at(-1);
    const hits = (piece: Segment, other: Extent): boolean => overlapX(other, piece) > 0.5;
    const joined =
      last !== undefined &&
      rows.some((row) => row.some((piece) => hits(piece, last) && hits(piece, column))) &&
      rows.every((row) =>
        row.every((piece) => !hits(piece, last) || row.every((other) => other === piece || !hits(other, column))),
      );
    if (joined) result[result.length - 1] = { left: last.left, right: column.right };
    else result.push(column);
  }
  return result;
}

/** A rule right under a piece, clearly wider than it, says that it is over several columns. */
function headsSeveral(piece: Segment, partial: readonly Box[]): boolean {
  return partial.some((rule) => {
    const width = widthOf(rule);
    const below = rule.top - piece.baseline;
    return (
      width > 1.5 * widthOf(piece) &&
      below > -1 &&
      below < HEAD_DEPTH * piece.size &&
      rule.left < piece.left &&
      rule.right > piece.right
    );
  });
}

function byWidth(a: Segment, b: Segment): number {
  return widthOf(a) - widthOf(b);
}

function place(columns: Extent[], piece: Segment, vertical: readonly Box[]): void {
  const hits = columns.filter((column) => overlapX(column, piece) > 0.5);
  const [only] = hits;
  if (!only) {
    columns.push({ left: piece.left, right: piece.right });
    return;
  }
  if (hits.length > 1) return;
  const grown = { left: Math.min(only.left, piece.left), right: Math.max(only.right, piece.right) };
  // Growing into a neighbour would fuse two columns: the piece is a span or sticks out.
  const clash = columns.some((column) => column !== only && overlapX(column, grown) > 0);
  const ruled = vertical.some((rule) => rule.left > grown.left + 1 && rule.right < grown.right - 1);
  if (!clash && !ruled) columns[columns.indexOf(only)] = grown;
}
