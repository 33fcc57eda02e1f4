import type { Box } from '../../../document.ts';
import { hasLetter, hasLetterOrDigit } from './letter.ts';
import type { Glyph, PageContent } from '../page/page-content.ts';

/** Letters of Hebrew, Arabic and their relatives; their digits and the signs inside numbers run from left to right. */
const RIGHT_TO_LEFT = /[\u0590-\u065f\u066d-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;
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
    glyphs: withBrackets(page.glyphs).map((glyph) => ({
      ...glyph,
      left: page.width - glyph.right,
      right: page.width - glyph.left,
    })),
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

const MIRRORED: Readonly<Record<string, string>> = { '(': ')', ')': '(', '[': ']', ']': '[', '«': '»', '»': '«' };

/**
 * The engine mirrors brackets in right-to-left text, also where the file already names the right one: where more pairs
 * close before they open, all are turned around. Glyphs come in the order of reading.
 */
function withBrackets(glyphs: readonly Glyph[]): readonly Glyph[] {
  let pairs = 0;
  let open = '';
  for (const { text } of glyphs) {
    if (text !== '(' && text !== ')') continue;
    if (open !== '' && open !== text) pairs += open === '(' ? 1 : -1;
    open = open === '' ? text : '';
  }
  if (pairs >= 0) return glyphs;
  return glyphs.map((glyph) =>
    MIRRORED[glyph.text] === undefined ? glyph : { ...glyph, text: MIRRORED[glyph.text] ?? '' },
  );
}

/** Digits of one number are closer than this, in ems. */
const NUMBER_GAP = 0.15;

function isNumber(text: string): boolean {
  return /^\p{Nd}/u.test(text);
}

/** Whether the number at `last` is over before the one at `next`: a gap or, beside Arabic letters, a hyphen parts them. */
function endsNumber(glyphs: readonly Glyph[], last: number, next: number, isArabic: boolean): boolean {
  const [before, after] = [glyphs[last], glyphs[next]];
  if (!before || !after || !isNumber(before.text)) return false;
  if (next === last + 1) return after.left - before.right > NUMBER_GAP * after.size;
  const between = glyphs.slice(last + 1, next).map(({ text }) => text);
  return between.length > 1 || !(isArabic ? /^[.,:/\u066b\u066c]$/u : /^[.,:/+-]$/u).test(between[0] ?? '');
}

/** Puts glyphs, given from left to right, into the order in which they are read. */
export function readingGlyphs(glyphs: readonly Glyph[], mirrorImage: boolean): readonly Glyph[] {
  if (!glyphs.some(({ text }) => isForeign(text, mirrorImage))) return glyphs;
  const result: Glyph[] = [];
  const isArabic = glyphs.some(({ text }) => /[\u0620-\u065f\u0671-\u06ef]/u.test(text));
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
      if (isForeign(next.text, mirrorImage)) {
        if (isNumber(next.text) && endsNumber(glyphs, end - 1, at, isArabic)) break;
        end = at + 1;
      } else if (hasLetterOrDigit(next.text)) break;
    }
    result.push(...glyphs.slice(index, end).toReversed());
    index = end;
  }
  return result;
}
