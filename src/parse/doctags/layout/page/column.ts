import type { Box } from '../../../document.ts';
import { isReferencesHeading } from '../role/section-names.ts';
import type { Line, Segment } from './segment.ts';
import { countBy, mostFrequent, quantile } from '../statistics.ts';
import type { Extent } from './box.ts';
import { heightOf, overlapX, overlapY, widthOf } from './box.ts';
import { hasLetter } from '../text/script.ts';
import { segmentLabel } from '../role/caption.ts';

export interface BodyType {
  readonly size: number;
  readonly font: string;
}

export function bodyType(segments: readonly Segment[]): BodyType {
  const references = segments.findLast(isReferencesLine);
  const weightOf = (segment: Segment): number => {
    // Text of tables and figures is short; running text is in wide segments.
    const running = widthOf(segment) > 12 * segment.size ? 1 : 0.2;
    // A long list of references in small type must not outweigh a short paper.
    return segment.glyphs.length * running * (references && standsAfter(segment, references) ? 0.1 : 1);
  };
  return {
    size: mostFrequent(countBy(segments, ({ size }) => Math.round(size * 2) / 2, weightOf)) ?? 10,
    font: mostFrequent(countBy(segments, ({ font }) => font.name, weightOf)) ?? '',
  };
}

function isReferencesLine(segment: Segment): boolean {
  return segment.glyphs.length <= 24 && isReferencesHeading(segment.text);
}

function standsAfter(segment: Segment, heading: Segment): boolean {
  if (segment.page !== heading.page) return segment.page > heading.page;
  return (
    segment.left > heading.right + 150 || (segment.left > heading.left - 40 && segment.baseline > heading.baseline)
  );
}

/** The distance of two lines, in their size, at most; and that of manuscripts with wide space between all lines. */
const MOST_PITCH = 2.5;
const WIDEST_PITCH = 3;
/** Paragraphs of one line are also apart by such a distance, but not so many. */
const MANY_LINES = 20;

/** Baseline distance of consecutive lines of one size, by size in half points. */
export function linePitches(lines: readonly Line[]): Map<number, number> {
  const steps = lines.slice(1).flatMap((line, at) => {
    const previous = lines[at];
    if (!previous || line.column !== previous.column || Math.abs(line.size - previous.size) > 0.3) return [];
    const distance = line.baseline - previous.baseline;
    if (distance < 0.8 * line.size || distance > WIDEST_PITCH * line.size) return [];
    return [{ size: Math.round(line.size * 2) / 2, distance: Math.round(distance * 4) / 4 }];
  });
  return new Map(
    [...Map.groupBy(steps, ({ size }) => size)].flatMap(([size, own]) => {
      const counts = countBy(own, ({ distance }) => distance);
      const usual = new Map([...counts].filter(([step, count]) => step <= MOST_PITCH * size || count >= MANY_LINES));
      const pitch = mostFrequent(usual);
      return pitch === undefined ? [] : [[size, pitch]];
    }),
  );
}

/** Whether paragraphs begin with an indent: many lines start a little right of the line above and below. */
export function usesIndent(lines: readonly Line[], size: number): boolean {
  let indents = 0;
  let plain = 0;
  for (let index = 1; index + 1 < lines.length; index += 1) {
    const line = lines[index];
    const before = lines[index - 1];
    const after = lines[index + 1];
    if (!line || !before || !after || line.column !== before.column || line.column !== after.column) continue;
    if (Math.abs(line.size - size) > 0.6 || Math.abs(after.size - size) > 0.6) continue;
    if (Math.abs(after.left - line.column.left) > 2) continue;
    const indent = line.left - after.left;
    if (indent > 0.7 * size && indent < 4 * size && line.right > line.column.right - 4 * size) indents += 1;
    else if (Math.abs(indent) < 1) plain += 1;
  }
  return indents >= 3 && indents > 0.02 * plain;
}

