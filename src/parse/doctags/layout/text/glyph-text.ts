import { isRightToLeft, hasLetter, isWide } from './script.ts';
import type { Glyph } from '../page/page-content.ts';
import { symbolAt } from './symbol-font.ts';
import { quantile } from '../statistics.ts';

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
  // Latin words on such a page are read from their far end too.
  const isTurned = glyphs.some((glyph, at) => isRightToLeft(glyph.text) || glyph.left < (glyphs[at - 1]?.left ?? 0));
  const apart = isTurned ? distances(glyphs) : undefined;
  let index = -1;
  for (const glyph of glyphs) {
    index += 1;
    const script = isScript(glyph, lineSize, baseline);
    if (previous) {
      const em = Math.max(previous.size, glyph.size);
      const distance = apart ? (apart[index] ?? 0) : glyph.left - previous.right;
      const isGap =
        distance > gapBetween(previous, glyph, gap) * em && (apart !== undefined || !isMoved(glyphs, index));
      // The engine may give the words of another direction in reverse: behind a bracket such a space is that of another
      // word.
      const hasSpace = glyph.spaced && !(apart && previous.text === '(');
      const isSpace = isGap || (hasSpace && distance > spaceAfter(previous) * em);
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

/** The least gap between two words of a line, in ems. */
export function wordGap(glyphs: readonly Glyph[]): number {
  if (glyphs.length < 6) return WORD_GAP;
  let count = 0;
  let narrow = 0;
  for (let index = 1; index < glyphs.length; index += 1) {
    const gap = gapBefore(glyphs, index);
    if (gap === undefined) continue;
    count += 1;
    if (gap <= LETTER_GAP) narrow += 1;
  }
  // The median of most lines is narrow.
  if (narrow > count >> 1 || count === 0) return WORD_GAP;
  const gaps = glyphs.map((_, index) => gapBefore(glyphs, index)).filter((gap) => gap !== undefined);
  return Math.max(WORD_GAP, (quantile(gaps, 0.5) ?? 0) * 1.8);
}

/** The share of a line's usual space below which a gap between two letters is no space. */
const NARROW = 0.75;

/** Whether a gap before a glyph, in ems, parts two words of a line whose words are `usual` ems apart or more. */
export function isSpaceBefore(glyphs: readonly Glyph[], index: number, gap: number, usual: number): boolean {
  const [previous, glyph] = [glyphs[index - 1], glyphs[index]];
  if (!previous || !glyph) return false;
  if (gap > usual && !isMoved(glyphs, index)) return true;
  if (!glyph.spaced || gap <= spaceAfter(previous)) return false;
  return glyph.spaced === true || !isInsideWord(glyphs, index);
}

/**
 * Some fonts advance too far after a letter ("Figur e"): such a gap is clearly narrower than the spaces of its line.
 */
function isInsideWord(glyphs: readonly Glyph[], index: number): boolean {
  const [before, glyph] = [glyphs[index - 1], glyphs[index]];
  if (!before || !glyph || !hasLetter(before.text) || !hasLetter(glyph.text)) return false;
  if (before.font !== glyph.font || before.size !== glyph.size || glyph.font.italic) return false;
  const spaces = glyphs.map((_, at) => gapBefore(glyphs, at) ?? 0).filter((gap) => gap > WORD_GAP);
  const usual = quantile(spaces, 0.5) ?? 0;
  return spaces.length > 2 && (gapBefore(glyphs, index) ?? usual) < NARROW * usual;
}

/** Real spaces in a line from which on it is known how wide they are. */
const FEWEST_SPACES = 3;

/** Where a line has its spaces in the file, a narrower gap between two letters is none: a letter was moved. */
function isMoved(glyphs: readonly Glyph[], index: number): boolean {
  const [before, glyph] = [glyphs[index - 1], glyphs[index]];
  if (!before || !glyph || glyph.spaced === true || before.font !== glyph.font || before.size !== glyph.size)
    return false;
  if (!hasLetter(before.text) || !hasLetter(glyph.text)) return false;
  const spaces = glyphs.flatMap(({ spaced }, at) => (spaced === true ? [gapBefore(glyphs, at) ?? 0] : []));
  return spaces.length >= FEWEST_SPACES && (gapBefore(glyphs, index) ?? 0) < NARROW * (quantile(spaces, 0.5) ?? 0);
}

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

/** Whether a base is a single letter in formula type: its scripts are indices, not notes. */
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

const LINE_END = /(?<!\p{L}\p{M}{0,8})(\p{L}[\p{L}\p{M}]*)[-\u2010\u00ad]$/u;
const LINE_START = /^(\p{Ll}[\p{L}\p{M}]*)/u;

/** Joins lines into one text: with a space, or without when a word was broken at the line's end. */
export function joinTexts(lines: readonly string[], vocabulary: ReadonlySet<string>): string {
  let text = '';
  for (const raw of lines) {
    const line = raw.trim();
    if (line === '') continue;
    text = text === '' ? line : joinTwo(text, line, vocabulary);
  }
  return text;
}

/** Whether a hyphen at the end of a line belongs to the word is decided by the words of the document itself. */
function joinTwo(before: string, after: string, vocabulary: ReadonlySet<string>): string {
  if ('-\u2010\u00ad\u2013\u2014/'.includes(before.at(-1) ?? ' ')) {
    // Only the last word matters, and the text may be long.
    const end = before.slice(-80);
    const head = LINE_END.exec(end)?.[1];
    const tail = LINE_START.exec(after)?.[1];
    if (head !== undefined && tail !== undefined && !keepsHyphen(end, head, tail, vocabulary))
      return before.slice(0, -1) + after;
    // A dash or a slash, or a hyphen before a capital or a number: no space, nothing removed.
    if (/[\p{L}\p{N}.][-\u2010/]$/u.test(end) && /^[\p{L}\p{N}]/u.test(after)) return before + after;
    if (/[\p{L}\p{N}][\u2013\u2014]$/u.test(end)) return before + after;
  }
  // Chinese and Japanese have no spaces between words.
  if (isWide(Array.from(before.slice(-2)).at(-1) ?? '') && isWide(after)) return before + after;
  return `${before} ${after}`;
}

function keepsHyphen(before: string, head: string, tail: string, vocabulary: ReadonlySet<string>): boolean {
  const joined = (head + tail).toLowerCase();
  const hyphenated = `${head}-${tail}`.toLowerCase();
  if (vocabulary.has(joined)) return false;
  if (vocabulary.has(hyphenated)) return true;
  // A chain such as "state-of-the-" keeps its hyphens.
  if (/\p{L}-\p{L}+-$/u.test(before)) return true;
  if (head.length === 1) return true;
  // Two words of the document that never occur joined: a compound such as "data-driven".
  return head.length > 2 && tail.length > 3 && vocabulary.has(head.toLowerCase()) && vocabulary.has(tail.toLowerCase());
}

/** The first and last word of a line may be parts of a broken one: left out if the line has others. */
export function collectVocabulary(lines: Iterable<string>): Set<string> {
  const words = new Set<string>();
  for (const line of lines) {
    const rest = line
      .toLowerCase()
      .trim()
      .replaceAll('\u2010', '-')
      .replace(/^\S+\s/u, '');
    const inner = rest.endsWith('-') ? rest.replace(/(?<!\S)\S+-$/u, '') : rest;
    for (const word of inner.match(/\p{L}[\p{L}\p{M}]*(?:-\p{L}[\p{L}\p{M}]*)*/gu) ?? []) {
      words.add(word);
      if (word.includes('-')) for (const part of word.split('-')) words.add(part);
    }
  }
  return words;
}

// Wingdings and its like put their glyphs at F000 + code; these are the ones that carry meaning in running text.
const DINGBATS: Readonly<Record<number, string>> = {
  0xf0b7: '•',
  0xf0a7: '▪',
  0xf0d8: '➢',
  0xf0fc: '✓',
  0xf06c: '●',
  0xf06e: '■',
  0xf071: '❑',
  0xf0a8: '◻',
  0xf0e0: '→',
};

/**
 * Figures and small capitals of Adobe's fonts (Myriad, Minion) have private codes: their first code, and what they are.
 */
const ADOBE_PRIVATE: readonly (readonly [number, string])[] = [
  [0xf639, '0'],
  [0xf63a, '23456789'],
  [0xf6dc, '1'],
  [0xf730, '0123456789'],
  [0xf761, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
];

const EXTENSION =
  /^(?:cmex|txex|mtex|euex|stixsize|lmmathextension|ntxexx|pxex|rtxex|yhcmex|TeX_CM_Maths_Ext|AdvP4C4E46)/i;
const DINGBAT_FONT = /dings|zapf|marlett/i;

/** Whether a font is one of TeX's for large signs: sums, roots, tall brackets. */
export function holdsLargeSigns(font: string): boolean {
  return EXTENSION.test(font);
}

/** The text of a glyph from its Unicode value, ligatures spelled out; empty when the value means nothing. */
export function usableText(code: number, mapError: boolean, font: string): string {
  // Fonts of large delimiters hold no letters: a letter there is the raw code of a radical, brace or hat.
  if (code < 0x80 && holdsLargeSigns(font) && !/[()[\]{}|]/.test(String.fromCodePoint(code))) return '';
  if (isControl(code)) return '';
  if (isPrivate(code)) return privateText(code, font);
  if (code === 0xfffd || code === 0xfeff || code === 0xfffe || code === 0xffff) return '';
  if (code === 0xad) return '-';
  // A wrong map for a letter still gives the letter in most fonts; for anything exotic it gives noise.
  if (mapError && code > 0x2ff) return '';
  const text = String.fromCodePoint(code);
  // Ligatures are their letters, and so are letters drawn for formulas (𝜇, 𝑝): the font says how they look.
  const isDrawn = (code >= 0xfb00 && code <= 0xfb06) || (code >= 0x1d400 && code <= 0x1d7ff);
  return isDrawn ? text.normalize('NFKC') : text;
}

function isControl(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/** Private use characters, whose meaning depends on the font, and lone surrogates. */
function isPrivate(code: number): boolean {
  return (code >= 0xe000 && code <= 0xf8ff) || code >= 0xf0000 || (code >= 0xd800 && code < 0xe000);
}

/** Whether a value has no meaning by itself, so that the glyph's name or context is needed. */
export function isOpaque(code: number): boolean {
  return isControl(code) || isPrivate(code) || code === 0xfffd;
}

function privateText(code: number, font: string): string {
  if (code < 0xf021 || code > 0xf0ff)
    return (
      ADOBE_PRIVATE.map(([first, characters]) => characters[code - first]).find((each) => each !== undefined) ?? ''
    );
  if (DINGBAT_FONT.test(font)) return DINGBATS[code] ?? '';
  // Fonts without an encoding of their own are numbered as Symbol is; Word puts its bullets there.
  return code === 0xf0b7 ? '•' : (symbolAt('symbol', code - 0xf000) ?? '');
}

/** "F I G U R E 1" is "FIGURE 1"; spaces may be lost between some of its letters ("TA B LE 2"). */
export function withoutLetterspacing(text: string): string {
  const spaced = /^(?:\p{L}\s){3,12}\p{L}(?=\s|\d|$)/u.exec(text)?.[0] ?? SPACED_LABEL.exec(text)?.[0];
  return spaced === undefined ? text : spaced.replace(/\s/gu, '') + text.slice(spaced.length);
}

const SPACED_LABEL = /^(?:T ?A ?B ?L ?E|F ?I ?G ?U ?R ?E|S ?C ?H ?E ?M ?E|B ?O ?X)(?=\s)/u;
