import type { Box } from '../../../document.ts';
import type { Glyph, PageContent } from '../page/page-content.ts';
import { countBy, mostFrequent } from '../statistics.ts';

const LETTER = /\p{L}/u;
const LETTERS = /^\p{L}+$/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

// Most texts are one ASCII character, which is classified by its code.

export function hasLetter(text: string): boolean {
  return isAscii(text) ? isAsciiLetter(text.charCodeAt(0)) : LETTER.test(text);
}

export function isLetters(text: string): boolean {
  return isAscii(text) ? isAsciiLetter(text.charCodeAt(0)) : LETTERS.test(text);
}

export function hasLetterOrDigit(text: string): boolean {
  return isAscii(text) ? isAsciiLetter(text.charCodeAt(0)) || isDigit(text) : LETTER_OR_DIGIT.test(text);
}

/** ASCII digits only. */
export function isDigit(text: string): boolean {
  const code = text.charCodeAt(0);
  return text.length === 1 && code >= 0x30 && code <= 0x39;
}

const WIDE = /^[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60\u{20000}-\u{323af}]/u;

/**
 * Whether a text begins with a character of Chinese or Japanese, set in a square; words of these have no spaces between
 * them.
 */
export function isWide(text: string): boolean {
  return (text.codePointAt(0) ?? 0) >= 0x3000 && WIDE.test(text);
}

function isAscii(text: string): boolean {
  return text.length === 1 && text.charCodeAt(0) < 0x80;
}

function isAsciiLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