/** The area that text fills, without the few segments that stick out. */
export function typeArea(segments: readonly Segment[], page: { readonly width: number; readonly height: number }): Box {
  const text = segments.filter((segment) => segment.glyphs.length > 3);
  const lefts = text.map((segment) => segment.left);
  const rights = text.map((segment) => segment.right);
  return {
    left: quantile(lefts, 0.02) ?? 0,
    right: quantile(rights, 0.98) ?? page.width,
    top: 0,
    bottom: page.height,
  };
}

export interface ColumnPiece {
  readonly box: Box;
  readonly segments: readonly Segment[];
  readonly margin?: boolean;
}

/** How often text is on both sides of an x in the whole document, by whole points. */
type GutterVotes = ReadonlyMap<number, number>;

const MIN_ROWS = 4;
/** Nothing wider separates columns, on whatever page. */
const MAX_GAP = 2_000;
const MIN_FILL = 0.55;
/** Ems from which a segment looks like a line of running text. */
const WIDE = 12;
/** Ems that the label of a list item or of a reference does not exceed. */
const LABEL = 2.6;

/** Cuts a page's segments into pieces in reading order: columns from left to right, what spans them in its place. */
export function readingOrder(segments: readonly Segment[], area: Box, votes?: GutterVotes, depth = 0): ColumnPiece[] {
  if (segments.length === 0) return [];
  let box = area;
  const gutter = depth < 4 ? findGutter(segments, box, votes) : undefined;
  if (!gutter) return [{ box, segments }];
  const y = depth === 0 ? zoneBorder(segments, box, gutter, votes) : undefined;
  if (y !== undefined) {
    const [above, below] = [segments.filter((each) => each.bottom <= y), segments.filter((each) => each.bottom > y)];
    return [...readingOrder(above, area, votes, 1), ...readingOrder(below, area, votes, 1)];
  }
  // A column of one line may lie outside of what most lines fill.
  if (gutter.right >= box.right) box = { ...box, right: Math.max(...segments.map((segment) => segment.right)) };
  const result: ColumnPiece[] = [];
  const whole = bands(segments, gutter).flatMap((each, at) => (at > 0 ? splitBelowByline(each, gutter, box) : each));
  const parts = whole.flatMap((each, at) => splitBelowAbstract(each, gutter, whole.slice(0, at)));
  for (const band of parts.flatMap((each) => splitAtReferences(each, gutter))) {
    const top = Math.min(...band.segments.map((segment) => segment.top));
    const bottom = Math.max(...band.segments.map((segment) => segment.bottom));
    if (band.spanning) {
      result.push({ box: { ...box, top, bottom }, segments: band.segments });
      continue;
    }
    const middle = (gutter.left + gutter.right) / 2;
    const left = band.segments.filter((segment) => (segment.left + segment.right) / 2 < middle);
    const right = band.segments.filter((segment) => (segment.left + segment.right) / 2 >= middle);
    const first = readingOrder(left, { left: box.left, right: gutter.left, top, bottom }, votes, depth + 1);
    const second = readingOrder(right, { left: gutter.right, right: box.right, top, bottom }, votes, depth + 1);
    if (isMargin(left, right, gutter, box)) result.push(...second, ...first.map(asMargin));
    else if (isMargin(right, left, { left: box.right - gutter.right + box.left, right: 0 }, box))
      result.push(...first, ...second.map(asMargin));
    else result.push(...first, ...second);
  }
  return result;
}

/** Gutters that are closer, in points, are the same. */
const SAME_GUTTER = 12;

