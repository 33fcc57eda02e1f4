import type { TablePage, TableRegion } from './table-rows.ts';
import { joinHorizontal, rowsOf } from './table-rows.ts';
import type { Box, Table } from '../../../document.ts';
import { proseSegments, proseShare, mainType, typeKey } from '../page/page-view.ts';
import type { Extent } from '../page/box.ts';
import {
  joinBoxes,
  mergeTouching,
  shareInside,
  touches,
  unionBox,
  heightOf,
  overlapX,
  overlapY,
  widthOf,
} from '../page/box.ts';
import type { Rule, PageContent } from '../page/page-content.ts';
import type { Segment, Line } from '../page/segment.ts';
import { sameRow } from '../page/segment.ts';
import { isLabelAlone, segmentLabel, captionStart } from '../role/caption.ts';
import { namesInLine } from '../output/byline.ts';
import { isFormulaLine, hasLeaders } from '../role/paragraph.ts';
import { oneColumnBelow } from './one-column.ts';
import { buildTable } from './table-grid.ts';

const SAME_EDGE = 5;
const MIN_WIDTH = 50;
/** Where more than this share of the letters is running text, there is no table. */
const PROSE = 0.4;

/** Tables between horizontal rules of one width (as scholarly tables are set), and tables drawn as a grid. */
export function findTableRegions(
  rules: readonly Rule[],
  segments: readonly Segment[],
  figures: readonly Box[],
  bodySize: number,
): TableRegion[] {
  const free = rules.filter((rule) => !figures.some((figure) => shareInside(grown(rule.box), figure) > 0.6));
  const pieces = free.filter((rule) => rule.direction === 'horizontal').map((rule) => rule.box);
  const horizontal = joinHorizontal(pieces).filter((box) => widthOf(box) >= MIN_WIDTH);
  const vertical = joinVertical(free.filter((rule) => rule.direction === 'vertical').map((rule) => rule.box));
  const joints = joinVertical(jointRules(pieces, segments));
  const prose = proseSegments(segments);
  const regions: TableRegion[] = [];
  const add = (box: Box, single = false): void => {
    if (holdsDisplay(box, segments, bodySize) || holdsAbstract(box, segments) || holdsByline(box, segments)) return;
    regions.push({
      box,
      horizontal: pieces.filter((rule) => shareInside(grown(rule), grown(box)) > 0.9),
      vertical: vertical.filter((rule) => shareInside(grown(rule), grown(box)) > 0.8),
      single,
    });
  };
  const page = { segments, rules: horizontal, pictures: figures, prose };
  const captioned = captions(segments).flatMap((caption) => tableBelow(caption, page) ?? []);
  const upright = [...vertical, ...joints];
  const drawn = grids(horizontal, upright).filter((box) => isTabular(box, page, upright));
  // A grid ends where the rules between its columns end, whatever is empty in its last rows or runs over its columns.
  const isPartOf = (box: Box, grid: Box): boolean =>
    shareInside(box, grid) > 0.9 &&
    grid.bottom > box.bottom + 2 &&
    vertical.some((rule) => reachesFoot(rule, grid, vertical));
  const parts = chains(horizontal).flatMap((chain) => tabularParts(chain, segments, vertical, prose));
  for (const box of captioned)
    if (
      keepsColumns(box, segments) &&
      !drawn.some((grid) => isPartOf(box, grid)) &&
      !parts.some((part) => isHeadOf(box, part, segments))
    )
      add(box);
  for (const caption of captions(segments)) {
    const box = oneColumnBelow(caption, page);
    if (box) add(box, true);
  }
  for (const box of drawn) add(box);
  for (const box of parts) add(box);
  return regions;
}

/** The head of a table, with the rules that go on below it. */
function isHeadOf(box: Box, part: Box, segments: readonly Segment[]): boolean {
  return shareInside(box, part) > 0.9 && part.bottom > box.bottom + 2 && rowsIn(box, segments).length <= HEAD_ROWS;
}

