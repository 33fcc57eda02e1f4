import type { Box } from '../../../document.ts';
import { joinBoxes, overlap, shareInside } from '../page/box.ts';
import { segmentLabel } from '../role/caption.ts';
import type { PageContent, Rule } from '../page/page-content.ts';
import type { Segment } from '../page/segment.ts';

/** The least width, and the heights, of a stripe behind a row of a table, in points. */
const MIN_WIDTH = 80;
const MIN_HEIGHT = 6;
const MAX_HEIGHT = 90;
const SAME_EDGE = 4;
/** How far below its caption the first stripe of a table may begin. */
const MAX_HEAD = 90;

/** The edges of shaded rows as rules: tables with stripes have no lines, or few. */
export function stripeRules(page: PageContent, segments: readonly Segment[]): Rule[] {
  const stripes = page.drawings
    .filter(({ kind }) => kind === 'fill' || kind === 'path')
    .map(({ box }) => box)
    .filter(
      (box) =>
        box.right - box.left >= MIN_WIDTH &&
        box.bottom - box.top >= MIN_HEIGHT &&
        // All stripes of a table may be drawn as one shape.
        (box.bottom - box.top <= MAX_HEIGHT || (isCaptioned(box, segments) && holdsCells(box, segments))),
    )
    .filter((box) => segments.some((segment) => shareInside(segment, box) > 0.6));
  const rows = joinCells(stripes).filter((box, _index, all) => all.filter((other) => sameEnds(box, other)).length >= 2);
  const heights = new Set<string>();
  return rows.flatMap((box) =>
    [box.top, box.bottom].flatMap((y): Rule[] => {
      const key = `${Math.round(box.left / SAME_EDGE)} ${Math.round(y / 2)}`;
      if (heights.has(key)) return [];
      heights.add(key);
      return [{ direction: 'horizontal', box: { left: box.left, right: box.right, top: y, bottom: y } }];
    }),
  );
}

/** The caption of a table is above it, over the table's head at most. */
function isCaptioned(box: Box, segments: readonly Segment[]): boolean {
  return segments.some(
    (segment) =>
      segmentLabel(segment) === 'table' &&
      segment.left < box.right &&
      segment.right > box.left &&
      segment.bottom < box.top + 2 &&
      box.top - segment.bottom < MAX_HEAD,
  );
}

/** Rows of several pieces are printed on it: cells of a table. */
export function holdsCells(box: Box, segments: readonly Segment[]): boolean {
  const inside = segments.filter((segment) => shareInside(segment, box) > 0.6);
  const rows = Map.groupBy(inside, (segment) => Math.round(segment.baseline));
  const cut = [...rows.values()].filter((row) => row.length >= 2).length;
  return rows.size >= 5 && cut >= 0.5 * rows.size;
}

/** A row may be shaded cell by cell. */
function joinCells(boxes: readonly Box[]): Box[] {
  return joinBoxes(
    boxes.toSorted((a, b) => a.top - b.top || a.left - b.left),
    (a, b) =>
      Math.abs(a.top - b.top) < 1 &&
      Math.abs(a.bottom - b.bottom) < 1 &&
      overlap(a.left, a.right, b.left, b.right) > -SAME_EDGE,
  );
}

function sameEnds(a: Box, b: Box): boolean {
  return Math.abs(a.left - b.left) < SAME_EDGE && Math.abs(a.right - b.right) < SAME_EDGE;
}
