import type { Box } from '../../document.ts';
import { overlap, shareInside, touches, unionBox } from './box.ts';
import type { Rule } from './page-content.ts';
import type { Segment } from './segment.ts';
import { sameRow } from './segment.ts';
import { glyphsText } from './segment-text.ts';

/** A place on a page where rules say that a table stands. */
export interface TableRegion {
  readonly box: Box;
  readonly horizontal: readonly Box[];
  readonly vertical: readonly Box[];
}

const SAME_EDGE = 5;
const MIN_WIDTH = 50;

/** Tables between horizontal rules of one width (as scholarly tables are set), and tables drawn as a grid. */
export function findTableRegions(
  rules: readonly Rule[],
  segments: readonly Segment[],
  figures: readonly Box[],
): TableRegion[] {
  const free = rules.filter((rule) => !figures.some((figure) => shareInside(grown(rule.box), figure) > 0.6));
  const horizontal = joinCollinear(free.filter((rule) => rule.direction === 'horizontal').map((rule) => rule.box));
  const vertical = free.filter((rule) => rule.direction === 'vertical').map((rule) => rule.box);
  const regions: TableRegion[] = [];
  for (const chain of chains(horizontal)) {
    for (const part of tabularParts(chain, segments, vertical)) {
      const box = unionBox(part);
      if (regions.some((region) => touches(region.box, box, -2))) continue;
      regions.push({
        box,
        horizontal: free
          .filter((rule) => rule.direction === 'horizontal' && shareInside(grown(rule.box), grown(box)) > 0.9)
          .map((rule) => rule.box),
        vertical: vertical.filter((rule) => shareInside(grown(rule), grown(box)) > 0.8),
      });
    }
  }
  return regions;
}

function grown(box: Box): Box {
  return { left: box.left - 2, top: box.top - 2, right: box.right + 2, bottom: box.bottom + 2 };
}

/** Rules drawn cell by cell become one rule. */
function joinCollinear(boxes: readonly Box[]): Box[] {
  const sorted = [...boxes].sort((a, b) => a.top - b.top || a.left - b.left);
  const result: Box[] = [];
  for (const box of sorted) {
    const at = result.findIndex(
      (other) => Math.abs(other.top - box.top) < 1.5 && overlap(other.left, other.right, box.left, box.right) > -3,
    );
    const host = result[at];
    if (host) result[at] = unionBox([host, box]);
    else result.push(box);
  }
  return result.filter((box) => box.right - box.left >= MIN_WIDTH);
}

/** Rules with the same left and right ends, from top to bottom. */
function chains(rules: readonly Box[]): Box[][] {
  const result: Box[][] = [];
  for (const rule of [...rules].sort((a, b) => a.top - b.top)) {
    const chain = result.find(
      ([first]) =>
        first && Math.abs(first.left - rule.left) <= SAME_EDGE && Math.abs(first.right - rule.right) <= SAME_EDGE,
    );
    if (chain) chain.push(rule);
    else result.push([rule]);
  }
  return result.filter((chain) => chain.length >= 2);
}

const CAPTION = /^(?:table|fig(?:ure|\.)?|algorithm|listing|tab\.)\s*[\dIVXA-Z]/i;

/** Cuts a chain of rules where what stands between two of them is not tabular. */
function tabularParts(chain: readonly Box[], segments: readonly Segment[], vertical: readonly Box[]): Box[][] {
  const parts: Box[][] = [];
  let open: Box[] = [];
  let multiple = 0;
  let rowCount = 0;
  const close = (): void => {
    if (open.length >= 2 && rowCount >= 2 && multiple >= 0.5 * rowCount) parts.push(open);
    open = [];
    multiple = 0;
    rowCount = 0;
  };
  for (let index = 0; index + 1 < chain.length; index += 1) {
    const upper = chain[index];
    const lower = chain[index + 1];
    if (!upper || !lower) continue;
    const between = { left: upper.left - 3, right: upper.right + 3, top: upper.top - 1, bottom: lower.bottom + 1 };
    const inside = segments.filter((segment) => shareInside(segment, between) > 0.5);
    const crossing = segments.some(
      (segment) =>
        segment.baseline > upper.bottom &&
        segment.baseline < lower.bottom &&
        overlap(segment.left, segment.right, between.left, between.right) > 2 &&
        (segment.left < between.left - 6 || segment.right > between.right + 6),
    );
    const rows = rowsOf(inside);
    const lines = vertical.filter(
      (rule) => shareInside(grown(rule), grown(between)) > 0.5 && rule.left > between.left + 8 && rule.left < between.right - 8,
    ).length;
    const several = lines > 0 ? rows.length : rows.filter((row) => row.length >= 2).length;
    const caption = rows.some((row) => CAPTION.test(rowText(row)));
    const gap = lower.top - upper.bottom;
    if (crossing || caption || (rows.length === 0 && gap > 8) || (rows.length > 2 && several < 0.3 * rows.length)) {
      close();
      continue;
    }
    if (open.length === 0) open.push(upper);
    open.push(lower);
    multiple += several;
    rowCount += rows.length;
  }
  close();
  return parts;
}

function rowText(row: readonly Segment[]): string {
  return row.map((segment) => glyphsText(segment.glyphs, segment.size, segment.baseline)).join(' ');
}

/** Segments by rows, from top to bottom, each row from left to right. */
export function rowsOf(segments: readonly Segment[]): Segment[][] {
  const sorted = [...segments].sort((a, b) => a.baseline - b.baseline);
  const rows: Segment[][] = [];
  for (const segment of sorted) {
    const row = rows.at(-1);
    const [first] = row ?? [];
    if (row && first && sameRow(first, segment)) row.push(segment);
    else rows.push([segment]);
  }
  for (const row of rows) row.sort((a, b) => a.left - b.left);
  return rows;
}
