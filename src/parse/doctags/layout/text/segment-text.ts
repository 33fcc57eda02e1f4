import { isRightToLeft } from './direction.ts';
import { hasLetter, isWide } from './letter.ts';
import type { Glyph } from '../page/page-content.ts';

/** Gap, in ems, from which two glyphs belong to two words: TeX shrinks spaces to about 0.2 em, kerns stay below 0.1. */
const WORD_GAP = 0.15;

/** Letters of a word that is not spaced out are closer than this, in ems. */
const LETTER_GAP = 0.07;

/** Where the file holds a space, a narrower gap will do: condensed type is set tighter. */
const SPACE = 0.07;

/** Ideographs are set loosely; they have no spaces between them, but wide gaps set words apart. */
const WIDE_GAP = 0.6;

/** Arabic letters that do not join leave gaps inside words: there the file's spaces count. */
const ARABIC_GAP = 0.4;
/** Gap, in ems, between such a letter and a number or a bracket. */
const TURN_GAP = 0.2;

/** The end of an italic letter leans over the space after it. */
const SPACE_AFTER_ITALIC = -0.06;

/** The text of glyphs standing in one line, with spaces rebuilt from gaps. */
export function glyphsText(glyphs: readonly Glyph[], lineSize: number, baseline: number): string {
  const gap = wordGap(glyphs);
  let text = '';
  let previous: Glyph | undefined;
  let before = false;
  // The last glyph that is no script, and the one before it.
  let [base, left]: (Glyph | undefined)[] = [];
  const apart = glyphs.some((glyph) => isRightToLeft(glyph.text)) ? distances(glyphs) : undefined;
  let index = -1;
  for (const glyph of glyphs) {
    index += 1;
    const script = isScript(glyph, lineSize, baseline);
    if (previous) {
      const em = Math.max(previous.size, glyph.size);
      const distance = apart ? (apart[index] ?? 0) : glyph.left - previous.right;
      const isGap = distance > gapBetween(previous, glyph, gap) * em;
      const isSpace = isGap || (glyph.spaced && distance > spaceAfter(previous) * em);
      if (isSpace && (isGap || apart || glyph.spaced === true || !isInsideWord(glyphs, index))) text += ' ';
      else if (script || before)
        text += scriptMark(previous, glyph, { script, before, lineSize, baseline, isVariable: isVariable(base, left) });
    }
    text += glyph.text;
    if (!script) [base, left] = [glyph, before || glyph.spaced ? undefined : base];
    previous = glyph;
    before = script;
  }
  return text;
}

/** Gap, in ems, from which a space is seen between two glyphs. */
function gapBetween(previous: Glyph, glyph: Glyph, usual: number): number {
  if (isWide(previous.text) && isWide(glyph.text)) return WIDE_GAP;
  const letters = Number(isRightToLeft(previous.text)) + Number(isRightToLeft(glyph.text));
  if (letters === 0) return usual;
  // No word has letters of both.
  if (letters === 1 && hasLetter(previous.text) && hasLetter(glyph.text)) return -Infinity;
  return Math.max(letters === 2 ? ARABIC_GAP : TURN_GAP, usual);
}

/** How far each glyph is from the one before it; a run that is read from its far end counts as a whole. */
function distances(glyphs: readonly Glyph[]): number[] {
  const extents: { left: number; right: number }[] = [];
  let run = { left: 0, right: 0 };
  glyphs.forEach((glyph, index) => {
    const before = glyphs[index - 1];
    if (before && glyph.left < before.left) {
      run.left = Math.min(run.left, glyph.left);
      run.right = Math.max(run.right, glyph.right);
    } else run = { left: glyph.left, right: glyph.right };
    extents.push(run);
  });
  return glyphs.map((glyph, index) => {
    const [before, own] = [extents[index - 1], extents[index]];
    const last = glyphs[index - 1];
    if (!before || !own || !last) return 0;
    const [a, b] = before === own ? [last, glyph] : [before, own];
    return Math.max(b.left - a.right, a.left - b.right);
  });
}

function spaceAfter(glyph: Glyph): number {
  return glyph.font.italic && !glyph.font.math ? SPACE_AFTER_ITALIC : SPACE;
}