/** The height at which a page changes its columns: references in two below a text in three, say. */
function zoneBorder(
  segments: readonly Segment[],
  box: Box,
  gutter: Extent,
  votes: GutterVotes | undefined,
): number | undefined {
  if (segments.filter((segment) => spans(segment, gutter)).length < MIN_ROWS) return undefined;
  const crossing = (own: readonly Segment[], extent: Extent): number =>
    own.filter((segment) => spans(segment, extent)).length;
  let best: { readonly y: number; readonly crossed: number } | undefined;
  for (const y of emptyHeights(segments)) {
    const [above, below] = [segments.filter((each) => each.bottom <= y), segments.filter((each) => each.bottom > y)];
    const [upper, lower] = [above, below].map((own) => findGutter(own, box, votes));
    if (!upper || !lower || Math.abs(upper.left + upper.right - lower.left - lower.right) < 2 * SAME_GUTTER) continue;
    // Only where the lines of one zone would run over the gutter of the other.
    if (crossing(below, upper) + crossing(above, lower) < MIN_ROWS) continue;
    const crossed = crossing(above, upper) + crossing(below, lower);
    if (!best || crossed < best.crossed) best = { y, crossed };
  }
  return best?.y;
}

/** Heights at which nothing is printed over the whole width. */
function emptyHeights(segments: readonly Segment[]): number[] {
  return gapsIn(segments).map(({ top, bottom }) => (top + bottom) / 2);
}

function asMargin(piece: ColumnPiece): ColumnPiece {
  return { ...piece, margin: true };
}

/** A narrow column of smaller text beside the text proper: notes, licence, dates. It is read after the text. */
function isMargin(side: readonly Segment[], main: readonly Segment[], gutter: Extent, box: Box): boolean {
  const width = gutter.left - box.left;
  if (width > 0.4 * widthOf(box) || side.length === 0 || main.length === 0) return false;
  return medianSize(side) < 0.97 * medianSize(main);
}

interface GapRow {
  readonly left: Segment;
  readonly right: Segment;
}

function gapRows(segments: readonly Segment[]): GapRow[] {
  const sorted = segments.filter((segment) => segment.glyphs.length > 0).sort((a, b) => a.top - b.top);
  const pairs: GapRow[] = [];
  for (let index = 0; index < sorted.length; index += 1) {
    const segment = sorted[index];
    if (!segment) continue;
    let nearest: Segment | undefined;
    for (let at = index - 1; at >= 0; at -= 1) {
      const other = sorted[at];
      if (!other || other.top < segment.top - 60) break;
      nearest = closer(segment, other, nearest);
    }
    for (let at = index + 1; at < sorted.length; at += 1) {
      const other = sorted[at];
      if (!other || other.top > segment.bottom) break;
      nearest = closer(segment, other, nearest);
    }
    if (nearest) pairs.push({ left: segment, right: nearest });
  }
  return pairs;
}

function closer(segment: Segment, other: Segment, best: Segment | undefined): Segment | undefined {
  if (other.left < segment.right) return best;
  if (overlapY(segment, other) < 0.3 * Math.min(segment.size, other.size)) return best;
  return !best || other.left < best.left ? other : best;
}

function findGutter(segments: readonly Segment[], box: Box, votes: GutterVotes | undefined): Extent | undefined {
  if (segments.length < 4) return undefined;
  const pairs = gapRows(segments).filter((pair) => {
    const gap = pair.right.left - pair.left.right;
    return gap >= 0.6 * Math.min(pair.left.size, pair.right.size) && gap < MAX_GAP;
  });
  const weights = new Map<number, number>();
  for (const pair of pairs) {
    // Running text is wide on both sides; cells of a table and parts of a formula are not.
    const label = emsWide(pair.left) < LABEL;
    const weight = label ? 0 : Math.min(1, emsWide(pair.left) / WIDE, emsWide(pair.right) / WIDE);
    for (let x = Math.ceil(pair.left.right); x <= Math.floor(pair.right.left); x += 1)
      weights.set(x, (weights.get(x) ?? 0) + weight);
  }
  const scores = [...weights]
    .sort(([a], [b]) => a - b)
    .map(([x, weight]) => [x, isVoted(votes, x) ? 2 * weight : weight] as const);
  // Of four columns each gap is as good as the others, but only the middle one halves the page.
  const most = Math.max(0, ...scores.map(([, score]) => score));
  const rest = new Map(scores.filter(([, score]) => score > 0.8 * most));
  for (let best = mostFrequent(rest); best !== undefined; best = mostFrequent(rest)) {
    const x = best;
    const rows = pairs.filter((pair) => pair.left.right <= x && pair.right.left >= x);
    const gutter = narrowest(rows, x);
    if (divides(gutter, rows, { segments, box, weight: weights.get(x) ?? 0, voted: isVoted(votes, x) })) return gutter;
    for (const other of rest.keys()) if (other >= gutter.left && other <= gutter.right) rest.delete(other);
    rest.delete(x);
  }
  return undefined;
}

