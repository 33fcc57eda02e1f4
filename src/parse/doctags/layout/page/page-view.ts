import { shareInside, heightOf, overlapX, widthOf } from './box.ts';
import type { Box } from '../../../document.ts';
import { segmentLabel } from '../role/caption.ts';
import type { PageContent, Rule, Glyph } from './page-content.ts';
import { OCR_FONT } from './page-content.ts';
import type { Segment } from './segment.ts';
import { sameRow } from './segment.ts';
import { mirrorBox, mirrored, readsRightToLeft, isWide, withBoxes } from '../text/script.ts';
import { countBy, mostFrequent } from '../statistics.ts';

/** How far a rule that repeats may move from page to page, in points. */
const SAME_PLACE = 2.5;
/** The share of the text's width and height from which a rule can frame a page. */
const WIDE = 0.6;
/** The share of pages on which a rule of the page is: left and right pages may differ, and the first. */
const REPEATS = 0.35;
/** More long rules than the furniture of a page has. */
const MANY = 200;

interface RuledPage {
  readonly content: PageContent;
  readonly text: readonly Segment[];
  readonly furniture: ReadonlyMap<Segment, unknown>;
}

/** Rules that belong to the page and not to what is printed on it: under running heads, above feet, round the page. */
export function findPageRules(pages: readonly RuledPage[]): Set<Rule> {
  const found = new Set<Rule>();
  const long = pages.map((page) => longRules(page));
  const places = countBy(
    long.flatMap((rules) => [...new Set(rules.map((rule) => placeOf(rule)))]),
    (place) => place,
  );
  long.forEach((rules, index) => {
    const page = pages[index];
    if (!page) return;
    for (const rule of rules) {
      // Tables at the head of their pages have rules there too, but not on so many pages.
      const alike = placesNear(rule).reduce((sum, place) => sum + (places.get(place) ?? 0), 0);
      const repeats = alike >= 2 && alike >= REPEATS * pages.length;
      if (repeats && isOutside(rule, page)) found.add(rule);
    }
  });
  return found;
}

/** Where a rule begins and ends, in steps of how far it may move. */
function placeOf({ direction, box }: Rule, dx = 0, dy = 0): string {
  const step = (value: number): number => Math.round(value / SAME_PLACE);
  const [from, to] = direction === 'horizontal' ? [box.left, box.right] : [box.top, box.bottom];
  const at = direction === 'horizontal' ? box.top : box.left;
  return `${direction} ${step(at) + dy} ${step(from) + dx} ${Math.round((to - from) / (2 * SAME_PLACE))}`;
}

function placesNear(rule: Rule): string[] {
  const places: string[] = [];
  for (let dx = -1; dx <= 1; dx += 1) for (let dy = -1; dy <= 1; dy += 1) places.push(placeOf(rule, dx, dy));
  return places;
}

function longRules({ content, text }: RuledPage): Rule[] {
  const left = Math.min(content.width, ...text.map((segment) => segment.left));
  const right = Math.max(0, ...text.map((segment) => segment.right));
  const all = content.rules.filter(({ direction, box }) =>
    direction === 'horizontal' ? widthOf(box) > WIDE * (right - left) : heightOf(box) > 0.25 * content.height,
  );
  // A page with more of them is a form or one large table.
  return all.length > MANY ? [] : all;
}

/** No text but a page's furniture is on one side of it, or the text keeps away from it as from an edge. */
function isOutside({ direction, box }: Rule, { text, furniture }: RuledPage): boolean {
  const body = text.filter((segment) => !furniture.has(segment));
  if (direction === 'horizontal') {
    const heading = body.filter((segment) => segment.baseline < box.top + 1);
    // Below the caption of a table is the first of its rules.
    if (heading.some((segment) => segmentLabel(segment) === 'table')) return false;
    const above = heading.length;
    return Math.min(above, body.length - above) <= 0.03 * body.length + 1;
  }
  const before = body.filter((segment) => segment.right < box.left + 2).length;
  const after = body.filter((segment) => segment.left > box.right - 2).length;
  return Math.min(before, after) === 0;
}

/** A page turned and mirrored so that its text runs from left to right, and the way back to the page as it is. */
export interface PageView {
  readonly page: PageContent;
  readonly mirrored: boolean;
  readonly back: (box: Box) => Box;
}

