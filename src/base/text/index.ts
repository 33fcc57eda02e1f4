export { hasNumbersOf, missingNumber, quantitiesIn } from './numbers.ts';
export type { Quantity } from './numbers.ts';

/** Scripts in which a zero-width joiner or non-joiner changes a word. */
const JOINED =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}]/u;

/** Removes zero-width, direction, tag and control characters, except joiners that a script needs. */
export function visibleText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n')
    .replaceAll(
      /[\p{Default_Ignorable_Code_Point}\p{Cc}\u{FFF9}-\u{FFFB}]/gu,
      (character, at: number, whole: string) => {
        if (character === '\n' || character === '\t') return character;
        const isJoiner = character === '\u200C' || character === '\u200D';
        return isJoiner && JOINED.test(whole[at - 1] ?? '') && JOINED.test(whole[at + 1] ?? '') ? character : '';
      },
    );
}

/** Character offsets. */
export interface QuotePlace {
  readonly start: number;
  readonly end: number;
}

const LETTER = /\p{L}|\p{M}/u;
const WORD = /[\p{L}\p{M}\p{N}]/u;
const DIGIT = /\p{N}/u;
/** Typographic variants, and the character they are compared as. */
const SAME: Readonly<Record<string, string>> = {
  ...sameAs('"', '“”„‟«»″＂'),
  ...sameAs("'", '‘’‚‛′`´＇'),
  ...sameAs('-', '‐‑‒–—―−﹣－'),
};
const INVISIBLE = /[\u00AD\u200B-\u200D\u2060\uFEFF]/;

function sameAs(one: string, others: string): Record<string, string> {
  return Object.fromEntries(Array.from(others, (each) => [each, one]));
}

/**
 * Finds a quote word for word. Only typography may differ: white space, bars between cells, hyphens inside words,
 * ligatures, quotation marks, dashes, the case of the first letter, quotation marks and a full stop around it. It must
 * not start or end inside a word or a number.
 */
export function findQuote(quote: string, text: string): QuotePlace | undefined {
  const within = fold(text);
  const wanted = fold(quote).text;
  // A quote from within a sentence may be copied as a whole one.
  const bare = withoutEnds(wanted);
  for (const each of new Set([wanted, bare, otherFirstCase(wanted), otherFirstCase(bare)])) {
    const place = placeOf(each, within, text);
    if (place) return place;
  }
  return undefined;
}

function placeOf(wanted: string, within: Folded, text: string): QuotePlace | undefined {
  if (!WORD.test(wanted)) return undefined;
  for (let at = within.text.indexOf(wanted); at !== -1; at = within.text.indexOf(wanted, at + 1)) {
    const start = within.offsets[at] ?? 0;
    const last = within.offsets[at + wanted.length - 1] ?? 0;
    const end = last + String.fromCodePoint(text.codePointAt(last) ?? 0).length;
    if (!cutsWord(text, start, end)) return { start, end };
  }
  return undefined;
}

