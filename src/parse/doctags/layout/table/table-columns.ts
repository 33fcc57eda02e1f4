import type { Box } from '../../../document.ts';
import { overlap } from '../page/box.ts';
import type { Segment } from '../page/segment.ts';
import { segmentOf } from '../page/segment.ts';
import type { Glyph } from '../page/page-content.ts';

/** Gap, in ems, that separates two cells of a row: number columns are closer than text columns. */
const CELL_GAP = 0.6;

/** Ems above a rule over several columns in which their common head is, in up to two lines. */
export const HEAD_DEPTH = 2.6;

/** The extent of a table column. */
export interface Column {
  left: number;
  right: number;
}

/** Cuts segments again, at the narrower gaps that separate cells, and at vertical rules. */
export function cellPieces(segments: readonly Segment[], vertical: readonly Box[]): Segment[] {
  return segments.flatMap((segment) => {
    const pieces: Glyph[][] = [];
    let current: Glyph[] = [];
    for (const glyph of segment.glyphs) {
      const previous = current.at(-1);
      if (previous && (isCut(previous, glyph, segment) || rulesBetween(previous, glyph, vertical))) {
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
  });
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
export function findColumns(
  rows: readonly (readonly Segment[])[],
  vertical: readonly Box[],
  horizontal: readonly Box[],
): Column[] {
  const most = Math.max(...rows.map((row) => row.length));
  // Rows with many cells know the columns best; the others (headers, section rows) may span.
  const good = rows.filter((row) => row.length >= Math.max(2, 0.6 * most)).flat();
  const rest = rows.filter((row) => row.length < Math.max(2, 0.6 * most)).flat();
  const columns: Column[] = [];
  for (const piece of [...good].sort(byWidth)) if (!headsSeveral(piece, horizontal)) place(columns, piece, vertical);
  for (const piece of [...rest].sort(byWidth)) if (!headsSeveral(piece, horizontal)) place(columns, piece, vertical);
  columns.sort((a, b) => a.left - b.left);
  return joinNeverBeside(columns, rows, vertical);
}

/** Two columns that no row fills side by side, while a piece is in both, are one: a head centred over short cells. */
function joinNeverBeside(
  columns: readonly Column[],
  rows: readonly (readonly Segment[])[],
  vertical: readonly Box[],
): Column[] {
  const result: Column[] = [];
  for (const column of columns) {
    const last = result.at(-1);
    const hits = (piece: Segment, { left, right }: Column): boolean =>
      overlap(left, right, piece.left, piece.right) > 0.5;
    const joined =
      last !== undefined &&
      !vertical.some((rule) => rule.left > last.right - 1 && rule.right < column.left + 1) &&
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
function headsSeveral(piece: Segment, horizontal: readonly Box[]): boolean {
  const widest = Math.max(0, ...horizontal.map((rule) => rule.right - rule.left));
  return horizontal.some((rule) => {
    const width = rule.right - rule.left;
    const below = rule.top - piece.baseline;
    return (
      width < 0.9 * widest &&
      width > 1.5 * (piece.right - piece.left) &&
      below > -1 &&
      below < HEAD_DEPTH * piece.size &&
      rule.left < piece.left &&
      rule.right > piece.right
    );
  });
}

function byWidth(a: Segment, b: Segment): number {
  return a.right - a.left - (b.right - b.left);
}

function place(columns: Column[], piece: Segment, vertical: readonly Box[]): void {
  const hits = columns.filter((column) => overlap(column.left, column.right, piece.left, piece.right) > 0.5);
  const [only] = hits;
  if (!only) {
    columns.push({ left: piece.left, right: piece.right });
    return;
  }
  if (hits.length > 1) return;
  const left = Math.min(only.left, piece.left);
  const right = Math.max(only.right, piece.right);
  // Growing into a neighbour would fuse two columns: the piece is a span or sticks out.
  const clash = columns.some((column) => column !== only && overlap(column.left, column.right, left, right) > 0);
  const ruled = vertical.some((rule) => rule.left > left + 1 && rule.right < right - 1);
  if (clash || ruled) return;
  only.left = left;
  only.right = right;
}