interface GutterSetting {
  readonly segments: readonly Segment[];
  readonly box: Box;
  readonly weight: number;
  readonly voted: boolean;
}

/** Whether there is text in columns on both sides of a gap that many rows have. */
function divides(gutter: Extent, rows: readonly GapRow[], { segments, box, weight, voted }: GutterSetting): boolean {
  if (rows.length < (voted ? 2 : MIN_ROWS) || weight < (voted ? 1 : 0.5 * MIN_ROWS)) return false;
  // Labels in front of list items and references are in line, but are no column of text.
  if (upperMean(rows.map((row) => emsWide(row.left))) < LABEL) return false;
  const fillLeft = upperMean(rows.map((row) => widthOf(row.left) / Math.max(1, gutter.left - box.left)));
  const fillRight = upperMean(rows.map((row) => widthOf(row.right) / Math.max(1, box.right - gutter.right)));
  const isFirstOfThree = fillLeft > 0.9 && fillRight > 0.4 && rows.length >= 2 * MIN_ROWS && areAlike(rows);
  if (Math.min(fillLeft, fillRight) < (voted ? 0.3 : MIN_FILL) && !isFirstOfThree) return false;
  // Wide spaces in single lines also make gaps, but lines above and below run across: a gutter is long.
  const facing = new Set(rows.flatMap((row) => [row.left, row.right]));
  const strips = bands(segments, gutter).filter(
    (band) => !band.spanning && band.segments.some((segment) => facing.has(segment)),
  ).length;
  return rows.length >= (voted ? 1.5 : 3) * strips;
}

/** Running text of one width on both sides: cells of a table are narrower, or of several widths. */
function areAlike(rows: readonly GapRow[]): boolean {
  const [left, right] = [
    upperMean(rows.map((row) => emsWide(row.left))),
    upperMean(rows.map((row) => emsWide(row.right))),
  ];
  return Math.min(left, right) > 8 && Math.abs(left - right) < 0.06 * left;
}

function emsWide(segment: Segment): number {
  return widthOf(segment) / segment.size;
}

function isVoted(votes: GutterVotes | undefined, x: number): boolean {
  return (votes?.get(x) ?? 0) > 20;
}

/** The strip that stays free in nearly all rows: a few lines may stick out. */
function narrowest(rows: readonly GapRow[], x: number): Extent {
  const ends = rows.map((row) => row.left.right);
  const starts = rows.map((row) => row.right.left);
  return { left: Math.min(x, quantile(ends, 0.95) ?? x), right: Math.max(x, quantile(starts, 0.05) ?? x) };
}

/** The mean of the larger half: short last lines and formulas say nothing about a column's width. */
function upperMean(values: readonly number[]): number {
  const upper = values.toSorted((a, b) => b - a).slice(0, Math.max(1, Math.ceil(values.length / 2)));
  return upper.reduce((sum, value) => sum + value, 0) / upper.length;
}

export function voteForGutters(pages: readonly (readonly Segment[])[]): GutterVotes {
  const votes = new Map<number, number>();
  for (const segments of pages)
    for (const { left, right } of gapRows(segments)) {
      if (emsWide(left) < WIDE || emsWide(right) < WIDE || right.left - left.right > MAX_GAP) continue;
      for (let x = Math.ceil(left.right); x <= Math.floor(right.left); x += 1) votes.set(x, (votes.get(x) ?? 0) + 1);
    }
  return votes;
}