/** Letter-spaced words have wide gaps everywhere: the word gap then starts at what stands out from them. */
function wordGap(glyphs: readonly Glyph[]): number {
  if (glyphs.length < 6) return WORD_GAP;
  let count = 0;
  let narrow = 0;
  for (let index = 1; index < glyphs.length; index += 1) {
    const gap = gapBefore(glyphs, index);
    if (gap === undefined) continue;
    count += 1;
    if (gap <= LETTER_GAP) narrow += 1;
  }
  // Of most lines it is plain that the median is no wider.
  if (narrow > count >> 1 || count === 0) return WORD_GAP;
  const gaps = glyphs.map((_, index) => gapBefore(glyphs, index)).filter((gap) => gap !== undefined);
  const median = gaps.sort((a, b) => a - b)[count >> 1] ?? 0;
  return Math.max(WORD_GAP, median * 1.8);
}

/** The share of a line's usual space below which a gap between two letters is no space. */
const NARROW = 0.75;

/** Some fonts advance too far after a letter ("Figur e"): such a gap is clearly narrower than the spaces of its line. */
function isInsideWord(glyphs: readonly Glyph[], index: number): boolean {
  const [before, glyph] = [glyphs[index - 1], glyphs[index]];
  if (!before || !glyph || !hasLetter(before.text) || !hasLetter(glyph.text)) return false;
  if (before.font !== glyph.font || before.size !== glyph.size || glyph.font.italic) return false;
  const spaces = glyphs
    .map((_, at) => gapBefore(glyphs, at) ?? 0)
    .filter((gap) => gap > WORD_GAP)
    .sort((a, b) => a - b);
  const usual = spaces[spaces.length >> 1] ?? 0;
  return spaces.length > 2 && (gapBefore(glyphs, index) ?? usual) < NARROW * usual;
}

/** The gap before a glyph, in ems. */
function gapBefore(glyphs: readonly Glyph[], index: number): number | undefined {
  const glyph = glyphs[index];
  const previous = glyphs[index - 1];
  // Dots that lead the eye to a page number are set wide on purpose.
  if (!glyph || !previous || glyph.text === '.' || previous.text === '.') return undefined;
  return (glyph.left - previous.right) / Math.max(glyph.size, previous.size, 1);
}

function isScript(glyph: Glyph, lineSize: number, baseline: number): boolean {
  return (
    glyph.size < 0.95 * lineSize &&
    Math.abs(glyph.baseline - baseline) > (glyph.size < 0.87 * lineSize ? 0.04 : 0.2) * lineSize
  );
}

/** Whether a base is a letter of its own in the type of formulas: its scripts are part of a formula, not notes. */
function isVariable(base: Glyph | undefined, left: Glyph | undefined): boolean {
  if (!base || !(base.font.italic || base.font.math) || !hasLetter(base.text)) return false;
  return !left || !hasLetter(left.text) || base.left - left.right > WORD_GAP * base.size;
}

/** A mark between a base and its script where the two would otherwise read as one word or one number. */
function scriptMark(
  previous: Glyph,
  glyph: Glyph,
  setting: {
    /** The glyph is a script; the one before it is. */
    readonly script: boolean;
    readonly before: boolean;
    readonly lineSize: number;
    readonly baseline: number;
    /** They belong to a variable of a formula. */
    readonly isVariable: boolean;
  },
): string {
  const { script, before, lineSize, baseline, isVariable } = setting;
  const mark = glyph.baseline < baseline ? '^' : '_';
  if (script === before) {
    // Sub- and superscript stacked over each other: the second starts left of the first one's end.
    if (script && Math.abs(glyph.baseline - previous.baseline) > 0.2 * lineSize) return isVariable ? mark : ' ';
    return '';
  }
  const digits = /\p{N}$/u.test(previous.text) && /^\p{N}/u.test(glyph.text);
  const letters = /\p{L}$/u.test(previous.text) && /^\p{L}/u.test(glyph.text);
  if (script && isVariable && /^[\p{L}\p{N}]/u.test(glyph.text)) return mark;
  if (!digits && !letters) return '';
  return script ? mark : ' ';
}
