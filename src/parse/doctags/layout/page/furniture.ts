import type { Segment } from './segment.ts';
import { CAPTION } from '../table/table-region.ts';
import { isDigit } from '../text/script.ts';
import type { Box } from '../../../document.ts';
import { unionBox, widthOf } from './box.ts';
import type { Glyph, PageContent, Rule } from './page-content.ts';
import { quantile } from '../statistics.ts';

/** The parts of a page, from its edges, in which running heads and feet are. */
const HEAD_ZONE = 0.14;
const FOOT_ZONE = 0.86;
const SAME_PLACE = 3;
/** Wider text is no cell of a table, in ems. */
const CELL_EMS = 18;

interface Candidate {
  readonly segment: Segment;
  readonly key: string;
  readonly text: string;
  readonly head: boolean;
  readonly on: PageSegments;
}

interface PageSegments {
  readonly page: number;
  readonly width: number;
  readonly height: number;
  readonly segments: readonly Segment[];
  readonly rules: readonly Rule[];
}

/** Running heads, feet, page numbers and line numbers: segments that repeat from page to page. */
export function findFurniture(
  pages: readonly PageSegments[],
  bodySize: number,
): Map<Segment, 'page_header' | 'page_footer'> {
  const furniture = new Map<Segment, 'page_header' | 'page_footer'>();
  const counted = numberedLines(pages);
  const candidates = pages.flatMap((page) => edgeSegments(page)).filter(({ segment }) => !counted.has(segment));
  // A tagged file marks what is only decoration of the page.
  const repeated = new Set(candidates.filter(({ segment }) => segment.glyphs.every((glyph) => glyph.artifact)));
  markRepeated(candidates, pages.length, repeated);
  markStrays(candidates, repeated);
  markPageNumbers(candidates, repeated);
  markImprint(candidates, pages[0], bodySize, repeated);
  for (const page of pages.slice(1)) markSmallHead(candidates, page, bodySize, repeated);
  for (const page of pages) keepOutermost(candidates, page, repeated);
  keepTitles(candidates, pages.length, bodySize, repeated);
  keepNamesake(candidates, bodySize, repeated);
  for (const candidate of candidates) {
    const isSmall = candidate.segment.size <= LARGE * bodySize;
    if (repeated.has(candidate) || (isSmall && standsApart(candidate) && sharesLine(candidate, repeated)))
      furniture.set(candidate.segment, candidate.head ? 'page_header' : 'page_footer');
  }
  for (const segment of counted) furniture.set(segment, 'page_footer');
  return furniture;
}

