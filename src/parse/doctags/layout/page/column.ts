import type { Box } from '../../../document.ts';
import type { Band, Gutter } from './band.ts';
import { bands, medianSize, splitAtReferences } from './band.ts';
import { overlap, unionBox } from './box.ts';
import type { Segment } from './segment.ts';
import type { Sided } from './side-column.ts';
import { besideSpanning } from './side-column.ts';

/** Pieces of one column that are read together, from top to bottom. */
export interface ColumnPiece {
  readonly box: Box;
  readonly segments: readonly Segment[];
  /** Is in the margin, beside the text proper. */
  readonly margin?: boolean;
}

/** How often, in the whole document, text is on both sides of an x, by whole points. */
export type GutterVotes = ReadonlyMap<number, number>;

const MIN_ROWS = 4;
/** Nothing wider separates columns, on whatever page. */
const MAX_GAP = 2_000;
const MIN_FILL = 0.55;
/** Ems from which a segment looks like a line of running text. */
const WIDE = 12;
/** Ems that the label of a list item or of a reference does not exceed. */
const LABEL = 2.6;

/** Cuts a page's segments into pieces in reading order: columns from left to right, what spans them in its place. */
export function readingOrder(segments: readonly Segment[], box: Box, votes?: GutterVotes): ColumnPiece[] {
  return cut(segments, box, votes, 0);
}

function cut(segments: readonly Segment[], area: Box, votes: GutterVotes | undefined, depth: number): ColumnPiece[] {
  if (segments.length === 0) return [];
  let box = area;
  const gutter = depth < 4 ? (findGutter(segments, box, votes) ?? usualGutter(segments, depth, votes)) : undefined;
  if (!gutter) return [{ box, segments }];
  // A column of one line may lie outside of what most lines fill.
  if (gutter.right >= box.right) box = { ...box, right: Math.max(...segments.map((segment) => segment.right)) };
  const result: ColumnPiece[] = [];
  const parts = besideSpanning(bands(segments, gutter)).flatMap((each): (Band | Sided)[] =>
    'side' in each ? [each] : splitAtReferences(each, gutter),
  );
  for (const band of parts) {
    if ('side' in band) {
      result.push({ box: unionBox(band.main), segments: band.main });
      result.push({ box: unionBox(band.side), segments: band.side, margin: true });
      continue;
    }
    const top = Math.min(...band.segments.map((segment) => segment.top));
    const bottom = Math.max(...band.segments.map((segment) => segment.bottom));
    if (band.spanning) {
      result.push({ box: { ...box, top, bottom }, segments: band.segments });
      continue;
    }
    const middle = (gutter.left + gutter.right) / 2;
    const left = band.segments.filter((segment) => (segment.left + segment.right) / 2 < middle);
    const right = band.segments.filter((segment) => (segment.left + segment.right) / 2 >= middle);
    const first = cut(left, { left: box.left, right: gutter.left, top, bottom }, votes, depth + 1);
    const second = cut(right, { left: gutter.right, right: box.right, top, bottom }, votes, depth + 1);
    if (isMargin(left, right, gutter, box)) result.push(...second, ...first.map(asMargin));
    else if (isMargin(right, left, { left: box.right - gutter.right + box.left, right: 0 }, box))
      result.push(...first, ...second.map(asMargin));
    else result.push(...first, ...second);
  }
  return result;
}

function asMargin(piece: ColumnPiece): ColumnPiece {
  return { ...piece, margin: true };
}

/** A narrow column of smaller text beside the text proper: notes, licence, dates. It is read after the text. */
function isMargin(side: readonly Segment[], main: readonly Segment[], gutter: Gutter, box: Box): boolean {
  const width = gutter.left - box.left;
  if (width > 0.4 * (box.right - box.left) || side.length === 0 || main.length === 0) return false;
  return medianSize(side) < 0.97 * medianSize(main);
}

interface GapRow {
  readonly left: Segment;
  readonly right: Segment;
}

/** Pairs of neighbours in one row with a gap between them wide enough for a gutter. */
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
  if (overlap(segment.top, segment.bottom, other.top, other.bottom) < 0.3 * Math.min(segment.size, other.size))
    return best;
  return !best || other.left < best.left ? other : best;
}