/** The quote without quotation marks around it and punctuation at its end. */
function withoutEnds(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && `"'`.includes(text.charAt(start))) start += 1;
  while (end > start && `"'.,;:…`.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** The quote with its first letter in the other case, if its second is in lower case: "In", not "US". */
function otherFirstCase(text: string): string {
  if (!/^\p{L}\p{Ll}/u.test(text)) return text;
  const [first = ''] = text;
  const upper = first.toUpperCase();
  return (first === upper ? first.toLowerCase() : upper) + text.slice(first.length);
}

/** A character as it is compared, and the offset of the original. */
interface Piece {
  readonly text: string;
  readonly from: number;
}

/** A text as it is compared, and the offset of each character in the original. */
interface Folded {
  readonly text: string;
  readonly offsets: readonly number[];
}

function fold(original: string): Folded {
  const pieces: Piece[] = [];
  let at = 0;
  for (const character of original) {
    const from = at;
    at += character.length;
    if (INVISIBLE.test(character)) continue;
    // Table cells are separated by a bar, which a copy may omit.
    const isBorder = character === '|' && /^\s*$/.test((original[from - 1] ?? '') + (original[at] ?? ''));
    const plain = SAME[character] ?? (isBorder || /\s/.test(character) ? ' ' : character.normalize('NFKC'));
    for (const each of plain) pieces.push({ text: SAME[each] ?? (/\s/.test(each) ? ' ' : each), from });
  }
  const kept = pieces.flatMap((piece, place): readonly Piece[] => {
    const { text, from } = piece;
    const before = (): string => beside(pieces, place, -1);
    if (text === ' ') return [];
    // A hyphen between letters may come from a line break, and a copy may lack it.
    if (text === '-' && LETTER.test(before()) && LETTER.test(beside(pieces, place, 1))) return [];
    // Spaces go, except between digits: "3 4" is not "34".
    const isApart = pieces[place - 1]?.text === ' ' && DIGIT.test(text) && DIGIT.test(before());
    return isApart ? [{ text: ' ', from }, piece] : [piece];
  });
  return {
    text: kept.map(({ text }) => text).join(''),
    offsets: kept.flatMap(({ text, from }) => Array.from({ length: text.length }, () => from)),
  };
}

/** The character before or after a position, ignoring spaces. */
function beside(pieces: readonly Piece[], place: number, step: 1 | -1): string {
  let at = place + step;
  while (pieces[at]?.text === ' ') at += step;
  return pieces[at]?.text ?? '';
}

/** Whether a name stands right behind a raised number, as in "1Centers for Disease Control". */
function isAfterMark(text: string, start: number): boolean {
  return (
    /(?:^|[^\p{L}\p{N}.])\p{N}{1,2}$/u.test(text.slice(Math.max(0, start - 3), start)) &&
    /^\p{Lu}\p{Ll}{2}/u.test(text.slice(start, start + 8))
  );
}

/** Whether a range starts or ends inside a word, a number or a signed number. */
function cutsWord(text: string, start: number, end: number): boolean {
  const [first = '', last = ''] = [text.slice(start).match(/^./su)?.[0], text.slice(0, end).match(/.$/su)?.[0]];
  const [left = '', right = ''] = [text.slice(0, start).match(/.$/su)?.[0], text.slice(end).match(/^./su)?.[0]];
  if (WORD.test(first) && WORD.test(left) && !isAfterMark(text, start)) return true;
  if (WORD.test(last) && WORD.test(right)) return true;
  // "5 mg" is not a quote of "0.5 mg", "−5 mg" or "1,005 mg", nor "p = 0" of "p = 0.05".
  if (DIGIT.test(first) && (/\p{N}[.,·]$/u.test(text.slice(0, start)) || (SAME[left] ?? left) === '-')) return true;
  return DIGIT.test(last) && /^[.,·]\p{N}/u.test(text.slice(end));
}

export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [at, letter] of Array.from(from).entries()) {
    const next = [at + 1];
    for (let column = 0; column < to.length; column += 1) {
      const changed = (row[column] ?? 0) + (letter === to[column] ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Letters without a Unicode decomposition, and their plain spelling. */
const FOLDED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
};

/** Plain ASCII needs no normalisation. */
const PLAIN = /^[\u0020-\u007e]*$/;
const MARKS = /\p{M}+/gu;
const OTHERS = /[^\p{L}\p{N}]+/gu;

/** Lower case, without accents and ligatures. */
export function foldCase(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(MARKS, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþıħ]/g, (letter) => FOLDED[letter] ?? letter);
}

/** Letters and digits, case-folded: prints of the same line differ in spaces, hyphens, quotes and accents. */
export function lettersOf(text: string): string {
  return foldCase(text).replace(OTHERS, '');
}

/** The words of a text, case-folded. */
export function wordsIn(text: string): string[] {
  return foldCase(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The key of each word in a table of words separated by spaces: `{ cc0: 'cc-0 cc-zero' }`. */
export function meaningsOf<Meaning extends string>(
  table: Readonly<Record<Meaning, string>>,
): ReadonlyMap<string, Meaning> {
  const entries = Object.entries(table) as [Meaning, string][];
  return new Map(entries.flatMap(([meaning, words]) => words.split(' ').map((word) => [word, meaning] as const)));
}

/** A CSV line (RFC 4180); cells that a spreadsheet would run as formulas are made plain text. */
export function csvLine(cells: readonly (string | number | boolean | null)[], separator = ','): string {
  const cell = (value: string | number | boolean | null): string => {
    if (typeof value !== 'string') return String(value ?? '');
    const isFormula = /^[=+\-@\t\r]/.test(value) && !/^-?\d+(?:[.,]\d+)*$/.test(value);
    const safe = isFormula ? `'${value}` : value;
    const needsQuotes = /["\r\n]/.test(safe) || safe.includes(separator) || safe !== safe.trim();
    return needsQuotes ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return `${cells.map(cell).join(separator)}\r\n`;
}

/** "work" for 1, "works" for any other number. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}

/** 850 ms, 1.2 s, 12 s, 3 min 20 s, 2 h 5 min, 3 d 4 h. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return '?';
  if (ms < 999.5) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const from = parts.findIndex(([value]) => value > 0);
  const shown = parts.slice(from, from + 2).filter(([value]) => value > 0);
  return shown.map(([value, unit]) => `${value} ${unit}`).join(' ');
}
