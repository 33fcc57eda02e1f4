import type { Box } from '../../../document.ts';
import { overlap, shareInside } from '../page/box.ts';
import { segmentLabel } from '../role/caption.ts';
import { mainType, proseShare, typeKey } from '../page/prose.ts';
import type { Segment } from '../page/segment.ts';
import { sameRow } from '../page/segment.ts';

/** Where more than this share of the letters between two rules is running text, the table has ended. */
const PROSE = 0.4;

/** What captioned tables are looked for in: segments of a page, its horizontal rules and its pictures. */
export interface TablePage {
  readonly segments: readonly Segment[];
  readonly rules: readonly Box[];
  readonly pictures: readonly Box[];
  readonly prose: ReadonlySet<Segment>;
}

/** Tables below their captions: from the caption's end to the last rule before running text, another caption or a picture. */
export function captionedTables(page: TablePage): Box[] {
  return page.segments
    .filter((segment) => segmentLabel(segment) === 'table')
    .flatMap((caption) => tableBelow(caption, page) ?? []);
}

function tableBelow(caption: Segment, page: TablePage): Box | undefined {
  const rules = page.rules
    .filter(
      (rule) => rule.bottom > caption.bottom - 1 && overlap(rule.left, rule.right, caption.left, caption.right) > 0,
    )
    .sort((a, b) => a.top - b.top);
  let own: Box[] = [];
  let open: Box[] = [];
  const cells: Segment[] = [];
  let hasCells = false;
  let above = caption.bottom;
  for (const rule of rules) {
    const width = rule.right - rule.left;
    const widest = Math.max(0, ...own.map((each) => each.right - each.left));
    // A wider rule belongs to something else.
    if (own.length > 0 && width > 1.1 * widest + 10) break;
    const between = {
      left: rule.left - 3,
      right: Math.max(rule.right, caption.right) + 3,
      top: above,
      bottom: rule.top,
    };
    if (!isTablePart(between, caption, own.length === 0, page)) break;
    const inside = page.segments.filter((segment) => shareInside(segment, between) > 0.5);
    if (own.length > 1 && isBodyText(inside, cells, page.prose)) break;
    if (own.length > 0) cells.push(...inside);
    open.push(rule);
    hasCells ||= own.length === 0 || inside.some((segment) => inside.some((other) => isBeside(segment, other)));
    // A rule over some of the columns heads them; only one over all, with cells above it, can end the table.
    if (width > 0.9 * widest && hasCells) {
      own = [...own, ...open];
      open = [];
      hasCells = false;
    }
    above = rule.bottom;
  }
  const widest = own.toSorted((a, b) => b.right - b.left - (a.right - a.left))[0];
  if (!widest) return undefined;
  const { left, right } = widest;
  const top = captionEnd(caption, own, page, { left, right });
  const bottom = Math.max(...own.map((rule) => rule.bottom));
  return bottom - top > 2 * caption.size ? { left, right, top, bottom } : undefined;
}

/** Text after a table is set like the page's running text, and its cells are not. */
function isBodyText(part: readonly Segment[], cells: readonly Segment[], prose: ReadonlySet<Segment>): boolean {
  const body = mainType(prose);
  return (
    body !== undefined && part.length > 2 && mainType(part) === body && !cells.some((cell) => typeKey(cell) === body)
  );
}

function isBeside(a: Segment, b: Segment): boolean {
  return a !== b && a.right < b.left && sameRow(a, b);
}

function isTablePart(between: Box, caption: Segment, first: boolean, page: TablePage): boolean {
  const inside = page.segments.filter((segment) => shareInside(segment, between) > 0.5);
  if (
    inside.some(
      (segment) => segment !== caption && segmentLabel(segment) !== undefined && segment.left < caption.left + 40,
    )
  )
    return false;
  if (page.pictures.some((picture) => shareInside(picture, between) > 0.5)) return false;
  // The words of the caption itself are before the first rule.
  if (first)
    return (
      inside.filter((segment) => page.prose.has(segment)).length < 8 && between.bottom - between.top < 20 * caption.size
    );
  return proseShare(between, inside, page.prose) < PROSE && !holdsLines(inside, between);
}

/** Two lines over the whole width, one below the other: text after the table's end. */
function holdsLines(inside: readonly Segment[], between: Box): boolean {
  const full = inside
    .filter(
      (segment) => segment.right - segment.left > Math.max(0.8 * (between.right - between.left), 20 * segment.size),
    )
    .sort((a, b) => a.baseline - b.baseline);
  return full.some(
    (segment, index) => segment.baseline - (full[index - 1]?.baseline ?? -Infinity) < 1.6 * segment.size,
  );
}

/** Where the caption's own lines end: at the first rule below it, or where a line is cut into cells. */
function captionEnd(
  caption: Segment,
  rules: readonly Box[],
  page: TablePage,
  { left, right }: { left: number; right: number },
): number {
  const [first] = rules;
  const rows = page.segments
    .filter(
      (segment) => segment.baseline > caption.baseline + 1 && segment.right > left - 2 && segment.left < right + 2,
    )
    .sort((a, b) => a.baseline - b.baseline);
  let end = caption.bottom;
  for (const row of rows) {
    if (first && row.bottom > first.top + 1) {
      // What is left above the first rule in several pieces is the table's head; else the rule ends the caption.
      break;
    }
    const beside = rows.filter((other) => other !== row && Math.abs(other.baseline - row.baseline) < 2);
    if (beside.length > 0 || row.top - end > 0.9 * row.size) return end + 0.5;
    end = Math.max(end, row.bottom);
  }
  return first ? Math.min(first.top, Math.max(end, first.top)) - 1 : end + 0.5;
}