/** Rows of a page that are read together: over all columns, or column by column. */
interface Band {
  readonly spanning: boolean;
  readonly segments: Segment[];
}

function bands(segments: readonly Segment[], gutter: Extent): Band[] {
  const result: Band[] = [];
  const sorted = [...segments].sort((a, b) => a.baseline - b.baseline || a.left - b.left);
  const spanning = new Set(sorted.filter((segment) => spans(segment, gutter)));
  for (const segment of spanning) {
    // Two lines of two columns that nearly touch are not one line over both.
    const isCut = (other: Segment): boolean => !isSign(other) && !spanning.has(other) && beside(segment, other, gutter);
    if (sorted.some((other) => other !== segment && isCut(other))) spanning.delete(segment);
  }
  // A raised sign in another font is a segment of its own in its line.
  for (const segment of sorted)
    if (isSign(segment) && [...spanning].some((wide) => beside(wide, segment, gutter))) spanning.add(segment);
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

function isSign({ glyphs }: Segment): boolean {
  return glyphs.length > 0 && !glyphs.some(({ text }) => hasLetter(text));
}

/** Splits where a reference list begins below text that is balanced over the columns. */
function splitAtReferences(band: Band, gutter: Extent): Band[] {
  const middle = (gutter.left + gutter.right) / 2;
  const y = band.spanning ? undefined : (headedAt(band.segments, middle) ?? smallerFrom(band.segments, middle));
  return splitAt(band, y);
}

function splitAt(band: Band, y: number | undefined): Band[] {
  if (y === undefined) return [band];
  return [
    { spanning: false, segments: band.segments.filter((segment) => segment.baseline < y) },
    { spanning: false, segments: band.segments.filter((segment) => segment.baseline >= y) },
  ];
}

/** The height of the heading of references that is in one column, where the others have a gap. */
function headedAt(segments: readonly Segment[], middle: number): number | undefined {
  const heading = segments.find((segment) => isReferencesLine(segment) && standsAlone(segment, segments, middle));
  if (!heading) return undefined;
  const text = segments.filter((segment) => segment.glyphs.length > 5);
  const facing = text.filter((segment) => (heading.left < middle ? segment.left >= middle : segment.right <= middle));
  const below = facing.filter((segment) => segment.top > heading.top - 0.5 * heading.size);
  const above = facing.filter((segment) => segment.baseline < heading.baseline && !below.includes(segment));
  const entries = text.filter((segment) => !facing.includes(segment) && segment.top > heading.bottom - 1);
  const first = below.toSorted((a, b) => a.baseline - b.baseline)[0];
  const gap = (first?.top ?? 0) - Math.max(0, ...above.map((segment) => segment.bottom));
  if (!first || above.length === 0 || entries.length === 0) return undefined;
  // A few lines are enough where they are smaller than the text.
  const isSmaller = medianSize(above) > medianSize(entries) + 0.3;
  if (Math.min(entries.length, below.length) < (isSmaller ? 1 : 3)) return undefined;
  const isAlike = Math.abs(medianSize(below) - medianSize(entries)) <= 0.3;
  return gap >= 1.2 * first.size && isAlike ? heading.top - 1 : undefined;
}

const MOST_BYLINE_ROWS = 10;

/**
 * Splits below authors who are beside each other under a title: short lines in both columns, then a gap at one height.
 */
function splitBelowByline(band: Band, gutter: Extent, box: Box): Band[] {
  const middle = (gutter.left + gutter.right) / 2;
  const sides = [
    { own: band.segments.filter((segment) => segment.right <= middle), width: gutter.left - box.left },
    { own: band.segments.filter((segment) => segment.left >= middle), width: box.right - gutter.right },
  ];
  const [left = [], right = []] = sides.map(({ own }) => gapsIn(own));
  const shared = left.flatMap((gap) => {
    const facing = right.find((other) => Math.min(gap.bottom, other.bottom) > Math.max(gap.top, other.top));
    return facing ? [(Math.min(gap.bottom, facing.bottom) + Math.max(gap.top, facing.top)) / 2] : [];
  });
  const y = shared.findLast((height) =>
    sides.every(({ own, width }) => {
      const above = own.filter((segment) => segment.bottom < height);
      const text = own.filter((segment) => segment.top > height && widthOf(segment) > 0.85 * width);
      const isShort = above.every((segment) => widthOf(segment) < 0.8 * width);
      // One line may be a heading; a name has its place below it.
      return above.length > 1 && above.length <= MOST_BYLINE_ROWS && isShort && text.length > 2;
    }),
  );
  return splitAt(band, band.spanning ? undefined : y);
}

/**
 * Splits below an abstract that is balanced over the columns under a title: its sentence goes on at the top of the
 * right one, and a heading is below its end in the left one.
 */
function splitBelowAbstract(band: Band, gutter: Extent, above: readonly Band[]): Band[] {
  const middle = (gutter.left + gutter.right) / 2;
  const [left = [], right = []] = [true, false].map((isLeft) =>
    band.segments
      .filter((segment) => isLeft === (segment.left + segment.right) / 2 < middle)
      .toSorted((a, b) => a.baseline - b.baseline || a.left - b.left),
  );
  const [first] = right;
  const title = Math.max(0, ...above.flatMap((each) => each.segments.map(({ size }) => size)));
  if (band.spanning || !first || !/^\p{Ll}/u.test(first.text) || title < 1.4 * first.size) return [band];
  const facing = gapsIn(right);
  const found = gapsIn(left).find((gap) => {
    const last = left.findLast((segment) => segment.bottom <= gap.top + 1);
    const heading = left.find((segment) => segment.top >= gap.bottom - 1);
    const end = right.findLast((segment) => segment.bottom <= gap.bottom);
    return (
      last !== undefined &&
      heading !== undefined &&
      end !== undefined &&
      /[\p{L},-]$/u.test(last.text) &&
      /^[\p{Lu}\p{N}]/u.test(heading.text) &&
      heading.size > 1.1 * last.size &&
      end.text.endsWith('.') &&
      facing.some((other) => other.top < gap.bottom && other.bottom > gap.top)
    );
  });
  return splitAt(band, found && (found.top + found.bottom) / 2);
}

/** The empty heights in a column that are larger than the space between its lines. */
function gapsIn(segments: readonly Segment[]): { readonly top: number; readonly bottom: number }[] {
  const sorted = segments.toSorted((a, b) => a.top - b.top);
  let end = sorted[0]?.bottom ?? 0;
  return sorted.flatMap((segment) => {
    const gap = { top: end, bottom: segment.top };
    end = Math.max(end, segment.bottom);
    return heightOf(gap) > 0.8 * segment.size ? [gap] : [];
  });
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

function medianSize(segments: readonly Segment[]): number {
  const sizes = segments.map((segment) => segment.size);
  return quantile(sizes, 0.5) ?? 0;
}

function smallerFrom(segments: readonly Segment[], middle: number): number | undefined {
  const text = segments.length < 12 ? [] : segments.filter((segment) => segment.glyphs.length > 5);
  const left = sizeChange(text.filter((segment) => segment.right <= middle));
  const right = sizeChange(text.filter((segment) => segment.left >= middle));
  if (!left || left.after !== right?.after || Math.abs(left.y - right.y) > 2.5 * left.after) return undefined;
  return Math.min(left.y, right.y);
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

function spans(segment: Segment, gutter: Extent): boolean {
  return segment.left < gutter.left - segment.size && segment.right > gutter.right + segment.size;
}

function beside(wide: Segment, other: Segment, gutter: Extent): boolean {
  if (overlapY(wide, other) < 0.5 * other.size) return false;
  return overlapX(wide, other) > 0 && !spans(other, gutter);
}
