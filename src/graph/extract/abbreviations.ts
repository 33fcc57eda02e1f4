import type { Stretch } from '../../parse/index.ts';

export interface Abbreviation {
  readonly short: Span;
  readonly long: Span;
  /** 0 to 1: how well the letters of the short form match the long form. */
  readonly score: number;
}

interface Span extends Stretch {
  readonly text: string;
}

export const ABBREVIATION_VERSION = 5;

const LONGEST_SHORT = 20;
const LONGEST_INSIDE = 240;

/** Finds abbreviations that a text defines: "long form (LF)", "LF (long form)", "(long form, LF)". */
export function findAbbreviations(text: string): Abbreviation[] {
  const found: Abbreviation[] = [];
  const known = new Set<string>();
  for (const { open, inside } of remarks(text)) {
    const [best] = [...shortInside(text, open, inside), ...shortBefore(text, open, inside)].sort(
      (a, b) => b.score - a.score,
    );
    if (!best || known.has(`${best.short.start}`)) continue;
    known.add(`${best.short.start}`);
    found.push(best);
  }
  return found;
}

/** Every bracket with its contents, nested brackets too, inner ones first. */
function remarks(text: string): { readonly open: number; readonly inside: string }[] {
  const found: { open: number; inside: string }[] = [];
  const open: number[] = [];
  for (const match of text.matchAll(/[()[\]]/g)) {
    if (match[0] === '(' || match[0] === '[') open.push(match.index);
    else {
      const from = open.pop();
      if (from !== undefined && match.index - from <= LONGEST_INSIDE && match.index > from + 1)
        found.push({ open: from, inside: text.slice(from + 1, match.index) });
    }
  }
  return found;
}

