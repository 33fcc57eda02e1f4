import type { Box } from '../../document.ts';
import type { Glyph } from './page-content.ts';
import type { Segment } from './segment.ts';
import { sameRow, segmentOf } from './segment.ts';
import { glyphsText } from './segment-text.ts';

/** A line of a column, its segments joined. */
export interface Line extends Segment {
  readonly text: string;
  /** The column it stands in. */
  readonly column: Box;
  readonly segments: readonly Segment[];
}

/** The lines of one column piece from top to bottom. */
export function buildLines(segments: readonly Segment[], column: Box): Line[] {
  const sorted = [...segments].sort((a, b) => a.baseline - b.baseline || a.left - b.left);
  const rows: Segment[][] = [];
  for (const segment of sorted) {
    const row = rows.findLast(
      (candidate, index) => index >= rows.length - 3 && candidate.every((other) => joins(other, segment)),
    );
    if (row) row.push(segment);
    else rows.push([segment]);
  }
  return rows.map((row) => lineOf(row, column)).sort((a, b) => a.baseline - b.baseline);
}

function joins(a: Segment, b: Segment): boolean {
  return a.float === undefined && b.float === undefined && sameRow(a, b) && (a.right <= b.left + 0.5 * b.size || b.right <= a.left + 0.5 * a.size);
}

function lineOf(row: readonly Segment[], column: Box): Line {
  const segments = [...row].sort((a, b) => a.left - b.left);
  const widest = segments.reduce((best, each) => (each.glyphs.length > best.glyphs.length ? each : best));
  const glyphs: Glyph[] = segments.flatMap((segment) => [...segment.glyphs]);
  const whole = segmentOf(widest.page, glyphs, widest.baseline) ?? widest;
  return {
    ...whole,
    ...(widest.float === undefined ? {} : { float: widest.float }),
    text: segments.map((segment) => glyphsText(segment.glyphs, whole.size, segment.baseline)).join(' '),
    column,
    segments,
  };
}
