import type { Box } from '../../../document.ts';
import { mirrorBox, mirrored, readsRightToLeft } from '../text/direction.ts';
import { isWide } from '../text/letter.ts';
import type { Glyph, PageContent } from './page-content.ts';
import { OCR_FONT } from './page-content.ts';

/** A page turned and mirrored so that its text runs from left to right, and the way back to the page as it is. */
export interface PageView {
  readonly page: PageContent;
  readonly mirrored: boolean;
  readonly back: (box: Box) => Box;
}

/** How the layout looks at a page. */
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

/** Whether most ideographs are below the one before them. */
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
    ...page,
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
    drawings: page.drawings.map((drawing) => ({ ...drawing, box: box(drawing.box) })),
    links: page.links.map((link) => ({ ...link, box: box(link.box) })),
    jumps: page.jumps.map((jump) => ({ ...jump, box: box(jump.box) })),
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

/** A box of the turned page on the page as it is. */
export function turnBack(box: Box, page: PageContent, turn: number): Box {
  if (turn === 0) return box;
  if (turn === 1)
    return { left: page.width - box.bottom, right: page.width - box.top, top: box.left, bottom: box.right };
  if (turn === 3)
    return { left: box.top, right: box.bottom, top: page.height - box.right, bottom: page.height - box.left };
  return turnBox(box, page, 2);
}