export function viewPage(page: PageContent): PageView {
  // Vertical writing runs as text does that is turned by a quarter: downwards, and line by line to the left.
  const isVertical = runsDown(page.glyphs);
  const turn = isVertical ? 1 : mainTurn(page);
  const upright = turn === 0 ? page : turned(page, turn, isVertical);
  if (!readsRightToLeft(upright)) return { page: upright, mirrored: false, back: (box) => turnBack(box, page, turn) };
  return {
    page: mirrored(upright),
    mirrored: true,
    back: (box) => turnBack(mirrorBox(box, upright.width), page, turn),
  };
}

/** The share of a page, from each edge, in which running heads and stamps are. */
const MARGIN = 0.09;
/** Sideways letters on a page with fewer are the labels of a figure. */
const FEWEST_TURNED = 200;

/** The quarter turns of most glyphs: wide tables are often printed sideways, under an upright running head. */
function mainTurn(page: PageContent): number {
  if (page.glyphs.every((glyph) => glyph.turn === 0)) return 0;
  const counts = [0, 0, 0, 0];
  for (const { turn, x, baseline } of page.glyphs) {
    const edge = Math.min(x / page.width, 1 - x / page.width, baseline / page.height, 1 - baseline / page.height);
    if (turn >= 0 && edge > MARGIN) counts[turn] = (counts[turn] ?? 0) + 1;
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  const turn = counts.findIndex((count) => count > 0.6 * total);
  const isEnough = (counts[turn] ?? 0) > FEWEST_TURNED || page.glyphs.every(({ font }) => font === OCR_FONT);
  return turn > 0 && isEnough && (counts[0] ?? 0) < 0.1 * total ? turn : 0;
}

/** Ideographs from which on the direction of writing is looked at. */
const FEWEST_IDEOGRAPHS = 20;

function runsDown(glyphs: readonly Glyph[]): boolean {
  let [down, across] = [0, 0];
  glyphs.forEach((glyph, index) => {
    const before = glyphs[index - 1];
    if (!before || !isWide(glyph.text) || !isWide(before.text)) return;
    const [x, y] = [Math.abs(glyph.x - before.x) / glyph.size, Math.abs(glyph.baseline - before.baseline) / glyph.size];
    if (x < 0.3 && y > 0.6 && y < 2) down += 1;
    else if (y < 0.3 && x > 0.6 && x < 2) across += 1;
  });
  return down >= FEWEST_IDEOGRAPHS && down > 2 * across;
}

function turned(page: PageContent, turn: number, isVertical: boolean): PageContent {
  const sideways = turn % 2 === 1;
  const box = (each: Box): Box => turnBox(each, page, turn);
  const direction = (each: 'horizontal' | 'vertical'): 'horizontal' | 'vertical' =>
    sideways ? (each === 'horizontal' ? 'vertical' : 'horizontal') : each;
  return {
    ...withBoxes(page, box),
    width: sideways ? page.height : page.width,
    height: sideways ? page.width : page.height,
    glyphs: page.glyphs.map((glyph): Glyph => {
      const place = box(glyph);
      const baseline = turn === 1 ? page.width - glyph.x : turn === 3 ? glyph.x : page.height - glyph.baseline;
      // The characters of vertical writing are upright; only Latin words among them lie on their side.
      if (isVertical) return { ...glyph, ...place, x: place.left, baseline: place.bottom - 0.12 * glyph.size, turn: 0 };
      return { ...glyph, ...place, x: place.left, baseline, turn: glyph.turn < 0 ? -1 : (glyph.turn - turn + 4) % 4 };
    }),
    rules: page.rules.map((rule) => ({ direction: direction(rule.direction), box: box(rule.box) })),
  };
}

function turnBox(box: Box, page: { width: number; height: number }, turn: number): Box {
  if (turn === 1)
    return { left: box.top, right: box.bottom, top: page.width - box.right, bottom: page.width - box.left };
  if (turn === 3)
    return { left: page.height - box.bottom, right: page.height - box.top, top: box.left, bottom: box.right };
  return {
    left: page.width - box.right,
    right: page.width - box.left,
    top: page.height - box.bottom,
    bottom: page.height - box.top,
  };
}

/** Where a box of the turned page is on the page as it was before. */
export function turnBack(box: Box, page: PageContent, turn: number): Box {
  const { width, height } = turn % 2 === 1 ? { width: page.height, height: page.width } : page;
  return turn === 0 ? box : turnBox(box, { width, height }, 4 - turn);
}

/** Ems from which a line may be one of running text. */
const WIDE_LINE = 15;
/** Lines in a row that make a paragraph and not a long cell. */
const RUN = 4;

/** Wide lines at the pitch of a paragraph whose ends agree; table cells are short, ragged or rows apart. */
export function proseSegments(segments: readonly Segment[]): Set<Segment> {
  const wide = segments
    .filter((segment) => widthOf(segment) > WIDE_LINE * segment.size)
    .sort((a, b) => a.baseline - b.baseline);
  const prose = new Set<Segment>();
  const seen = new Set<Segment>();
  for (const start of wide) {
    if (seen.has(start)) continue;
    const run = [start];
    for (const next of wide) {
      const last = run.at(-1);
      if (!last || next.baseline <= last.baseline) continue;
      if (next.baseline - last.baseline > 2.2 * last.size) break;
      if (follows(last, next)) run.push(next);
    }
    for (const each of run) seen.add(each);
    if (run.length >= RUN && isText(run)) for (const each of run) prose.add(each);
  }
  return prose;
}

/**
 * Lines of running text with the short ones that end its paragraphs: set in the same type, right below at the same
 * edge.
 */
export function withLastLines(prose: ReadonlySet<Segment>, segments: readonly Segment[]): Set<Segment> {
  const lines = new Set(prose);
  const short = segments.filter((segment) => !prose.has(segment)).sort((a, b) => a.baseline - b.baseline);
  const above = [...prose];
  for (const segment of short) {
    const em = segment.size;
    const isNext = (line: Segment): boolean =>
      segment.baseline > line.baseline &&
      segment.baseline - line.baseline < 1.6 * em &&
      Math.abs(segment.left - line.left) < 0.3 * em &&
      segment.right < line.right + em &&
      typeKey(segment) === typeKey(line);
    if (!above.some(isNext)) continue;
    lines.add(segment);
    above.push(segment);
  }
  return lines;
}

/** Lines of text with what heads them: alone in its row, right above at their edge, in other type. */
export function withHeads(lines: ReadonlySet<Segment>, segments: readonly Segment[]): Set<Segment> {
  const all = new Set(lines);
  const types = new Set([...lines].map(typeKey));
  const others = segments.filter((segment) => !lines.has(segment)).sort((a, b) => b.baseline - a.baseline);
  for (const segment of others) {
    const { size, left, right, baseline } = segment;
    if (types.has(typeKey(segment)) || !/\p{L}{4}/u.test(segment.text)) continue;
    const heads = (line: Segment): boolean =>
      line.baseline > baseline &&
      line.baseline - baseline < 3 * size &&
      size > 0.85 * line.size &&
      left > line.left - 2 * size &&
      left < line.left + 0.3 * size &&
      right < line.right + size;
    const below = all.values().find(heads);
    const isBeside = (other: Segment): boolean =>
      other !== segment && sameRow(other, segment) && overlapX(other, below ?? segment) > 0;
    if (below && !segments.some(isBeside)) all.add(segment);
  }
  return all;
}

function follows(above: Segment, below: Segment): boolean {
  const em = above.size;
  return (
    Math.abs(above.size - below.size) < 0.15 * em &&
    below.baseline - above.baseline < 1.8 * em &&
    Math.abs(above.left - below.left) < 2.5 * em &&
    Math.abs(above.right - below.right) < 6 * em
  );
}

/**
 * Most lines end at one edge; or they nearly fill the width and continue in the middle of a sentence, as cells do not.
 */
function isText(run: readonly Segment[]): boolean {
  const right = Math.max(...run.map((segment) => segment.right));
  const left = Math.min(...run.map((segment) => segment.left));
  const within = (share: number): number =>
    run.filter((segment) => segment.right > right - share * (right - left)).length / run.length;
  const small = run.filter((segment) => /^\p{Ll}/u.test(segment.glyphs[0]?.text ?? '')).length / run.length;
  return within(0.03) >= 0.7 || (within(0.08) >= 0.6 && small >= 0.4);
}

/** The share of the letters in a box that are running text; a long text beside short cells is a cell too. */
export function proseShare(box: Box, segments: readonly Segment[], prose: ReadonlySet<Segment>): number {
  let all = 0;
  let running = 0;
  const inside = segments.filter((segment) => shareInside(segment, box) >= 0.5);
  const short = inside.filter((segment) => !prose.has(segment));
  for (const segment of inside) {
    all += segment.glyphs.length;
    if (prose.has(segment) && !short.some((other) => sameRow(other, segment))) running += segment.glyphs.length;
  }
  return all === 0 ? 0 : running / all;
}

export function mainType(segments: Iterable<Segment>): string | undefined {
  return mostFrequent(countBy(segments, typeKey, ({ glyphs }) => glyphs.length));
}

export function typeKey({ font, size }: Segment): string {
  return `${font.name} ${Math.round(size * 2)}`;
}
