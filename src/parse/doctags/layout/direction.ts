import type { Box } from '../../document.ts';
import { hasLetter, hasLetterOrDigit } from './letter.ts';
import type { Glyph, PageContent } from './page-content.ts';

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;
const FIRST_RIGHT_TO_LEFT = 0x590;

/** True for a letter of a script that is written from right to left. */
export function isRightToLeft(text: string): boolean {
  // Of nearly all letters the code tells.
  if (text.length === 1 && text.charCodeAt(0) < FIRST_RIGHT_TO_LEFT) return false;
  return RIGHT_TO_LEFT.test(text);
}

/** True when most letters of a page are written from right to left. */
export function readsRightToLeft(page: PageContent): boolean {
  const right = page.glyphs.filter(({ text }) => isRightToLeft(text)).length;
  if (right === 0) return false;
  const left = page.glyphs.filter(({ text }) => !isRightToLeft(text) && hasLetter(text)).length;
  return right > left;
}

/** The page seen in a mirror: then lines begin on the left, and one set of rules serves both directions. */
export function mirrored(page: PageContent): PageContent {
  const box = (each: Box): Box => mirrorBox(each, page.width);
  return {
    ...page,
    glyphs: page.glyphs.map((glyph) => ({ ...glyph, left: page.width - glyph.right, right: page.width - glyph.left })),
    rules: page.rules.map((rule) => ({ ...rule, box: box(rule.box) })),
    drawings: page.drawings.map((drawing) => ({ ...drawing, box: box(drawing.box) })),
    links: page.links.map((link) => ({ ...link, box: box(link.box) })),
    jumps: page.jumps.map((jump) => ({ ...jump, box: box(jump.box) })),
  };
}

export function mirrorBox(box: Box, width: number): Box {
  return { ...box, left: width - box.right, right: width - box.left };
}

/** Written against the direction of the page. */
function isForeign(text: string, mirrorImage: boolean): boolean {
  return isRightToLeft(text) ? !mirrorImage : mirrorImage && hasLetterOrDigit(text);
}

/** Puts glyphs, given from left to right, into the order in which they are read. */
export function readingGlyphs(glyphs: readonly Glyph[], mirrorImage: boolean): readonly Glyph[] {
  if (!glyphs.some(({ text }) => isForeign(text, mirrorImage))) return glyphs;
  const result: Glyph[] = [];
  let index = 0;
  while (index < glyphs.length) {
    const glyph = glyphs[index];
    if (!glyph) break;
    if (!isForeign(glyph.text, mirrorImage)) {
      result.push(glyph);
      index += 1;
      continue;
    }
    // Marks between two words of the other direction run with them; at the end they belong to the line.
    let end = index + 1;
    for (let at = index + 1; at < glyphs.length; at += 1) {
      const next = glyphs[at];
      if (!next) break;
      if (isForeign(next.text, mirrorImage)) end = at + 1;
      else if (hasLetterOrDigit(next.text)) break;
    }
    result.push(...glyphs.slice(index, end).toReversed());
    index = end;
  }
  return result;
}
