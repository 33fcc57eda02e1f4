import { overlap } from './box.ts';
import { hasLetter } from '../text/letter.ts';
import { segmentLabel } from '../role/caption.ts';
import type { Segment } from './segment.ts';
import { isReferencesLine } from './type-area.ts';

/** A vertical strip without text between two columns. */
export interface Gutter {
  readonly left: number;
  readonly right: number;
}

/** Rows of a page that are read together: over all columns, or column by column. */
export interface Band {
  readonly spanning: boolean;
  readonly segments: Segment[];
}

/** Cuts segments where lines run over the gutter. */
export function bands(segments: readonly Segment[], gutter: Gutter): Band[] {
  const result: Band[] = [];
  const sorted = [...segments].sort((a, b) => a.baseline - b.baseline || a.left - b.left);
  const spanning = new Set(sorted.filter((segment) => spans(segment, gutter)));
  for (const segment of spanning) {
    // Two lines of two columns that nearly touch are not one line over both.
    if (sorted.some((other) => other !== segment && !spanning.has(other) && beside(segment, other, gutter)))
      spanning.delete(segment);
  }
  // The label of a caption over both columns, with a wide space after it.
  for (const segment of sorted)
    if (!spanning.has(segment) && segmentLabel(segment) !== undefined)
      for (const wide of spanning) {
        const gap = wide.left - segment.right;
        if (gap > 0 && gap < 2.5 * segment.size && Math.abs(wide.baseline - segment.baseline) < 0.3 * segment.size)
          spanning.add(segment);
      }
  let cursor: Band | undefined;
  for (const segment of sorted) {
    const isSpanning = spanning.has(segment);
    if (!cursor || cursor.spanning !== isSpanning) {
      cursor = { spanning: isSpanning, segments: [] };
      result.push(cursor);
    }
    cursor.segments.push(segment);
  }
  return result;
}

/**
 * A list of references begins again below text that was balanced over the columns: its heading is in one of them, the
 * others have a gap there too, and from there on all are set alike.
 */
export function splitAtReferences(band: Band, gutter: Gutter): Band[] {
  const middle = (gutter.left + gutter.right) / 2;
  const heading = band.spanning
    ? undefined
    : band.segments.find((segment) => isReferencesLine(segment) && standsAlone(segment, band.segments, middle));
  if (!heading) return splitBySize(band, gutter);
  const facing = band.segments.filter(
    (segment) =>
      segment.glyphs.length > 5 && (heading.left < middle ? segment.left >= middle : segment.right <= middle),
  );
  const own = band.segments.filter((segment) => segment.glyphs.length > 5 && !facing.includes(segment));
  const below = facing.filter((segment) => segment.top > heading.top - 0.5 * heading.size);
  const above = facing.filter((segment) => segment.baseline < heading.baseline && !below.includes(segment));
  const entries = own.filter((segment) => segment.top > heading.bottom - 1);
  const first = below.toSorted((a, b) => a.baseline - b.baseline)[0];
  const gap = (first?.top ?? 0) - Math.max(0, ...above.map((segment) => segment.bottom));
  if (!first || above.length === 0 || entries.length < 3 || below.length < 3) return splitBySize(band, gutter);
  if (gap < 1.2 * first.size || Math.abs(medianSize(below) - medianSize(entries)) > 0.3)
    return splitBySize(band, gutter);
  const y = heading.top - 1;
  return [
    { spanning: false, segments: band.segments.filter((segment) => segment.baseline < y) },
    { spanning: false, segments: band.segments.filter((segment) => segment.baseline >= y) },
  ];
}

/** No other words are in its row of its column: in a line that is set wide each word is a segment. */
function standsAlone(segment: Segment, segments: readonly Segment[], middle: number): boolean {
  return !segments.some(
    (other) =>
      other !== segment &&
      other.left < middle === segment.left < middle &&
      Math.abs(other.baseline - segment.baseline) < 0.3 * segment.size &&
      other.glyphs.some(({ text }) => hasLetter(text)),
  );
}

/** The size of most segments. */
export function medianSize(segments: readonly Segment[]): number {
  return segments.map((segment) => segment.size).sort((a, b) => a - b)[segments.length >> 1] ?? 0;
}

/**
 * Where the type changes size in both columns at one height, the text above was balanced over the columns and something
 * new (a list of references) begins below.
 */
function splitBySize(band: Band, gutter: Gutter): Band[] {
  if (band.spanning || band.segments.length < 12) return [band];
  const middle = (gutter.left + gutter.right) / 2;
  const text = band.segments.filter((segment) => segment.glyphs.length > 5);
  const left = text.filter((segment) => segment.right <= middle);
  const right = text.filter((segment) => segment.left >= middle);
  const cutLeft = sizeChange(left);
  const cutRight = sizeChange(right);
  if (cutLeft === undefined || cutRight === undefined) return [band];
  if (cutLeft.after !== cutRight.after || Math.abs(cutLeft.y - cutRight.y) > 2.5 * cutLeft.after) return [band];
  const y = Math.min(cutLeft.y, cutRight.y);
  return [
    { spanning: false, segments: band.segments.filter((segment) => segment.baseline < y) },
    { spanning: false, segments: band.segments.filter((segment) => segment.baseline >= y) },
  ];
}

/** The height from which a column is set in a smaller size to its end, with at least three lines on both sides. */
function sizeChange(segments: readonly Segment[]): { y: number; after: number } | undefined {
  const sorted = [...segments].sort((a, b) => a.baseline - b.baseline);
  const last = sorted.at(-1);
  if (!last) return undefined;
  const after = Math.round(last.size * 2) / 2;
  let index = sorted.length - 1;
  while (index >= 0 && Math.abs((sorted[index]?.size ?? 0) - last.size) < 0.3) index -= 1;
  const before = sorted[index];
  const first = sorted[index + 1];
  if (!before || !first || index < 2 || sorted.length - index < 4 || before.size < last.size + 0.4) return undefined;
  // A heading above the last lines is larger too, but what is above the heading is not.
  const larger = sorted.slice(0, index + 1).filter((segment) => segment.size >= last.size + 0.4).length;
  if (larger < 0.6 * (index + 1)) return undefined;
  return { y: first.baseline - 0.8 * first.size, after };
}

function spans(segment: Segment, gutter: Gutter): boolean {
  return segment.left < gutter.left - segment.size && segment.right > gutter.right + segment.size;
}

function beside(wide: Segment, other: Segment, gutter: Gutter): boolean {
  if (overlap(wide.top, wide.bottom, other.top, other.bottom) < 0.5 * other.size) return false;
  return overlap(wide.left, wide.right, other.left, other.right) > 0 && !spans(other, gutter);
}
