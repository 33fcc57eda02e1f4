import type { Font, Glyph } from '../page/page-content.ts';
import { symbolAt } from './symbol-encoding.ts';

/** Where the ink of a glyph lies around the pen's place on the baseline, in ems, y upwards. */
export interface Ink {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

/** How a symbol font is used: what each of its characters is followed by. */
interface Use {
  readonly characters: Map<string, { count: number; beforeUnit: number }>;
  glyphs: number;
  runs: number;
}

/** A font for reading shows more than this many different characters in a paper. */
const MOST_SYMBOLS = 24;
/** Symbols are alone or in twos; words are longer. */
const LONGEST_RUN = 2.5;
const DESCENT = -0.12;
const X_HEIGHT = 0.56;

const BELOW_THE_LINE = new Set('gjpqyQ,;_$|()[]{}/\\');
const UNIT_START = /^[glLmMsAVWFJNCK]/;

/**
 * Files lie about symbol fonts: the code of µ is said to be "m", that of a dash "e". A shape cannot lie that way: no m
 * reaches below the line, no e is a flat bar. The text of each character of such a font, where its shape says something
 * else than the file.
 */
export function misnamedCharacters(
  shapes: ReadonlyMap<Font, ReadonlyMap<string, Ink>>,
  pages: readonly { readonly glyphs: readonly Glyph[] }[],
): Map<Font, ReadonlyMap<string, string>> {
  const suspects = new Map<Font, Use>();
  for (const [font, inks] of shapes)
    if (inks.size <= MOST_SYMBOLS && [...inks].some(([text, ink]) => contradicts(text, ink)))
      suspects.set(font, { characters: new Map(), glyphs: 0, runs: 0 });
  const misnamed = new Map<Font, ReadonlyMap<string, string>>();
  if (suspects.size === 0) return misnamed;
  for (const page of pages) countUses(page.glyphs, suspects);
  for (const [font, use] of suspects) {
    const inks = shapes.get(font);
    if (!inks || use.glyphs > LONGEST_RUN * use.runs) continue;
    const texts = new Map<string, string>();
    for (const [text, ink] of inks) {
      const meant = meaningOf(text, ink, use);
      if (meant !== undefined && meant !== text) texts.set(text, meant);
    }
    if (texts.size > 0) misnamed.set(font, texts);
  }
  return misnamed;
}

function countUses(glyphs: readonly Glyph[], suspects: ReadonlyMap<Font, Use>): void {
  let before: Font | undefined;
  glyphs.forEach((glyph, index) => {
    const use = suspects.get(glyph.font);
    if (use) {
      const next = glyphs[index + 1];
      const known = use.characters.get(glyph.text) ?? { count: 0, beforeUnit: 0 };
      use.characters.set(glyph.text, known);
      known.count += 1;
      if (next && next.font !== glyph.font && isTouching(glyph, next) && UNIT_START.test(next.text))
        known.beforeUnit += 1;
      use.glyphs += 1;
      if (before !== glyph.font) use.runs += 1;
    }
    before = glyph.font;
  });
}

function isTouching(a: Glyph, b: Glyph): boolean {
  return Math.abs(a.baseline - b.baseline) < 0.1 * a.size && Math.abs(b.left - a.right) < 0.12 * a.size;
}

/** Whether ink lies where the letter that the file names has none, or is missing where it must be. */
function contradicts(text: string, ink: Ink): boolean {
  if (!/^[A-Za-z0-9$\\]$/.test(text)) return false;
  if (isBar(ink) || isDot(ink) || isWave(ink)) return true;
  if (!BELOW_THE_LINE.has(text) && !'fzJ'.includes(text) && ink.bottom < DESCENT) return true;
  return 'pqgy'.includes(text) && ink.bottom > -0.05;
}

function isBar(ink: Ink): boolean {
  return ink.top - ink.bottom < 0.1 && ink.right - ink.left > 0.3 && isMiddle(ink);
}

function isDot(ink: Ink): boolean {
  return ink.top - ink.bottom < 0.2 && ink.right - ink.left < 0.25 && isMiddle(ink);
}

/** A swung dash. */
function isWave(ink: Ink): boolean {
  return ink.top - ink.bottom >= 0.1 && ink.top - ink.bottom < 0.25 && ink.right - ink.left > 0.35 && isMiddle(ink);
}

function isMiddle(ink: Ink): boolean {
  const middle = (ink.top + ink.bottom) / 2;
  return middle > 0.14 && middle < 0.45;
}

function meaningOf(text: string, ink: Ink, use: Use): string | undefined {
  if (!/^[A-Za-z0-9$\\]$/.test(text)) return undefined;
  if (isBar(ink)) return '–';
  if (isDot(ink)) return '·';
  if (isWave(ink)) return '~';
  const { count = 0, beforeUnit = 0 } = use.characters.get(text) ?? {};
  const isMuShaped = ink.bottom < DESCENT && ink.top < X_HEIGHT && ink.right - ink.left < 0.68;
  if (isMuShaped && (text === 'm' || beforeUnit > 0.5 * count)) return 'μ';
  // Other Greek letters sit where Symbol has them, if the shape agrees.
  const greek = /^[A-Za-z]$/.test(text) ? symbolAt('symbol', text.charCodeAt(0)) : undefined;
  return greek !== undefined && hasShapeOf(greek, ink) ? greek : undefined;
}

const GREEK_BELOW = new Set('βγζημξρςφϕχψ');
const GREEK_TALL = new Set('βδζθϑλξφϕψ');

/** Whether a small Greek letter's ink would lie there; capitals look like others too often to be told. */
function hasShapeOf(greek: string, ink: Ink): boolean {
  if (!/^[α-ω]$/u.test(greek)) return false;
  return GREEK_BELOW.has(greek) === ink.bottom < DESCENT && GREEK_TALL.has(greek) === ink.top > X_HEIGHT;
}