function edgeSegments(page: PageSegments): Candidate[] {
  const result: Candidate[] = [];
  // On paper much larger than the text the heads are far from the edge, but still first and last.
  const heights = [...new Set(page.segments.map((segment) => Math.round(segment.baseline)))].sort((a, b) => a - b);
  const upper = Math.min(heights[1] ?? 0, 0.3 * page.height);
  const lower = Math.max(heights.at(-2) ?? Infinity, 0.7 * page.height);
  for (const segment of page.segments) {
    if (page.page > 1 && isInTable(segment, page)) continue;
    const head = segment.bottom < page.height * HEAD_ZONE || segment.baseline <= upper + 1;
    if (!head && segment.top < page.height * FOOT_ZONE && segment.baseline < lower - 1) continue;
    const { text } = segment;
    const key = text
      .toLowerCase()
      .replace(/\p{N}+/gu, '#')
      .replace(/[^\p{L}#]+/gu, '');
    result.push({ segment, key, text, head, on: page });
  }
  return result;
}

/** In the head of a table, which is repeated on every page. */
function isInTable(segment: Segment, page: PageSegments): boolean {
  return isInGrid(segment, page) || isRuledHead(segment, page);
}

/** In a row of cells with another row towards the middle. Frames have two rules; bars in a foot are short. */
function isInGrid({ top, bottom, left, right }: Segment, { height, rules }: PageSegments): boolean {
  const middle = (top + bottom) / 2;
  const next = middle + (middle < height / 2 ? 1.6 : -1.6) * (bottom - top);
  const beside = rules.filter(({ direction }) => direction === 'vertical').map(({ box }) => box);
  const xsAt = (y: number): Set<number> =>
    new Set(beside.filter((box) => box.top < y && box.bottom > y).map((box) => Math.round(box.left / 4)));
  const both = [...xsAt(middle).intersection(xsAt(next))];
  return both.length >= 3 && Math.min(...both) * 4 < left + 4 && Math.max(...both) * 4 > right - 4;
}

/** Among other cells between two rules of one width, with a row of cells below them. */
function isRuledHead(segment: Segment, { rules, segments }: PageSegments): boolean {
  const { baseline, size, left, right } = segment;
  const over = rules
    .filter(({ direction, box }) => direction === 'horizontal' && box.left < left + 4 && box.right > right - 4)
    .map(({ box }) => box);
  const below = over.filter((box) => box.top > baseline).toSorted((a, b) => a.top - b.top)[0];
  if (!below || below.top - baseline > 4 * size) return false;
  const above = over.filter(
    (box) =>
      box.top < baseline &&
      baseline - box.top < 5 * size &&
      isNear(box.left, below.left) &&
      isNear(box.right, below.right),
  );
  const cells = segments.filter(
    (other) =>
      other.baseline > below.top &&
      other.baseline - below.top < 2.5 * other.size &&
      other.left > below.left - 4 &&
      other.right < below.right + 4,
  );
  // A tinted bar with one text in it is the publisher's.
  const isAlone = !segments.some(
    (other) =>
      other !== segment && isInRow(other, segment) && other.left > below.left - 4 && other.right < below.right + 4,
  );
  return (
    above.length > 0 &&
    !isAlone &&
    cells.length >= 2 &&
    cells.every((cell) => widthOf(cell) < CELL_EMS * cell.size && !CAPTION.test(cell.text))
  );
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) < 4;
}

function pagesOf(candidates: readonly Candidate[]): number {
  return new Set(candidates.map(({ on }) => on)).size;
}

function markRepeated(candidates: readonly Candidate[], pageCount: number, repeated: Set<Candidate>): void {
  const needed = pageCount <= 3 ? 2 : 3;
  for (const group of Map.groupBy(candidates, ({ head, key }) => `${head} ${key}`).values())
    for (const candidate of group) {
      const { key, text, segment } = candidate;
      const alike = group.filter((other) => isInRow(other.segment, segment));
      const count = pagesOf(alike);
      // Lone numbers are handled as page numbers; the same one on several pages is a sign of the publisher.
      const isSign = pagesOf(alike.filter((other) => other.text === text)) >= 3;
      if (key === '' || (/^#*$/.test(key) && !isSign) || CAPTION.test(text)) continue;
      // Twice may be chance: two columns that end with a link, say.
      if (count < 3 && endsText(candidate)) continue;
      if (count >= needed || (count >= 2 && pageCount <= 6 && key.length > 12)) repeated.add(candidate);
    }
}

/** What repeats on most pages may be elsewhere on one of them, mostly the first. */
function markStrays(candidates: readonly Candidate[], repeated: Set<Candidate>): void {
  const known = Map.groupBy(repeated, ({ head, key }) => `${head} ${key}`);
  for (const candidate of candidates) {
    const { key, head } = candidate;
    const isOften = pagesOf(known.get(`${head} ${key}`) ?? []) >= 3 && key.replaceAll('#', '').length >= 8;
    if (isOften && !endsText(candidate)) repeated.add(candidate);
  }
}

/** Numbers at one height that grow by one from page to page. */
function markPageNumbers(candidates: readonly Candidate[], repeated: Set<Candidate>): void {
  const numbers = candidates.flatMap((candidate) => {
    const value = pageNumber(candidate.text);
    return value === undefined ? [] : [{ candidate, offset: value - candidate.on.page }];
  });
  for (const { candidate, offset } of numbers) {
    const { segment, on } = candidate;
    const alike = numbers.filter(
      (other) =>
        other.offset === offset && Math.abs(other.candidate.segment.baseline - segment.baseline) <= 2 * SAME_PLACE,
    );
    if (pagesOf(alike.map((other) => other.candidate)) >= 2 && !labelsEntry(segment, on.segments))
      repeated.add(candidate);
  }
}

/** Only running heads are outside of running heads: a repeated table head has its caption above it. */
function keepOutermost(candidates: readonly Candidate[], page: PageSegments, repeated: Set<Candidate>): void {
  const own = candidates.filter((candidate) => candidate.on === page && repeated.has(candidate));
  const marked = new Set(own.map(({ segment }) => segment));
  for (const head of [true, false]) {
    const outward = (a: Segment, b: Segment): number => (head ? a.baseline - b.baseline : b.baseline - a.baseline);
    const first = page.segments
      .filter((segment) => !marked.has(segment) && !own.some((each) => isInRow(each.segment, segment)))
      .toSorted(outward)[0];
    if (!first) continue;
    for (const candidate of own)
      if (candidate.head === head && outward(candidate.segment, first) > 2 && !isFootOfFirst(candidate, repeated))
        repeated.delete(candidate);
  }
}

/** On a first page a licence may be below the foot of all the other pages. */
function isFootOfFirst({ key, head, on }: Candidate, repeated: ReadonlySet<Candidate>): boolean {
  if (on.page !== 1 || head || key.length < 8) return false;
  return pagesOf([...repeated].filter((other) => !other.head && other.key === key && other.on !== on)) >= 3;
}

/** In short papers a running head may occur once: small type, first on a page, away from the text below. */
function markSmallHead(
  candidates: readonly Candidate[],
  page: PageSegments,
  bodySize: number,
  repeated: Set<Candidate>,
): void {
  const top = Math.min(...page.segments.map((segment) => segment.baseline));
  const row = candidates.filter(({ on, head, segment }) => on === page && head && segment.baseline - top < SAME_PLACE);
  const next = Math.min(...page.segments.filter((each) => each.baseline - top > SAME_PLACE).map((each) => each.top));
  const apart = row.every(({ segment }) => next - segment.bottom > 1.5 * segment.size);
  const small = row.every(({ segment, text }) => segment.size < 0.88 * bodySize && !CAPTION.test(text));
  if (row.length <= 3 && apart && small && top < 0.09 * page.height)
    for (const candidate of row) repeated.add(candidate);
}

function isInRow(a: Segment, b: Segment): boolean {
  return Math.abs(a.baseline - b.baseline) <= SAME_PLACE;
}

const IMPRINT =
  /\bdoi\b|10\.\d{4,9}\/|https?:|www\.|\bissn\b|\barxiv\b|\bvol(?:ume|\.)?\s*\d|\bpp?\.\s*\d|\bjournal\b|\bproceedings\b|\btransactions\b|\bletters\b|©|\(?(?:19|20)\d\d\)?/iu;

/** Marks the imprint above the title of the first page: small type, apart from the rest. */
function markImprint(
  candidates: readonly Candidate[],
  first: PageSegments | undefined,
  bodySize: number,
  repeated: Set<Candidate>,
): void {
  if (!first) return;
  const small = candidates.filter(({ on, head, segment }) => on === first && head && segment.size < 0.92 * bodySize);
  for (const candidate of small) {
    const { segment, text } = candidate;
    if (!IMPRINT.test(text)) continue;
    const above = first.segments.filter((other) => other.baseline < segment.baseline - 2);
    const isTop = above.every((other) => small.some((each) => each.segment === other));
    const below = first.segments.filter((other) => other.baseline > segment.baseline + 2);
    // The title is larger and comes next, or after other lines of the imprint.
    const next = below.filter((other) => !small.some((each) => each.segment === other));
    const gap = Math.min(...next.map((other) => other.top)) - segment.bottom;
    const large = next.toSorted((a, b) => a.baseline - b.baseline)[0];
    if (isTop && gap > 0.5 * segment.size && large && large.size > 1.3 * segment.size) repeated.add(candidate);
  }
}

/** Is set like the next line towards the middle of the page, at the distance of running text. */
function endsText({ segment, head, on }: Candidate): boolean {
  return on.segments.some((other) => {
    const distance = head ? other.baseline - segment.baseline : segment.baseline - other.baseline;
    return (
      distance > 2 &&
      distance < 1.4 * segment.size &&
      other.font === segment.font &&
      Math.abs(other.left - segment.left) < 3 &&
      Math.abs(other.size - segment.size) < 0.1
    );
  });
}

/** No other line follows at the distance of running text. */
function standsApart({ segment, head, on }: Candidate): boolean {
  return !on.segments.some((other) => {
    const distance = head ? other.baseline - segment.baseline : segment.baseline - other.baseline;
    return distance > 2 && distance < 1.5 * Math.max(segment.size, other.size);
  });
}

/** A head that changes (the section's name) still is on the line of the heads that repeat. */
function sharesLine({ head, segment, on }: Candidate, repeated: ReadonlySet<Candidate>): boolean {
  const beside = [...repeated].filter(
    (other) => other.head === head && Math.abs(other.segment.baseline - segment.baseline) <= 1.5,
  );
  return beside.some((other) => other.on === on) && pagesOf(beside) >= 2;
}

const PAGE_NUMBER =
  /^[^\p{L}\p{N}]{0,3}(?:page\s*|p\.\s*|s\.\s*|[a-z]?\d{4,8}[-\u2010-\u2013\u2212])?(\d{1,4}|[ivxl]{1,7})(?:\s*(?:of|\/|von|de)\s*\d{1,4})?[^\p{L}\p{N}]{0,3}$/iu;

/** The page number in a line: "12", "xiv", "Page 3 of 9", "045009-3" after an article's number. */
function pageNumber(text: string): number | undefined {
  const digits = PAGE_NUMBER.exec(text)?.[1];
  if (digits === undefined) return undefined;
  return /^\d/.test(digits) ? Number(digits) : romanValue(digits.toLowerCase());
}

/** The number of an entry of a list is right before its text, and lines below continue at the text's edge. */
function labelsEntry(number: Segment, segments: readonly Segment[]): boolean {
  const text = segments.find(
    (other) =>
      other.left > number.right &&
      other.left - number.right < 3 * number.size &&
      Math.abs(other.baseline - number.baseline) < 0.3 * number.size &&
      Math.abs(other.size - number.size) < 0.1 * number.size,
  );
  return (
    text !== undefined &&
    segments.some(
      (other) =>
        Math.abs(other.left - text.left) < 0.5 * number.size &&
        other.baseline - text.baseline > 2 &&
        other.baseline - text.baseline < 1.6 * number.size,
    )
  );
}

function romanValue(text: string): number {
  const values: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50 };
  let sum = 0;
  for (let index = 0; index < text.length; index += 1) {
    const value = values[text[index] ?? ''] ?? 0;
    sum += value < (values[text[index + 1] ?? ''] ?? 0) ? -value : value;
  }
  return sum;
}

/** Running heads are set no larger than this share of the text; what is larger is a title. */
const LARGE = 1.15;
/** A title has more letters. */
const SHORT_KEY = 16;

/** Slide titles are large. Of one continued on several slides ("Results II"), only the first is a heading. */
function keepTitles(
  candidates: readonly Candidate[],
  pageCount: number,
  bodySize: number,
  repeated: Set<Candidate>,
): void {
  const large = candidates.filter(({ head, segment, key }) => head && segment.size > LARGE * bodySize && key !== '');
  const titles = Map.groupBy(large, ({ text }) => titleKey(text));
  for (const group of titles.values()) {
    // On every other page: the name of the journal.
    if (pagesOf(group) < 2 || pagesOf(group) > 0.4 * pageCount) continue;
    for (const candidate of group) {
      const before = group.some(
        ({ on, segment }) => on.page === candidate.on.page - 1 && isInRow(segment, candidate.segment),
      );
      if (before) repeated.add(candidate);
      else repeated.delete(candidate);
    }
  }
}

/** The title that later pages repeat above their text is itself no running head: there it is larger. */
function keepNamesake(candidates: readonly Candidate[], bodySize: number, repeated: Set<Candidate>): void {
  for (const group of Map.groupBy(
    candidates.filter(({ head, key }) => head && key.length > SHORT_KEY),
    ({ key }) => key,
  ).values()) {
    const [first, ...others] = group.toSorted((a, b) => a.on.page - b.on.page);
    const usual = quantile(
      others.map(({ segment }) => segment.size),
      0.5,
    );
    if (!first || usual === undefined || first.segment.size <= LARGE * usual) continue;
    // A journal's name may be large as well, but then the title is below it; right below in its font are lines of one title.
    const isOther = (segment: Segment): boolean =>
      segment !== first.segment &&
      segment.size > LARGE * bodySize &&
      segment.glyphs.length > SHORT_KEY &&
      !goesOn(first.segment, segment);
    if (!first.on.segments.some(isOther)) repeated.delete(first);
  }
}

/** The next line in the same font, no larger. */
function goesOn(line: Segment, next: Segment): boolean {
  const step = next.baseline - line.baseline;
  return next.font === line.font && next.size <= line.size && step > 0 && step < 1.5 * line.size;
}

/** A title without what counts its parts: "Results II", "Results (2/3)", "Results (cont.)". */
function titleKey(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s\(?(?:[ivx]{1,5}|\d{1,2}(?:\s?\/\s?[\dn]{1,2})?|cont(?:inued|\.|['’]d)?)\)?$/u, '')
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/**
 * The numbers of lines on all pages: where most have them, those beside a title or on a page with few lines are in the
 * same place.
 */
function numberedLines(pages: readonly PageSegments[]): Set<Segment> {
  const byPage = pages.map((page) => lineNumbers(page));
  const counted = new Set(byPage.flat());
  if (byPage.filter((numbers) => numbers.length > 0).length < Math.max(2, 0.5 * pages.length)) return counted;
  const edges = new Set([...counted].map((segment) => Math.round(segment.right)));
  const sizes = new Set([...counted].map((segment) => Math.round(segment.size)));
  for (const segment of pages.flatMap((page) => page.segments))
    if (
      edges.has(Math.round(segment.right)) &&
      sizes.has(Math.round(segment.size)) &&
      segment.glyphs.length <= 4 &&
      segment.glyphs.every((glyph) => isDigit(glyph.text))
    )
      counted.add(segment);
  return counted;
}

/** Manuscripts number their lines in the margin: a column of integers that grow steadily, outside of the text. */
function lineNumbers(page: PageSegments): Segment[] {
  const numbers = page.segments
    .filter((segment) => segment.glyphs.length <= 4)
    .map((segment) => ({ segment, text: segment.glyphs.map((glyph) => glyph.text).join('') }))
    .filter(({ text }) => /^\d{1,4}$/u.test(text))
    .map(({ segment, text }) => ({ segment, value: Number(text) }))
    .sort((a, b) => a.segment.baseline - b.segment.baseline);
  const result: Segment[] = [];
  for (const column of numberColumns(numbers.map(({ segment }) => segment))) {
    const own: typeof numbers = [];
    for (const number of numbers) {
      const last = own.at(-1);
      if (column.has(number.segment) && (!last || (number.value > last.value && number.value <= last.value + 20)))
        own.push(number);
    }
    // Where a line is not numbered, or its number could not be read, the count continues.
    const steps = own.slice(1).map(({ value }, index) => value - (own[index]?.value ?? 0));
    const step = [1, 2, 5, 10].find((each) => steps.filter((value) => value === each).length >= 0.75 * steps.length);
    if (own.length < 5 || step === undefined) continue;
    if (!isEvenlySet(own.map(({ segment }) => segment.baseline)) || countsEntries(own, page)) continue;
    const left = Math.min(...own.map(({ segment }) => segment.left));
    const right = Math.max(...own.map(({ segment }) => segment.right));
    const text = page.segments.filter((segment) => segment.glyphs.length > 4);
    const beside = text.filter((segment) => segment.right > left && segment.left < right).length;
    if (beside <= 0.02 * text.length) result.push(...own.map(({ segment }) => segment));
  }
  return result;
}

/** Beside the numbers are clearly more lines than they count: these are the labels of a list. */
function countsEntries(own: readonly { segment: Segment; value: number }[], page: PageSegments): boolean {
  const [first] = own;
  const last = own.at(-1);
  if (!first || !last) return false;
  const right = Math.max(...own.map(({ segment }) => segment.right));
  const lines = page.segments.filter(
    ({ glyphs, left, baseline }) =>
      glyphs.length > 4 &&
      left > right - 1 &&
      left < right + 60 &&
      baseline > first.segment.baseline - 1 &&
      baseline < last.segment.baseline - 1,
  );
  return new Set(lines.map(({ baseline }) => Math.round(baseline / 3))).size > 1.6 * (last.value - first.value);
}

/** Lines are evenly set; the entries of a list have one line or several. */
function isEvenlySet(baselines: readonly number[]): boolean {
  const gaps = baselines.slice(1).map((y, index) => y - (baselines[index] ?? 0));
  const usual = quantile(gaps, 0.5) ?? 0;
  return gaps.filter((gap) => Math.abs(gap - usual) < 0.12 * usual).length >= 0.65 * gaps.length;
}

/** Numbers whose left or right ends are below each other. */
function numberColumns(numbers: readonly Segment[]): Set<Segment>[] {
  const byEdge = (edge: 'left' | 'right'): Set<Segment>[] => {
    const groups: { at: number; own: Set<Segment> }[] = [];
    for (const number of numbers) {
      const group = groups.find(({ at }) => Math.abs(at - number[edge]) < 2);
      if (group) group.own.add(number);
      else groups.push({ at: number[edge], own: new Set([number]) });
    }
    return groups.map(({ own }) => own);
  };
  return [...byEdge('right'), ...byEdge('left')];
}

/** A line that is not set upright: a stamp along the edge, the name of an axis, a table on its side, a watermark. */
export interface TurnedLine {
  readonly text: string;
  readonly box: Box;
  readonly size: number;
  /** In the margin of the page, as the stamp of a preprint server. */
  readonly isStamp: boolean;
}

export function turnedLines(page: PageContent): TurnedLine[] {
  const margin = 0.1 * page.width;
  const glyphs = page.glyphs.filter((glyph) => glyph.turn !== 0 && glyph.text !== '');
  if (glyphs.length === 0) return [];
  const lines = Map.groupBy(
    glyphs,
    ({ turn, x, baseline }) => `${turn} ${Math.round((turn === 2 ? baseline : x) / 3)}`,
  );
  return [...lines.values()]
    .map((line): TurnedLine => {
      const [first] = line as [Glyph];
      const isSideways = first.turn === 1 || first.turn === 3;
      return {
        text: isSideways ? sidewaysText(line) : line.map(({ text, spaced }) => (spaced ? ` ${text}` : text)).join(''),
        box: unionBox(line),
        size: first.size,
        isStamp:
          isSideways &&
          line.every(({ right, left, form }) => form < 0 && (right < margin || left > page.width - margin)),
      };
    })
    .filter(({ text }) => text.trim() !== '')
    .toSorted((a, b) => a.box.top - b.box.top || a.box.left - b.box.left);
}

function sidewaysText(line: readonly Glyph[]): string {
  const upwards = line[0]?.turn === 3;
  const sorted = line.toSorted((a, b) => (upwards ? b.bottom - a.bottom : a.top - b.top));
  let text = '';
  let previous: Glyph | undefined;
  for (const glyph of sorted) {
    const gap = previous ? (upwards ? previous.top - glyph.bottom : glyph.top - previous.bottom) : 0;
    if (gap > 0.15 * glyph.size) text += ' ';
    text += glyph.text;
    previous = glyph;
  }
  return text;
}
