import { align } from './abbreviation-alignment.ts';

/** A short form and the long form that a text gives for it, by their places in the text. */
export interface Abbreviation {
  readonly short: Span;
  readonly long: Span;
  /** 0 to 1: how well the letters of the short form stand in the long one. */
  readonly score: number;
}

/** A stretch of a text. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export const ABBREVIATION_VERSION = 1;

/** Nothing longer is an abbreviation. */
const LONGEST_SHORT = 20;
const LONGEST_INSIDE = 240;

/** Finds abbreviations that a text explains: "long form (LF)", "LF (long form)", "(long form, LF)". */
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

/** Every bracket with what stands in it, brackets inside brackets as well; the inner ones first. */
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

/** "long form (LF)", "long form (see there; LF)", "(long form, LF)": a part of the remark is the short form. */
function shortInside(text: string, open: number, inside: string): Abbreviation[] {
  const found: Abbreviation[] = [];
  const parts = [...inside.matchAll(/[^,;:=]+/g)].slice(0, 6);
  // A short form may hold a comma or a bracket itself: "Fru-2,6-P(2)".
  const wholes = /^\S{4,20}$/.test(inside.trim()) && /[,;:]/.test(inside) ? [{ 0: inside, index: 0 }] : [];
  for (const [number, part] of [...wholes, ...parts].entries()) {
    const lead = INTRODUCED.exec(part[0])?.[0].length ?? 0;
    const short = part[0].slice(lead).replace(/(?<!["'”’\s])["'”’\s]+$/, '');
    const start = open + 1 + part.index + lead;
    if (short.length === 1 && inside.trim() !== short) continue;
    if (!isShortForm(short) || (number > wholes.length && !isCapital(short))) continue;
    const inFront = align(short, before(text, open));
    const within =
      part.index > 0 ? align(short, [{ text: inside.slice(0, part.index - 1), start: open + 1 }]) : undefined;
    const long = within && (!inFront || within.score > inFront.score) ? within : inFront;
    if (!long) continue;
    found.push({
      short: { start, end: start + short.length, text: short },
      long: { start: long.start, end: long.end, text: text.slice(long.start, long.end) },
      score: long.score - (number > wholes.length ? 0.05 : 0),
    });
  }
  return found;
}

function isCapital(text: string): boolean {
  return text.length >= 2 && /^[\p{L}\p{N}-]+$/u.test(text) && (text.match(/\p{Lu}/gu) ?? []).length >= 2;
}

/** "LF (long form)": the word before the remark is the short form, and the remark begins with its long form. */
function shortBefore(text: string, open: number, inside: string): Abbreviation[] {
  const at = open + 1;
  const match = /(?<![\p{L}\p{N}/-])(?<short>[\p{L}\p{N}][\p{L}\p{N}\-/&.+]{0,14})\s?$/u.exec(
    text.slice(Math.max(0, open - 40), open),
  );
  const short = match?.groups?.['short'];
  if (short === undefined || !isShortForm(short) || !/\p{Lu}.{0,14}[\p{Lu}\d]|\p{Ll}\p{Lu}/u.test(short)) return [];
  const words = /^[^,;:=]+/.exec(inside)?.[0].trimEnd() ?? '';
  if (words.split(/[\s-]+/).length < 2) return [];
  const long = align(short, [{ text: words, start: at + (inside.length - inside.trimStart().length) }], {
    whole: true,
  });
  if (!long) return [];
  const start = open - (match?.[0].length ?? 0);
  return [
    {
      short: { start, end: start + short.length, text: short },
      long: { start: long.start, end: long.end, text: text.slice(long.start, long.end) },
      score: long.score,
    },
  ];
}

/** A short form has few words and characters, a letter, and begins with a letter or a digit. */
function isShortForm(text: string): boolean {
  if (text.length < 2 || text.length > LONGEST_SHORT) return /^\p{Lu}$/u.test(text);
  if (!/^[\p{L}\p{N}]/u.test(text) || !/\p{L}/u.test(text)) return false;
  const words = text.split(/\s+/);
  if (words.length > 2) return false;
  // A word of small letters is a word; an abbreviation has a capital, or mixes letters with digits.
  return /\p{Lu}|\d/u.test(text) || text.length <= 5;
}

/** The sentence in front of a remark, at most so many characters of it. */
function before(text: string, open: number): { readonly text: string; readonly start: number }[] {
  const from = Math.max(0, open - 300);
  const part = text.slice(from, open);
  const sentence = [...part.matchAll(/[.!?;]\s+(?=[\p{Lu}\d])|[()[\]]|;\s/gu)].at(-1);
  const start = sentence ? sentence.index + sentence[0].length : 0;
  return [{ text: part.slice(start), start: from + start }];
}
