import type { Box } from '../../document.ts';
import { shareInside } from './box.ts';
import type { PageContent, Rule } from './page-content.ts';
import type { Segment } from './segment.ts';

/** The least width, and the heights, of a stripe behind a row of a table, in points. */
const MIN_WIDTH = 80;
const MIN_HEIGHT = 6;
const MAX_HEIGHT = 90;
const SAME_EDGE = 4;

/** The edges of shaded rows as rules: tables with stripes have no lines, or few. */
export function stripeRules(page: PageContent, segments: readonly Segment[]): Rule[] {
  const stripes = page.drawings
    .filter(({ kind }) => kind === 'fill' || kind === 'path')
    .map(({ box }) => box)
    .filter(
      (box) =>
        box.right - box.left >= MIN_WIDTH && box.bottom - box.top >= MIN_HEIGHT && box.bottom - box.top <= MAX_HEIGHT,
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

/** A row may be shaded cell by cell. */
function joinCells(boxes: readonly Box[]): Box[] {
  const result: Box[] = [];
  for (const box of boxes.toSorted((a, b) => a.top - b.top || a.left - b.left)) {
    const at = result.findIndex(
      (other) =>
        Math.abs(other.top - box.top) < 1 &&
        Math.abs(other.bottom - box.bottom) < 1 &&
        box.left - other.right < SAME_EDGE &&
        other.left - box.right < SAME_EDGE,
    );
    const host = result[at];
    if (host) result[at] = { ...host, left: Math.min(host.left, box.left), right: Math.max(host.right, box.right) };
    else result.push(box);
  }
  return result;
}

function sameEnds(a: Box, b: Box): boolean {
  return Math.abs(a.left - b.left) < SAME_EDGE && Math.abs(a.right - b.right) < SAME_EDGE;
}