/** Letters of Hebrew, Arabic and their relatives; their digits and the signs inside numbers run from left to right. */
const RIGHT_TO_LEFT = /[\u0590-\u065f\u066d-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;
const FIRST_RIGHT_TO_LEFT = 0x590;

export function isRightToLeft(text: string): boolean {
  if (text.length === 1 && text.charCodeAt(0) < FIRST_RIGHT_TO_LEFT) return false;
  return RIGHT_TO_LEFT.test(text);
}

export function readsRightToLeft(page: PageContent): boolean {
  const right = page.glyphs.filter(({ text }) => isRightToLeft(text)).length;
  if (right === 0) return false;
  const left = page.glyphs.filter(({ text }) => !isRightToLeft(text) && hasLetter(text)).length;
  return right > left;
}

/** The page seen in a mirror: then lines begin on the left, and one set of rules serves both directions. */
export function mirrored(page: PageContent): PageContent {
  return {
    ...withBoxes(page, (box) => mirrorBox(box, page.width)),
    glyphs: withBrackets(page.glyphs).map((glyph) => ({
      ...glyph,
      left: page.width - glyph.right,
      right: page.width - glyph.left,
    })),
  };
}

/** The page with everything but its glyphs in another place. */
export function withBoxes(page: PageContent, move: (box: Box) => Box): PageContent {
  const moved = <T extends { readonly box: Box }>(each: T): T => ({ ...each, box: move(each.box) });
  return {
    ...page,
    rules: page.rules.map(moved),
    drawings: page.drawings.map(moved),
    links: page.links.map(moved),
    jumps: page.jumps.map(moved),
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

/** The engine mirrors brackets even if the file already did: if more pairs close first, all are swapped. */
function withBrackets(glyphs: readonly Glyph[]): readonly Glyph[] {
  let pairs = 0;
  let open = '';
  for (const { text } of glyphs) {
    if (text !== '(' && text !== ')') continue;
    if (open !== '' && open !== text) pairs += open === '(' ? 1 : -1;
    open = open === '' ? text : '';
  }
  const swapped = (glyph: Glyph): Glyph => ({ ...glyph, text: MIRRORED[glyph.text] ?? glyph.text });
  const paired = pairs >= 0 ? glyphs : glyphs.map(swapped);
  // Beside Latin letters it mirrors none.
  return paired.map((glyph, at) => {
    const isClosing = glyph.text === '(' && isLatin(paired[at - 1]) && !isLatin(paired[at + 1]);
    return isClosing || (glyph.text === ')' && isLatin(paired[at + 1]) && !isLatin(paired[at - 1]))
      ? swapped(glyph)
      : glyph;
  });
}

function isLatin(glyph: Glyph | undefined): boolean {
  return glyph !== undefined && !isRightToLeft(glyph.text) && hasLetter(glyph.text);
}

/** Digits of one number are closer than this, in ems. */
export const NUMBER_GAP = 0.15;

function isNumber(text: string): boolean {
  return /^\p{Nd}/u.test(text);
}

function isApart(before: Glyph | undefined, after: Glyph | undefined): boolean {
  return before !== undefined && after !== undefined && after.left - before.right > NUMBER_GAP * after.size;
}

/** A sign behind a number, which is read with it; next to Arabic letters it is in front. */
function isSignOf(sign: Glyph, number: Glyph | undefined): boolean {
  return /^[%‰°]$/u.test(sign.text) && number !== undefined && isNumber(number.text) && !isApart(sign, number);
}

/**
 * Whether a number ends at `last`: a gap or, next to Arabic letters, a hyphen separates it from the digit at `next`.
 */
function endsNumber(glyphs: readonly Glyph[], last: number, next: number, isArabic: boolean): boolean {
  const [before, after] = [glyphs[last], glyphs[next]];
  if (!before || !after || !isNumber(before.text)) return false;
  if (next === last + 1) return isApart(before, after);
  const between = glyphs.slice(last + 1, next).map(({ text }) => text);
  if (isApart(glyphs[next - 1], after)) return true;
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
    const isSign = mirrorImage && !isArabic && isSignOf(glyph, glyphs[index + 1]);
    if (!isForeign(glyph.text, mirrorImage) && !isSign) {
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

// The commonest short words of each language; a text of some length is identified by which of them it uses.
const WORDS: Readonly<Record<string, readonly string[]>> = {
  en: ['the', 'of', 'and', 'to', 'in', 'is', 'that', 'for', 'with', 'are', 'was', 'this', 'by', 'from', 'which'],
  de: ['der', 'die', 'und', 'das', 'ist', 'nicht', 'von', 'den', 'mit', 'für', 'auf', 'eine', 'werden', 'dem', 'sich'],
  fr: ['le', 'la', 'les', 'des', 'et', 'est', 'une', 'dans', 'que', 'pour', 'sur', 'par', 'avec', 'sont', 'qui'],
  es: ['el', 'los', 'las', 'que', 'del', 'una', 'por', 'con', 'para', 'se', 'como', 'es', 'más', 'sus', 'y'],
  pt: ['os', 'que', 'não', 'uma', 'para', 'com', 'dos', 'das', 'por', 'mais', 'são', 'ao', 'pela', 'e', 'do'],
  it: ['il', 'che', 'di', 'della', 'per', 'una', 'con', 'sono', 'dei', 'nel', 'alla', 'gli', 'è', 'delle', 'più'],
  nl: ['het', 'een', 'van', 'en', 'dat', 'voor', 'met', 'zijn', 'niet', 'aan', 'ook', 'door', 'naar', 'werd', 'wordt'],
  sv: ['och', 'att', 'det', 'som', 'för', 'med', 'inte', 'är', 'till', 'ett', 'av', 'den', 'från', 'har', 'kan'],
  tr: ['ve', 'bir', 'bu', 'için', 'ile', 'olarak', 'olan', 'gibi', 'daha', 'çok', 'sonra', 'veya', 'da', 'de', 'göre'],
  vi: ['và', 'của', 'các', 'là', 'trong', 'được', 'cho', 'có', 'với', 'những', 'một', 'này', 'không', 'đã', 'từ'],
  pl: ['się', 'nie', 'jest', 'na', 'że', 'do', 'oraz', 'przez', 'dla', 'jak', 'który', 'są', 'przy', 'od', 'tym'],
};

const SCRIPTS: readonly (readonly [string, RegExp])[] = [
  ['ko', /\p{Script=Hangul}/gu],
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['zh', /\p{Script=Han}/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['ru', /\p{Script=Cyrillic}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
  ['th', /\p{Script=Thai}/gu],
];

/** Letters by which a language is known among others: of its script, or in Latin letters where its words are not. */
const OWN_LETTERS: readonly (readonly [among: string, language: string, letters: RegExp])[] = [
  ['ru', 'uk', /[іїєґІЇЄҐ]/gu],
  ['ar', 'ur', /[ٹڈڑے]/gu],
  ['ar', 'fa', /[پچژگکی]/gu],
  ['', 'tr', /[ğşıİ]/gu],
  ['', 'pl', /[ąęłńśźż]/gu],
  ['', 'vi', /[ăđơưạ-ỹ]/gu],
];

export function detectLanguage(text: string): string | undefined {
  const sample = text.slice(0, 60_000);
  const letters = wordsOf(sample).reduce((sum, word) => sum + word.length, 0);
  if (letters < 40) return undefined;
  // In most texts there is next to nothing to count here.
  const foreign = sample.replaceAll(/[\0-\u024f]+/g, '');
  const code = SCRIPTS.find(([, script]) => (foreign.match(script)?.length ?? 0) > 0.3 * letters)?.[0];
  const byLetters = (base: string): string | undefined =>
    OWN_LETTERS.find(([among, , own]) => among === base && (sample.match(own)?.length ?? 0) > 0.02 * letters)?.[1];
  if (code !== undefined) return byLetters(code) ?? code;
  // Capitals are initials and names: the "E." of an author is no Italian word.
  const all = wordsOf(/\p{Ll}/u.test(sample) ? sample : sample.toLowerCase());
  const counts = countBy(all, (word) => word);
  const known = new Map(
    Object.entries(WORDS).map(([code, words]) => [code, words.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0)]),
  );
  const best = mostFrequent(known) ?? '';
  return (known.get(best) ?? 0) > 0.08 * Math.max(1, all.length) ? best : byLetters('');
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\p{L}+/gu) ?? [];
}
