import type { CitedWork } from './cited-work.ts';
import { firstPageOf, numberOf } from './cited-work.ts';
import { foldCase, lettersOf } from './letters.ts';
import type { PrintedReference } from './printed-reference.ts';
import { surnameOf } from './surname.ts';

/** How a printed reference and a work agree, point by point; undefined where the work has nothing to compare. */
export interface Agreement {
  /** 0 to 1: how much of the title stands in the reference in one piece. */
  readonly title: number | undefined;
  /** The title goes on in the reference where the work's ends, or has begun before. */
  readonly titleIsPart: boolean;
  /** The first author's family name opens the reference. */
  readonly firstAuthor: boolean;
  /** Share of the work's authors that are named, of those that a reference would print. */
  readonly authors: number;
  /** Words of the reference that neither the work's authors nor its journal explain: a title of another work has many. */
  readonly unexplained: number;
  readonly year: 'same' | 'near' | 'other' | undefined;
  readonly source: boolean | undefined;
  readonly volume: boolean | undefined;
  readonly page: boolean | undefined;
}

/** Compares a printed reference with a work. */
export function compare(reference: PrintedReference, work: CitedWork): Agreement {
  const title = work.title === null ? '' : lettersOf(work.title);
  const found = title === '' ? undefined : findTitle(reference, title);
  const surnames = work.authors.map(surnameOf).filter((name) => name !== '');
  const [first = ''] = surnames;
  const opening = reference.letters.slice(0, first.length + 12);
  const withoutArticle = first.startsWith('the') ? first.slice(3) : first;
  const printed = surnames.slice(0, 20);
  const named = printed.filter((name) => reference.letters.includes(name)).length;
  const page = firstPageOf(work.pages);
  const volume = numberOf(work.volume);
  return {
    title: found?.share,
    titleIsPart: found?.isPart ?? false,
    firstAuthor: first !== '' && (opening.includes(first) || opening.includes(withoutArticle)),
    authors: printed.length === 0 ? 0 : named / printed.length,
    unexplained: unexplainedWords(reference, work),
    year: yearOf(reference, work.year),
    source: sourceAgrees(reference, work.source, found),
    volume: volume === undefined ? undefined : reference.numbers.includes(volume),
    page: page === undefined ? undefined : pageAgrees(reference, page),
  };
}

interface FoundTitle {
  readonly share: number;
  readonly isPart: boolean;
  /** Where behind the title the letters go on. */
  readonly end: number;
}

function findTitle(reference: PrintedReference, title: string): FoundTitle {
  const { letters } = reference;
  const at = letters.indexOf(title);
  if (at < 0) {
    if (!resembles(title, letters)) return { share: 0, isPart: false, end: 0 };
    const { share, end } = nearest(title, letters);
    return { share, isPart: false, end };
  }
  const end = at + title.length;
  return { share: 1, isPart: goesOn(reference, end), end };
}

/** Whether enough short pieces of the title stand in the letters for an alignment to be worth its while. */
function resembles(title: string, letters: string): boolean {
  const length = 5;
  const pieces = Math.max(1, Math.floor(title.length / length));
  let found = 0;
  for (let at = 0; at + length <= title.length; at += length)
    if (letters.includes(title.slice(at, at + length))) found += 1;
  return found >= pieces * 0.4;
}

