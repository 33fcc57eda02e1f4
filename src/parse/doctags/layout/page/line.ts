import type { Box } from '../../../document.ts';
import type { Glyph } from './page-content.ts';
import type { Segment } from './segment.ts';
import { sameRow, segmentOf } from './segment.ts';
import { glyphsText } from '../text/segment-text.ts';

/** A line of a column, its segments joined. */
export interface Line extends Segment {
  readonly column: Box;
  readonly segments: readonly Segment[];
}

/** The lines of one column piece from top to bottom. */
export function buildLines(segments: readonly Segment[], column: Box): Line[] {
  const sorted = [...segments].sort((a, b) => a.baseline - b.baseline || a.left - b.left);
  const rows: Segment[][] = [];
  for (const segment of sorted) {
    const row = rows.slice(-3).findLast((candidate) => candidate.every((other) => joins(other, segment)));
    if (row) row.push(segment);
    else rows.push([segment]);
  }
  const lines = rows.map((row) => lineOf(row, column)).sort((a, b) => a.baseline - b.baseline);
  const edges = fitColumn(lines, column);
  return lines.map((line) => ({ ...line, column: edges }));
}

/**
 * The column as its lines of running text show it: they end at one edge, while formulas and tables may stick out, and the
 * box that the lines were found in may be too wide.
 */
function fitColumn(lines: readonly Line[], box: Box): Box {
  const text = lines.filter((line) => line.glyphs.length >= 15);
  if (text.length < 2) return box;
  const right = commonEdge(text.map((line) => line.right));
  const lefts = text.map((line) => line.left).sort((a, b) => a - b);
  return {
    ...box,
    left: lefts[Math.floor(lefts.length * 0.03)] ?? box.left,
    right:
      right ??
      (text.length < 4
        ? box.right
        : quantile(
            text.map((line) => line.right),
            0.95,
          )),
  };
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}

/** The value that at least a third of the edges share, within a point. */
function commonEdge(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  let best = 0;
  let edge: number | undefined;
  let start = 0;
  sorted.forEach((value, end) => {
    while (value - (sorted[start] ?? 0) > 1.2) start += 1;
    // The outermost of equally frequent edges.
    if (end - start + 1 >= best) {
      best = end - start + 1;
      edge = value;
    }
  });
  return best >= Math.max(2, values.length / 3) ? edge : undefined;
}

function joins(a: Segment, b: Segment): boolean {
  return (
    a.float === undefined &&
    b.float === undefined &&
    sameRow(a, b) &&
    !isSetApart(a, b) &&
    (a.right <= b.left + 0.5 * b.size || b.right <= a.left + 0.5 * a.size)
  );
}

/** Words of another size on another baseline: a label beside a title, dates in the margin. */
function isSetApart(a: Segment, b: Segment): boolean {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  return (
    large.size > 1.25 * small.size &&
    Math.abs(a.baseline - b.baseline) > 0.2 * small.size &&
    Math.min(a.glyphs.length, b.glyphs.length) > 3 &&
    Math.max(b.left - a.right, a.left - b.right) > 0.5 * small.size
  );
}

function lineOf(row: readonly Segment[], column: Box): Line {
  const segments = [...row].sort((a, b) => a.left - b.left);
  const widest = segments.reduce((best, each) => (each.glyphs.length > best.glyphs.length ? each : best));
  if (segments.length === 1) return { ...widest, column, segments };
  const glyphs: readonly Glyph[] = segments.flatMap((segment) => [...segment.glyphs]);
  const whole = segmentOf(widest.page, glyphs, widest.baseline) ?? widest;
  // Scripts are identified by the size of the whole line.
  const text = segments.map((segment) => glyphsText(segment.glyphs, whole.size, segment.baseline)).join(' ');
  return { ...whole, text, column, segments };
}

/** Some glyphs of a line as a separate line; nothing where nothing is printed. */
export function linePart(line: Line, glyphs: readonly Glyph[]): Line[] {
  const segment = segmentOf(line.page, glyphs, line.baseline);
  if (!segment) return [];
  const text = glyphsText(glyphs, line.size, line.baseline);
  return text.trim() === '' ? [] : [{ ...segment, text, column: line.column, segments: [segment] }];
}