const INTRODUCED =
  /^\s*(?:or |i\.e\.,? |abbreviated (?:as )?|abbreviation:? |termed |called |hereafter |henceforth |referred to as )?["'“‘]?/i;

/** "long form (LF)", "long form (see there; LF)", "(long form, LF)": a part of the bracket is the short form. */
function shortInside(text: string, open: number, inside: string): Abbreviation[] {
  const found: Abbreviation[] = [];
  // A comma without a space behind it belongs to the short form: "Fru-2,6-P(2)".
  const parts = [...inside.matchAll(/(?:[^,;:=\s]|,(?!\s)|\s(?!(?:and|or)\s))+/g)].slice(0, 6);
  for (const [number, part] of parts.entries()) {
    const lead = INTRODUCED.exec(part[0])?.[0].length ?? 0;
    const short = part[0].slice(lead).replace(/(?<!["'”’\s])["'”’\s]+$/, '');
    const start = open + 1 + part.index + lead;
    if (short.length === 1 && inside.trim() !== short && !/^\s*\p{Lu}\s*[,;]\s*n\s*=/u.test(inside)) continue;
    if (!isShortForm(short) || (number > 0 && !isCapital(short))) continue;
    const inFront = align(short, before(text, open));
    const within =
      part.index > 0 ? align(short, { text: inside.slice(0, part.index - 1), start: open + 1 }) : undefined;
    const long = within && (!inFront || within.score > inFront.score) ? within : inFront;
    if (long) found.push({ short: { start, end: start + short.length, text: short }, ...long });
  }
  return found;
}

function isCapital(text: string): boolean {
  return text.length >= 2 && /^[\p{L}\p{N}-]+$/u.test(text) && (text.match(/\p{Lu}/gu) ?? []).length >= 2;
}

/** "LF (long form)": the word before the bracket is the short form, and the bracket begins with its long form. */
function shortBefore(text: string, open: number, inside: string): Abbreviation[] {
  const at = open + 1;
  const match = /(?<![\p{L}\p{N}/-])(?<short>[\p{L}\p{N}][\p{L}\p{N}\-/&.+]{0,14})\s?$/u.exec(
    text.slice(Math.max(0, open - 40), open),
  );
  const short = match?.groups?.['short'];
  if (short === undefined || !isShortForm(short) || !/\p{Lu}.{0,14}[\p{Lu}\d]|\p{Ll}\p{Lu}/u.test(short)) return [];
  const words = /^(?:[^,;:=]|,(?!\s))+/.exec(inside)?.[0].trimEnd() ?? '';
  if (words.length < 6) return [];
  const long = align(short, { text: words, start: at + (inside.length - inside.trimStart().length) }, true);
  const start = open - (match?.[0].length ?? 0);
  return long ? [{ short: { start, end: start + short.length, text: short }, ...long }] : [];
}

function isShortForm(text: string): boolean {
  if (text.length < 2 || text.length > LONGEST_SHORT) return /^\p{Lu}$/u.test(text);
  if (!/^[\p{L}\p{N}]/u.test(text) || !/\p{L}/u.test(text)) return false;
  const words = text.split(/\s+/);
  if (words.length > 2) return false;
  return /\p{Lu}|\d/u.test(text) || text.length <= 5;
}

/** The sentence in front of a bracket, as far as it can hold a long form. */
function before(text: string, open: number): Piece {
  const from = Math.max(0, open - 300);
  const part = text.slice(from, open);
  // A bracket inside a chemical name ends nothing: "(-)-[125I]-cyanopindolol".
  const sentence = [...part.matchAll(/[.!?;]\s+(?=[\p{Lu}\d])|[)\]](?![^\s,;.()/])|[([](?=[^()[\]]*$)|;\s/gu)].at(-1);
  const start = sentence ? sentence.index + sentence[0].length : 0;
  return { text: part.slice(start), start: from + start };
}

/** Words that short forms leave out. */
const SMALL_WORDS: ReadonlySet<string> = new Set('of the and in for to a an on by with from at or de la'.split(' '));
/** The lowest score that counts, by the number of letters: two letters are easily found by chance. */
const LEAST: Readonly<Record<number, number>> = { 1: 1, 2: 0.6, 3: 0.5 };
const LEAST_ELSE = 0.45;

/** Text in which a long form may be, and where it begins in the whole text. */
type Piece = Omit<Span, 'end'>;
type LongForm = Omit<Abbreviation, 'short'>;

/** Matches the letters of a short form to words at the end of a piece, or with `whole` to the whole piece. */
function align(short: string, piece: Piece, whole = false): LongForm | undefined {
  return alignLetters(short, lettersOf(short), piece, whole) ?? alignWithoutDigits(short, piece, whole);
}

/** "estradiol (E2)", "Perceived Stress Scale (PSS-14)": digits behind the letters are not in the long form. */
function alignWithoutDigits(short: string, piece: Piece, whole: boolean): LongForm | undefined {
  if (!/^(?:\p{L}[^\s\d]*-?\d|\p{Lu}{2,5}-\d{1,3})$/u.test(short)) return undefined;
  const letters = lettersOf(short).filter((letter) => !/\d/.test(letter));
  const found = alignLetters(short, letters, piece, whole);
  return found && { ...found, score: found.score - 0.2 };
}

function alignLetters(short: string, letters: readonly string[], piece: Piece, whole: boolean): LongForm | undefined {
  if (letters.length === 0) return undefined;
  const words = wordsOf(piece.text);
  const most = Math.min(letters.length + 5, letters.length * 2 + 1);
  const to = words.at(-1);
  if (!to) return undefined;
  let best: LongForm | undefined;
  for (const { at, start, within } of starts(words, whole ? words.length : most)) {
    if (whole && at !== 0) continue;
    // "identified as an X synthase": an article begins a name or something before it does not.
    if (ARTICLES.has(words[at + 1]?.text ?? '')) continue;
    const opening = words[at]?.text.slice(within) ?? '';
    const rest = words.slice(at + 1).map((word) => word.text);
    const score = quality(letters, [opening, ...rest], short);
    if (score === undefined || score < (LEAST[letters.length] ?? LEAST_ELSE)) continue;
    const long = { start: piece.start + start, end: piece.start + to.end, text: piece.text.slice(start, to.end) };
    if (!best || score > best.score + 1e-9) best = { long, score };
  }
  return best;
}

const ARTICLES: ReadonlySet<string> = new Set(['a', 'an', 'the']);

/** Locants and prefixes of chemical names, which abbreviations leave out. */
const LOCANTS = /^(?:[\d,'′.+()[\]]+|[a-z]|alpha|beta|gamma|delta|[α-ω]|\(?[+-]\)?|di|tri|tetra)$/;

/** Possible beginnings of a long form: words, parts of compounds, and behind locants. */
function* starts(words: readonly Span[], most: number): Generator<{ at: number; start: number; within: number }> {
  for (let at = words.length - 1; at >= Math.max(0, words.length - most); at -= 1) {
    const word = words[at];
    if (!word) continue;
    yield { at, start: word.start, within: 0 };
    const parts = [...word.text.matchAll(/[^-–/]+/g)];
    let onlyLocants = true;
    for (const [number, part] of parts.entries()) {
      if (number > 0) yield { at, start: onlyLocants ? word.start : word.start + part.index, within: part.index };
      onlyLocants &&= LOCANTS.test(part[0]);
    }
  }
}

function lettersOf(short: string): string[] {
  return Array.from(short.toLowerCase()).filter((letter) => /[\p{L}\p{N}]/u.test(letter));
}

/** Words without the punctuation around them. */
function wordsOf(text: string): Span[] {
  return [...text.matchAll(/[^\s]+/g)]
    .map((match) => {
      const lead = /^[^\p{L}\p{N}]*/u.exec(match[0])?.[0].length ?? 0;
      const tail = /(?<![^\p{L}\p{N})'’])[^\p{L}\p{N})'’]*$/u.exec(match[0])?.[0].length ?? 0;
      return {
        text: match[0].slice(lead, match[0].length - tail).toLowerCase(),
        start: match.index + lead,
        end: match.index + match[0].length - tail,
      };
    })
    .filter((word) => word.text !== '');
}

/** 0 to 1: how well the letters match the words; undefined when they do not occur in order from the first word on. */
function quality(letters: readonly string[], words: readonly string[], short: string): number | undefined {
  const text = words.join(' ');
  // A long form is longer than the short form and does not contain it.
  if (text.replace(/[^\p{L}\p{N}]/gu, '').length <= letters.length) return undefined;
  // A single letter abbreviates one word of at least four letters.
  if (letters.length === 1 && (words.length > 1 || text.length < 4)) return undefined;
  if (words.includes(short.toLowerCase())) return undefined;
  const gains = placeGains(text);
  const count = letters.length;
  // best[j][i]: the best sum for the first j letters, the last of them at i.
  let row = new Float64Array(text.length).fill(Number.NEGATIVE_INFINITY);
  if (text[0] !== letters[0]) return undefined;
  row[0] = gains[0] ?? 0;
  for (let letter = 1; letter < count; letter += 1) {
    const next = new Float64Array(text.length).fill(Number.NEGATIVE_INFINITY);
    let reach = Number.NEGATIVE_INFINITY;
    for (let at = letter; at < text.length; at += 1) {
      const previous = row[at - 1] ?? Number.NEGATIVE_INFINITY;
      reach = Math.max(reach, previous);
      if (text[at] === letters[letter])
        next[at] = Math.max(reach + (gains[at] ?? 0), previous + Math.max(gains[at] ?? 0, 0.75));
      if (text[at - 1] === ' ') reach -= skipped(text, at - 1);
    }
    row = next;
  }
  let top = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < text.length; at += 1) {
    const here = row[at] ?? Number.NEGATIVE_INFINITY;
    if (here === Number.NEGATIVE_INFINITY) continue;
    // Words behind that of the last letter match no letter.
    const rest = text
      .slice(at)
      .split(' ')
      .slice(1)
      .filter((word) => !SMALL_WORDS.has(word)).length;
    top = Math.max(top, here - rest * 0.6);
  }
  return top === Number.NEGATIVE_INFINITY ? undefined : top / count;
}

/** The value of a letter at each place: 1 at the beginning of a word, less at that of a part, least inside. */
function placeGains(text: string): Float64Array {
  const gains = new Float64Array(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const before = at === 0 ? ' ' : (text[at - 1] ?? '');
    const isPart = /[-/,.–+]/.test(before);
    const isNumber = /\d/.test(text[at] ?? '') && !/\d/.test(before);
    gains[at] = before === ' ' ? 1 : isPart ? 0.95 : isNumber ? 0.9 : 0.35;
  }
  return gains;
}

/** The cost of skipping the word after a space; small words are nearly free. */
function skipped(text: string, space: number): number {
  return SMALL_WORDS.has(wordAt(text, space + 1)) ? 0.02 : 0.7;
}

function wordAt(text: string, start: number): string {
  const end = text.indexOf(' ', start);
  return text.slice(start, end === -1 ? undefined : end);
}