/** Whether words follow a title directly, where its end would be marked: then it is the beginning of a longer one. */
function goesOn({ text, places, letters }: PrintedReference, end: number): boolean {
  if (end >= letters.length) return false;
  const between = text.slice((places[end - 1] ?? 0) + 1, places[end] ?? text.length);
  return !/[.,;:?!"”“'’»()[\]\n]/.test(between) || /^\s*[:\u2013\u2014]\s/.test(between);
}

/** The part of `text` that is most like `pattern` (Sellers 1980): its share of equal letters and where it ends. */
function nearest(pattern: string, text: string): { readonly share: number; readonly end: number } {
  const rows = Math.min(pattern.length, 400);
  let above = new Uint16Array(text.length + 1);
  let current = new Uint16Array(text.length + 1);
  for (let row = 1; row <= rows; row += 1) {
    current[0] = row;
    const letter = pattern.charCodeAt(row - 1);
    for (let column = 1; column <= text.length; column += 1) {
      const exchanged = (above[column - 1] ?? 0) + (text.charCodeAt(column - 1) === letter ? 0 : 1);
      const moved = Math.min(above[column] ?? 0, current[column - 1] ?? 0) + 1;
      current[column] = Math.min(exchanged, moved);
    }
    [above, current] = [current, above];
  }
  let end = 0;
  for (let column = 1; column <= text.length; column += 1) if ((above[column] ?? 0) < (above[end] ?? 0)) end = column;
  return { share: rows === 0 ? 0 : 1 - (above[end] ?? 0) / rows, end };
}

function unexplainedWords({ words }: PrintedReference, work: CitedWork): number {
  const known = foldCase(`${work.authors.join(' ')} ${work.source ?? ''}`).match(/[\p{L}\p{N}]+/gu) ?? [];
  const telling = words.filter((word) => word.length > 3 && !/\d/.test(word));
  return telling.filter((word) => !known.some((name) => isShortFor(word, name))).length;
}

function yearOf({ years }: PrintedReference, year: number | null): Agreement['year'] {
  if (year === null || years.length === 0) return undefined;
  if (years.includes(year)) return 'same';
  return years.some((each) => Math.abs(each - year) <= 1) ? 'near' : 'other';
}

/** A first page is printed as it is, or without the letters that mark a kind of page. */
function pageAgrees({ numbers }: PrintedReference, page: string): boolean {
  if (numbers.includes(page)) return true;
  const bare = page.replace(/^\D+/, '');
  return bare !== page && bare.length >= 3 && numbers.some((number) => number.replace(/^\D+/, '') === bare);
}

const SMALL_WORDS: ReadonlySet<string> = new Set(
  'the of and for in on a an de la der die das und et des du le'.split(' '),
);

/**
 * Whether the words of a journal's name begin like words of the reference, in their order: "J. Neurosci." and "Journal of
 * Neuroscience" are one. Initials alone, as in PNAS, are the first letters of the name's words.
 */
function sourceAgrees(
  reference: PrintedReference,
  source: string | null,
  title: FoundTitle | undefined,
): boolean | undefined {
  if (source === null) return undefined;
  const names = (foldCase(source).match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !SMALL_WORDS.has(word));
  if (names.length === 0) return undefined;
  const full = lettersOf(source);
  const rest = title !== undefined && title.share > 0.9 ? reference.letters.slice(title.end) : reference.letters;
  if (full.length > 3 && rest.includes(full)) return true;
  const tail = title !== undefined && title.share > 0.9 ? wordsBehind(reference, title.end) : reference.words;
  const initials = names.map((word) => word[0] ?? '').join('');
  if (names.length > 2 && tail.includes(initials)) return true;
  for (let start = 0; start < tail.length; start += 1) {
    let at = start;
    let matched = 0;
    for (const name of names) {
      while (at < tail.length && SMALL_WORDS.has(tail[at] ?? '')) at += 1;
      const word = tail[at] ?? '';
      if (word === '' || !isShortFor(word, name)) break;
      matched += 1;
      at += 1;
    }
    // An abbreviation printed in the work's own record is met from the other side.
    if (matched === names.length && (names.length > 1 || (tail[start] ?? '').length > 3)) return true;
  }
  return false;
}

function isShortFor(word: string, name: string): boolean {
  if (name.startsWith(word) || word.startsWith(name)) return true;
  // Contractions keep the first letters and the last: "natl", "intl", "assn".
  return word.length >= 4 && name[0] === word[0] && isSubsequence(word, name);
}

function isSubsequence(word: string, name: string): boolean {
  let at = 0;
  for (const letter of name) if (letter === word[at]) at += 1;
  return at === word.length;
}

function wordsBehind(reference: PrintedReference, end: number): readonly string[] {
  const from = reference.places[end] ?? reference.text.length;
  return foldCase(reference.text.slice(from)).match(/[\p{L}\p{N}]+/gu) ?? [];
}