function findGutter(segments: readonly Segment[], box: Box, votes: GutterVotes | undefined): Gutter | undefined {
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
  let best = -1;
  let bestScore = 0;
  for (const [x, weight] of [...weights].sort((a, b) => a[0] - b[0])) {
    const score = isVoted(votes, x) ? 2 * weight : weight;
    if (score > bestScore) {
      bestScore = score;
      best = x;
    }
  }
  if (best < 0) return undefined;
  const voted = isVoted(votes, best);
  const rows = pairs.filter((pair) => pair.left.right <= best && pair.right.left >= best);
  if (rows.length < (voted ? 2 : MIN_ROWS) || (weights.get(best) ?? 0) < (voted ? 1 : 0.5 * MIN_ROWS)) return undefined;
  const gutter = narrowest(rows, best);
  // Labels in front of list items and references are in line, but are no column of text.
  if (upperMean(rows.map((row) => emsWide(row.left))) < LABEL) return undefined;
  const fillLeft = upperMean(rows.map((row) => (row.left.right - row.left.left) / Math.max(1, gutter.left - box.left)));
  const fillRight = upperMean(
    rows.map((row) => (row.right.right - row.right.left) / Math.max(1, box.right - gutter.right)),
  );
  if (Math.min(fillLeft, fillRight) < (voted ? 0.3 : MIN_FILL)) return undefined;
  // Wide spaces in single lines also make gaps, but lines above and below run across: a gutter is long.
  const facing = new Set(rows.flatMap((row) => [row.left, row.right]));
  const strips = bands(segments, gutter).filter(
    (band) => !band.spanning && band.segments.some((segment) => facing.has(segment)),
  ).length;
  return rows.length >= (voted ? 1.5 : 3) * strips ? gutter : undefined;
}

/** The gutter of the document's other pages, where a last column holds too few lines to show it. */
function usualGutter(segments: readonly Segment[], depth: number, votes: GutterVotes | undefined): Gutter | undefined {
  const most = Math.max(0, ...(votes?.values() ?? []));
  if (!votes || most < 30 || depth > 0) return undefined;
  const strip = [...votes].filter(([, count]) => count > 0.7 * most).map(([x]) => x);
  if (strip.length < 4) return undefined;
  const gutter = { left: Math.min(...strip), right: Math.max(...strip) };
  if (gutter.right - gutter.left > 60) return undefined;
  const text = segments.filter((segment) => segment.glyphs.length > 0);
  const left = text.filter((segment) => segment.right <= gutter.left + 2);
  const right = text.filter((segment) => segment.left >= gutter.right - 2);
  const begins = right.some((segment) => segment.left < gutter.right + 3 * segment.size && emsWide(segment) > 8);
  // A page that is set in one column has lines across.
  return begins && left.length >= 4 && text.length - left.length - right.length <= 0.2 * text.length
    ? gutter
    : undefined;
}

function emsWide(segment: Segment): number {
  return (segment.right - segment.left) / segment.size;
}

function isVoted(votes: GutterVotes | undefined, x: number): boolean {
  return (votes?.get(x) ?? 0) > 20;
}

/** The strip that stays free in nearly all rows: a few lines may stick out. */
function narrowest(rows: readonly GapRow[], x: number): Gutter {
  const lefts = rows.map((row) => row.left.right).sort((a, b) => a - b);
  const rights = rows.map((row) => row.right.left).sort((a, b) => a - b);
  const left = Math.min(x, lefts[Math.floor(lefts.length * 0.95)] ?? x);
  const right = Math.max(x, rights[Math.floor(rights.length * 0.05)] ?? x);
  return { left, right };
}

/** The mean of the larger half: short last lines and formulas say nothing about a column's width. */
function upperMean(values: readonly number[]): number {
  const upper = values.toSorted((a, b) => b - a).slice(0, Math.max(1, Math.ceil(values.length / 2)));
  return upper.reduce((sum, value) => sum + value, 0) / upper.length;
}

/** Counts, over all pages, where wide segments face each other across a gap: the document's gutters. */
export function voteForGutters(pages: readonly (readonly Segment[])[]): GutterVotes {
  const votes = new Map<number, number>();
  for (const segments of pages)
    for (const { left, right } of gapRows(segments)) {
      if (emsWide(left) < WIDE || emsWide(right) < WIDE || right.left - left.right > MAX_GAP) continue;
      for (let x = Math.ceil(left.right); x <= Math.floor(right.left); x += 1) votes.set(x, (votes.get(x) ?? 0) + 1);
    }
  return votes;
}
