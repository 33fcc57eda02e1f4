import type { Box } from '../../../document.ts';
import { overlap, shareInside, unionBox } from './box.ts';
import { segmentLabel } from '../role/caption.ts';
import type { PageContent, Rule } from './page-content.ts';
import { mainType, proseSegments, typeKey } from './prose.ts';
import type { Segment } from './segment.ts';

/** The least height of a figure, in points. */
const MIN_HEIGHT = 30;
/** How far, in points, a caption is from its figure. */
const MAX_DISTANCE = 60;

/**
 * Whole figures above their captions: a plot is drawn in parts that do not touch (panels, bars, axes, letters), but all of
 * them are between the caption and the running text above it.
 */
export function captionedFigures(page: PageContent, segments: readonly Segment[], pictures: readonly Box[]): Box[] {
  const captions = segments.filter((segment) => segmentLabel(segment) === 'figure' && startsLine(segment, segments));
  if (captions.length === 0) return [];
  const prose = proseSegments(segments);
  const ends = segments.filter((segment) => prose.has(segment) || segmentLabel(segment) !== undefined);
  const tinted = tints(page, segments);
  const drawn = drawnBoxes(page, tinted, pictures);
  const body = mainType(prose);
  return captions.flatMap((caption) => {
    const column = captionWidth(caption, segments, prose);
    const inColumn = (box: Box): boolean =>
      overlap(box.left, box.right, column.left, column.right) > 0.5 * (box.right - box.left);
    const isAbove = (box: Box): boolean =>
      box.bottom < caption.top && overlap(box.left, box.right, column.left, column.right) > 0;
    const above = ends.filter(isAbove);
    // Below the caption of a table come its rows, up to the last one with a tint.
    const rows = above.some((segment) => segmentLabel(segment) === 'table') ? tinted.filter(isAbove) : [];
    const top = Math.max(0, ...[...above, ...rows].map(({ bottom }) => bottom));
    const isOwn = (box: Box): boolean => box.top > top - 1 && box.bottom < caption.top + 2 && inColumn(box);
    const parts = drawn.filter(isOwn);
    if (parts.length === 0) parts.push(...boxesOfRules(page.rules.filter(({ box }) => isOwn(box))));
    if (parts.length === 0) return [];
    const box = unionBox(parts);
    if (box.bottom - box.top < MIN_HEIGHT || caption.top - box.bottom > MAX_DISTANCE) return [];
    const labels = segments.filter(
      (segment) =>
        segment.bottom < caption.top &&
        segment.top > top &&
        inColumn(segment) &&
        segment.bottom > box.top - 2.5 * segment.size &&
        !(segment.baseline < box.top && typeKey(segment) === body && isLine(segment, prose)) &&
        segment.right - segment.left < 20 * segment.size &&
        !isRuledOff(segment, box, page.rules),
    );
    return [unionBox([box, ...labels])];
  });
}

/** A rule over most of the figure is between: what is beyond it is the last row of a table, no label. */
export function isRuledOff(segment: Segment, figure: Box, rules: readonly Rule[]): boolean {
  // Boxes of letters reach below and above what is printed.
  const from = Math.min(segment.baseline, figure.bottom - 1);
  const to = Math.max(segment.baseline - 0.6 * segment.size, figure.top + 1);
  if (to - from < 2) return false;
  return rules.some(
    ({ direction, box }) =>
      direction === 'horizontal' &&
      box.top > from &&
      box.bottom < to &&
      overlap(box.left, box.right, figure.left, figure.right) > 0.5 * (figure.right - figure.left) &&
      overlap(box.left, box.right, segment.left, segment.right) > 0,
  );
}

/** Upright rules from which on rules above a figure's caption are the boxes of a flow chart. */
const FEWEST_UPRIGHT = 4;

/** A flow chart may be drawn of plain lines only: boxes round words and arrows between them. */
function boxesOfRules(rules: readonly Rule[]): Box[] {
  const upright = rules.filter(({ direction }) => direction === 'vertical').length;
  return upright >= FEWEST_UPRIGHT && rules.length >= 2 * FEWEST_UPRIGHT ? rules.map(({ box }) => box) : [];
}

/** Wider than the letter of a panel, and begins at an edge of the running text: the last line of a paragraph. */
function isLine(segment: Segment, prose: ReadonlySet<Segment>): boolean {
  return (
    segment.right - segment.left > 5 * segment.size &&
    [...prose].some(({ left }) => Math.abs(left - segment.left) < 0.5 * segment.size)
  );
}

/** Fills behind words. */
function tints(page: PageContent, segments: readonly Segment[]): Box[] {
  return page.drawings
    .filter(({ kind, box }) => kind === 'fill' && segments.some((segment) => shareInside(segment, box) > 0.5))
    .map(({ box }) => box);
}

/** What is drawn and no rule of a table or tint behind words. */
function drawnBoxes(page: PageContent, behindWords: readonly Box[], pictures: readonly Box[]): Box[] {
  const tinted = new Set(behindWords);
  const fills = page.drawings.filter(({ kind, box }) => kind === 'fill' && !tinted.has(box)).map(({ box }) => box);
  const paths = page.drawings.filter(({ kind }) => kind === 'path').map(({ box }) => box);
  return [...pictures, ...fills, ...paths];
}

/** Nothing is left of it in its row but other columns. */
function startsLine(caption: Segment, segments: readonly Segment[]): boolean {
  return !segments.some(
    (other) =>
      other !== caption &&
      Math.abs(other.baseline - caption.baseline) < 0.3 * caption.size &&
      other.right <= caption.left + 1 &&
      caption.left - other.right < 1.2 * caption.size,
  );
}

/** The width of the caption's own lines. */
function captionWidth(
  caption: Segment,
  segments: readonly Segment[],
  prose: ReadonlySet<Segment>,
): { left: number; right: number } {
  let { left, right, baseline } = caption;
  const below = segments
    .filter((segment) => segment.baseline > caption.baseline)
    .sort((a, b) => a.baseline - b.baseline);
  for (const segment of below) {
    if (segment.baseline - baseline > 1.7 * caption.size) break;
    if (overlap(segment.left, segment.right, left, right) <= 0) continue;
    if (Math.abs(segment.size - caption.size) > 0.2 * caption.size && !prose.has(segment)) continue;
    left = Math.min(left, segment.left);
    right = Math.max(right, segment.right);
    baseline = segment.baseline;
  }
  // A short caption may be centred under a wide figure.
  const centre = (left + right) / 2;
  const half = Math.max((right - left) / 2, 110);
  return { left: centre - half, right: centre + half };
}