function rowsIn(box: Box, segments: readonly Segment[]): Segment[][] {
  return rowsOf(segments.filter((segment) => shareInside(segment, grown(box)) > 0.6));
}

/** More lines are hardly a head alone. */
const HEAD_ROWS = 3;

function reachesFoot(rule: Box, grid: Box, vertical: readonly Box[]): boolean {
  const isInner = rule.left > grid.left + 8 && rule.left < grid.right - 8;
  if (!isInner || rule.bottom < grid.bottom - 3) return false;
  return vertical.some(({ left, top }) => Math.abs(left - rule.left) < SAME_JOINT && Math.abs(top - grid.top) < 3);
}

/** No table is set in type that is clearly larger than the running text: it is a title between two rules. */
function holdsDisplay(box: Box, segments: readonly Segment[], bodySize: number): boolean {
  return segments.some(
    (segment) => segment.size > 1.3 * bodySize && segment.glyphs.length >= 10 && shareInside(segment, grown(box)) > 0.6,
  );
}

/** An abstract beside the history of the article, between rules: "A R T I C L E  I N F O   A B S T R A C T". */
function holdsAbstract(box: Box, segments: readonly Segment[]): boolean {
  return segments.some(
    ({ text, ...place }) =>
      /^(?:abstract|articleinfo(?:rmation)?(?:abstract)?|articlehistory:?)$/iu.test(text.replace(/\s+/gu, '')) &&
      shareInside(place, grown(box)) > 0.6,
  );
}

/** The names of the authors between rules, which signs behind them cut into pieces. */
function holdsByline(box: Box, segments: readonly Segment[]): boolean {
  const rows = rowsIn(box, segments).map((row) => row.map(({ text }) => text).join(' '));
  const parts = rows.join(' ').split(',').length;
  // Single letters between commas may be marks behind names, or a table's sets.
  return rows.length <= MOST_NAME_ROWS && parts > 1 && namesInLine(rows.join(' ')).length > Math.max(1, parts / 2);
}

/** More lines than these are hardly names alone. */
const MOST_NAME_ROWS = 30;

function grown(box: Box): Box {
  return { left: box.left - 2, top: box.top - 2, right: box.right + 2, bottom: box.bottom + 2 };
}

function joinVertical(boxes: readonly Box[]): Box[] {
  return joinBoxes(
    boxes.toSorted((a, b) => a.left - b.left || a.top - b.top),
    (a, b) => Math.abs(a.left - b.left) < 1.5 && overlapY(a, b) > -3,
  );
}

/** Heights at which rules must meet at one place, before it is the edge of a column. */
const JOINTS = 3;
const SAME_JOINT = 3;
const FEWEST_POINTS = 15;
const MANY = 2_000;

/** Rules that are drawn cell by cell show where columns end: there a rule is upright, as far as no text crosses it. */
function jointRules(pieces: readonly Box[], segments: readonly Segment[]): Box[] {
  if (pieces.length > MANY) return [];
  const joints: { x: number; heights: number[] }[] = [];
  const rows = Map.groupBy(
    pieces.filter(({ left, right }) => right - left > FEWEST_POINTS),
    ({ top }) => Math.round(top / 2),
  );
  for (const row of rows.values())
    for (const { right, top } of row) {
      if (!row.some(({ left }) => Math.abs(left - right) < SAME_JOINT)) continue;
      const joint = joints.find(({ x }) => Math.abs(x - right) < SAME_JOINT);
      if (joint) joint.heights.push(top);
      else joints.push({ x: right, heights: [top] });
    }
  return joints.flatMap(({ x, heights }) => {
    const sorted = heights.toSorted((a, b) => a - b);
    if (sorted.length < JOINTS) return [];
    const crosses = (top: number, bottom: number): boolean =>
      segments.some(
        ({ left, right, baseline }) => left < x - 2 && right > x + 2 && baseline > top && baseline < bottom + 1,
      );
    return sorted.slice(1).flatMap((bottom, index) => {
      const top = sorted[index] ?? bottom;
      return crosses(top, bottom) ? [] : [{ left: x, right: x, top, bottom }];
    });
  });
}

function grids(horizontal: readonly Box[], vertical: readonly Box[]): Box[] {
  return mergeTouching([...horizontal, ...vertical], 2).filter((box) =>
    [horizontal, vertical].every((rules) => rules.some((rule) => touches(rule, box, 0))),
  );
}

/** Rules between the columns of a table have at least this share of its height together. */
const LEAST_HEIGHT = 0.2;

function isTabular(box: Box, { segments, prose }: TablePage, vertical: readonly Box[]): boolean {
  const rows = rowsIn(box, segments);
  if (rows.length < 2 || rows.some(startsCaption)) return false;
  const inner = vertical.filter(
    (rule) => shareInside(grown(rule), grown(box)) > 0.5 && rule.left > box.left + 8 && rule.left < box.right - 8,
  );
  const isCut = inner.reduce((sum, rule) => sum + heightOf(rule), 0) > LEAST_HEIGHT * heightOf(box);
  // Frames and boxes that touch each other may be around the text of a page.
  if (!isCut && proseShare(box, segments, prose) > PROSE && !keepsToColumns(rows.slice(0, 1), rows)) return false;
  const several = rows.filter((row) => row.length >= 2).length;
  return inner.length > 0 ? several >= 1 : several >= 0.5 * rows.length;
}

/** Some rows are cut into cells, at places that other rows respect. */
function keepsColumns(box: Box, segments: readonly Segment[]): boolean {
  const rows = rowsIn(box, segments);
  return rows.filter((row) => row.length >= 2).length >= 2;
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

export const CAPTION =
  /^(?:table|fig(?:ure|\.)?|algorithm|listing|tab\.|tabelle|tableau|tabla|tabela|tabella|таблица|abbildung|abb\.|figura|рисунок|рис\.)\s*[A-Z]{0,2}[.-]?\d+(?:[.:\s]|$)/iu;

function startsCaption(row: readonly Segment[]): boolean {
  const [first] = row;
  return first !== undefined && CAPTION.test(first.text);
}

/** The greatest white space between two rules of a table, and that of an empty row as high as the one above it. */
const MAX_EMPTY = 8;
const MAX_SPACER = 15;

/** Cuts a chain of rules where what is between two of them is not tabular. */
function tabularParts(
  chain: readonly Box[],
  segments: readonly Segment[],
  vertical: readonly Box[],
  prose: ReadonlySet<Segment>,
): Box[] {
  const parts: Box[] = [];
  let open: Box[] = [];
  let rows: Segment[][] = [];
  const close = (): void => {
    const several = rows.filter((row) => row.length >= 2).length;
    if (
      open.length >= 2 &&
      rows.length >= 1 &&
      (several >= 0.5 * rows.length || keepsToColumns(rows.slice(0, 1), rows))
    ) {
      const box = unionBox(open);
      const more = rows.length <= 3 && open.length === 2 ? rowsBelow(box, rows, segments) : undefined;
      if (more) parts.push(more);
      else if (rows.length >= 2) parts.push(box);
    }
    open = [];
    rows = [];
  };
  for (let index = 0; index + 1 < chain.length; index += 1) {
    const upper = chain[index];
    const lower = chain[index + 1];
    if (!upper || !lower) continue;
    const between = { left: upper.left - 3, right: upper.right + 3, top: upper.top - 1, bottom: lower.bottom + 1 };
    const near = segments.filter(
      (segment) => segment.baseline > upper.top && segment.baseline < lower.bottom && overlapX(segment, between) > 2,
    );
    const inside = near.filter((segment) => shareInside(segment, between) > 0.5);
    const here = rowsOf(inside);
    const ruled = vertical.some(
      (rule) =>
        shareInside(grown(rule), grown(between)) > 0.5 && rule.left > between.left + 8 && rule.left < between.right - 8,
    );
    const several = ruled ? here.length : here.filter((row) => row.length >= 2).length;
    const gap = lower.top - upper.bottom;
    const above = chain[index - 1]?.bottom ?? upper.top;
    if (
      near.length > inside.length ||
      here.some(startsCaption) ||
      proseShare(between, inside, prose) > PROSE ||
      (here.length === 0 && gap > Math.max(MAX_EMPTY, Math.min(1.1 * (upper.top - above), MAX_SPACER))) ||
      (here.length > 2 && several < 0.3 * here.length && !keepsToColumns(rows, here))
    ) {
      close();
      continue;
    }
    if (open.length === 0) open.push(upper);
    open.push(lower);
    rows.push(...here);
  }
  close();
  return parts;
}

/** Long texts in cells make many lines with one segment each, but none runs over the columns of the head. */
function keepsToColumns(header: readonly Segment[][], rows: readonly Segment[][]): boolean {
  const starts = header.flatMap((row) => row.slice(1).map((segment) => segment.left));
  if (starts.length === 0 || header.length > 3 || !rows.some((row) => row.length >= 2)) return false;
  return rows.every((row) =>
    row.every((segment) => !starts.some((x) => segment.left < x - 3 && segment.right > x + 3)),
  );
}

/** A table that continues over the page's end has no rule at its foot: its rows keep to the columns of the head. */
function rowsBelow(head: Box, header: readonly Segment[][], segments: readonly Segment[]): Box | undefined {
  const starts = header.flatMap((row) => row.slice(1).map((segment) => segment.left));
  const below = segments.filter((segment) => segment.baseline > head.bottom && overlapX(segment, head) > 0);
  let bottom = head.bottom;
  let several = 0;
  let last = head.bottom;
  for (const row of rowsOf(below)) {
    const [first] = row;
    if (!first || first.baseline - last > 4 * first.size) break;
    if (row.some((segment) => starts.some((x) => segment.left < x - 3 && segment.right > x + 3))) break;
    if (row.length >= 2) several += 1;
    last = first.baseline;
    bottom = Math.max(...row.map((segment) => segment.bottom));
  }
  return several >= 2 ? { ...head, bottom } : undefined;
}

function captions(segments: readonly Segment[]): Segment[] {
  return segments.filter((segment) => segmentLabel(segment) === 'table');
}

/**
 * A table below its caption: from the caption's end to the last rule before running text, another caption or a picture.
 */
function tableBelow(caption: Segment, page: TablePage): Box | undefined {
  // A rule right below a label alone is above the words of its caption.
  const isAlone = isLabelAlone(caption.text) && !page.segments.some((segment) => isBeside(caption, segment));
  const start = isAlone ? caption.bottom + 0.6 * caption.size : caption.bottom - 1;
  const rules = page.rules
    .filter((rule) => rule.bottom > start && overlapX(rule, caption) > 0)
    .sort((a, b) => a.top - b.top);
  let own: Box[] = [];
  let open: Box[] = [];
  const cells: Segment[] = [];
  let hasCells = false;
  let above = caption.bottom;
  for (const rule of rules) {
    const width = widthOf(rule);
    const widest = Math.max(0, ...own.map(widthOf));
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
  const widest = own.toSorted((a, b) => widthOf(b) - widthOf(a))[0];
  if (!widest) return undefined;
  const { left, right } = widest;
  const top = captionEnd(caption, own, page, widest);
  const bottom = Math.max(...own.map((rule) => rule.bottom));
  return bottom - top > 2 * caption.size ? { left, right, top, bottom } : undefined;
}

/** Text after a table is set like the page's running text, and its cells are not. */
function isBodyText(part: readonly Segment[], cells: readonly Segment[], prose: ReadonlySet<Segment>): boolean {
  const body = mainType(prose);
  return body !== undefined && mainType(part) === body && !cells.some((cell) => typeKey(cell) === body);
}

function isBeside(a: Segment, b: Segment): boolean {
  return a.right < b.left && sameRow(a, b);
}

function isTablePart(between: Box, caption: Segment, first: boolean, page: TablePage): boolean {
  const inside = page.segments.filter((segment) => shareInside(segment, between) > 0.5);
  if (inside.some((segment) => segmentLabel(segment) !== undefined && segment.left < caption.left + 40)) return false;
  if (page.pictures.some((picture) => shareInside(picture, between) > 0.5)) return false;
  // The words of the caption itself are before the first rule.
  if (first)
    return inside.filter((segment) => page.prose.has(segment)).length < 8 && heightOf(between) < 20 * caption.size;
  return proseShare(between, inside, page.prose) < PROSE;
}

/** Where the caption's own lines end: at the first rule below it, or where a line is cut into cells. */
function captionEnd(caption: Segment, rules: readonly Box[], page: TablePage, { left, right }: Extent): number {
  const [first] = rules;
  const rows = page.segments
    .filter(
      (segment) => segment.baseline > caption.baseline + 1 && segment.right > left - 2 && segment.left < right + 2,
    )
    .sort((a, b) => a.baseline - b.baseline);
  let end = caption.bottom;
  for (const row of rows) {
    // What is left above the first rule in several pieces is the table's head; else the rule ends the caption.
    if (first && row.bottom > first.top + 1) break;
    const beside = rows.filter((other) => other !== row && Math.abs(other.baseline - row.baseline) < 2);
    if (beside.length > 0 || row.top - end > 0.9 * row.size) return end + 0.5;
    end = Math.max(end, row.bottom);
  }
  return first ? first.top - 1 : end + 0.5;
}

/** The least width, and the heights, of a stripe behind a row of a table, in points. */
const MIN_STRIPE = 80;
const MIN_HEIGHT = 6;
const MAX_HEIGHT = 90;
const SAME_STRIPE = 4;
/** The greatest height of a plain row between two stripes. */
const MAX_PLAIN = 40;
/** How far below its caption the first stripe of a table may begin. */
const MAX_HEAD = 90;

/** The edges of shaded rows as rules: tables with stripes have no lines, or few. */
export function stripeRules(page: PageContent, segments: readonly Segment[]): Rule[] {
  const fills = page.drawings
    .filter(({ kind }) => kind === 'fill' || kind === 'path')
    .map(({ box }) => box)
    .filter(
      (box) =>
        heightOf(box) >= MIN_HEIGHT &&
        // All stripes of a table may be drawn as one shape.
        (heightOf(box) <= MAX_HEIGHT || (isCaptioned(box, segments) && holdsCells(box, segments))),
    );
  const stripes = joinCells(fills).filter(
    (box) => widthOf(box) >= MIN_STRIPE && segments.some((segment) => shareInside(segment, box) > 0.6),
  );
  const shaded = stripes.filter((box) => stripes.filter((other) => sameEnds(box, other)).length >= 2);
  const rows = [...shaded, ...lastRows(shaded, segments)];
  const heights = new Set<string>();
  return rows.flatMap((box) =>
    [box.top, box.bottom].flatMap((y): Rule[] => {
      const key = `${Math.round(box.left / SAME_STRIPE)} ${Math.round(y / 2)}`;
      if (heights.has(key)) return [];
      heights.add(key);
      return [{ direction: 'horizontal', box: { left: box.left, right: box.right, top: y, bottom: y } }];
    }),
  );
}

/** Every second row is shaded: the last one may be the plain row below the last stripe, as high as the one above it. */
function lastRows(stripes: readonly Box[], segments: readonly Segment[]): Box[] {
  return stripes.flatMap((stripe) => {
    const column = stripes.filter((other) => sameEnds(stripe, other));
    const [above, further] = column.filter(({ bottom }) => bottom < stripe.top).toSorted((a, b) => b.top - a.top);
    const height = stripe.top - (above?.bottom ?? -Infinity);
    if (!above || !further || height < MIN_HEIGHT || Math.max(height, above.top - further.bottom) > MAX_PLAIN)
      return [];
    const row = { ...stripe, top: stripe.bottom, bottom: stripe.bottom + height };
    if (column.some((other) => touches(other, row, -2))) return [];
    return segments.filter((segment) => shareInside(segment, row) > 0.6).length >= 2 ? [row] : [];
  });
}

/** The caption of a table is above it, over the table's head at most, or on either side of that head. */
function isCaptioned(box: Box, segments: readonly Segment[]): boolean {
  return segments.some(
    (segment) =>
      segmentLabel(segment) === 'table' && segment.bottom < box.top + 2 && box.top - segment.bottom < MAX_HEAD,
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
    (a, b) => Math.abs(a.top - b.top) < 1 && overlapX(a, b) > -SAME_STRIPE,
  );
}

function sameEnds(a: Box, b: Box): boolean {
  return Math.abs(a.left - b.left) < SAME_STRIPE && Math.abs(a.right - b.right) < SAME_STRIPE;
}

interface UnruledTable {
  readonly from: number;
  readonly to: number;
  readonly box: Box;
  readonly table: Table;
}

/** Finds runs of lines that are cut into cells at the same places: under a table's caption, or plainly of numbers. */
export function findUnruledTables(lines: readonly Line[], vocabulary: ReadonlySet<string>): UnruledTable[] {
  const found: UnruledTable[] = [];
  let start = 0;
  while (start < lines.length) {
    if (!isCells(lines[start])) {
      start += 1;
      continue;
    }
    let end = start + 1;
    while (end < lines.length && goesOn(lines, end)) end += 1;
    while (end > start && !isCells(lines[end - 1])) end -= 1;
    const table = end - start >= 3 ? tableOf(lines, start, end, vocabulary) : undefined;
    if (table) found.push({ from: start, to: end, ...table });
    start = Math.max(end, start + 1);
  }
  return found;
}

/** Two or more short pieces side by side that are no formula. */
function isCells(line: Line | undefined): boolean {
  if (!line || line.float !== undefined || line.segments.length < 2) return false;
  if (hasLeaders(line.text) || captionStart(line) || (line.math > 0.25 && isFormulaLine(line))) return false;
  return line.segments.every((segment) => widthOf(segment) < 18 * line.size);
}

function goesOn(lines: readonly Line[], at: number): boolean {
  const line = lines[at];
  const previous = lines[at - 1];
  if (!line || !previous || line.baseline - previous.baseline > 2.2 * line.size) return false;
  if (isCells(line)) return true;
  // A wrapped cell or the name of a group of rows, between two rows.
  const short = line.float === undefined && widthOf(line) < 18 * line.size && !captionStart(line);
  return short && isCells(previous) && isCells(lines[at + 1]);
}

function tableOf(
  lines: readonly Line[],
  from: number,
  to: number,
  vocabulary: ReadonlySet<string>,
): { box: Box; table: Table } | undefined {
  const run = lines.slice(from, to);
  const box = unionBox(run);
  const table = buildTable(
    { box, horizontal: [], vertical: [], single: false },
    run.flatMap((line) => [...line.segments]),
    vocabulary,
  );
  if (!table || table.rows < 3) return undefined;
  const filled = table.cells.filter((cell) => cell.text !== '');
  const single = filled.filter((cell) => cell.columnSpan === 1).length;
  if (filled.length < 0.6 * table.rows * table.columns || single < 0.85 * filled.length) return undefined;
  const numbers = filled.filter((cell) => /^[^\p{L}\p{N}]*\p{N}[^\p{L}]*$/u.test(cell.text)).length;
  const plain = table.columns >= 3 && table.rows >= 4 && numbers > 0.5 * filled.length;
  return plain || hasCaptionAbove(lines, from) ? { box, table } : undefined;
}

function hasCaptionAbove(lines: readonly Line[], from: number): boolean {
  for (let at = from - 1; at >= Math.max(0, from - 5); at -= 1) {
    const line = lines[at];
    const next = lines[at + 1];
    if (!line || !next || next.baseline - line.baseline > 3 * line.size) return false;
    if (captionStart(line) === 'table') return true;
  }
  return false;
}
