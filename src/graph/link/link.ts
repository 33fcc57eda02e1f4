import { foldCase, lettersOf, sha256, wordsIn } from '../../base/index.ts';
import type { EdgeStatement, NodeStatement, TextPlace } from '../schema.ts';
import { RANK, thousandths } from '../schema.ts';
import { parseReference, referenceLabel } from './parse-reference.ts';
import type { CitedWork } from './parse-reference.ts';

/** Raised when the same reference and works give another answer. */
export const LINK_VERSION = 3;

export interface Link<T> {
  readonly work: T;
  /** 0 to 1: how well the fields agree. */
  readonly score: number;
  readonly agreement: Agreement;
}

/** The work that a printed reference cites; undefined when none matches well enough, or two match equally. */
export function linkReference<T>(
  reference: PrintedReference,
  candidates: Iterable<readonly [T, CitedWork]>,
): Link<T> | undefined {
  let best: Link<T> | undefined;
  let tied = false;
  for (const [work, known] of candidates) {
    const agreement = compare(reference, known);
    const score = judge(agreement, known);
    if (score === 0) continue;
    if (best && Math.abs(score - best.score) < 0.005) tied = true;
    else if (!best || score > best.score) {
      best = { work, score, agreement };
      tied = false;
    }
  }
  return tied ? undefined : best;
}

/** Shorter titles are not enough alone: "Reply", "Introduction", "Editorial comment". */
const TELLING_TITLE = 22;
/** Share of equal letters in a misprinted title; another title of the same authors has less. */
const SAME_TITLE = 0.9;

/** Words that may be authors missing in the record; a title has more. */
const UNTITLED_WORDS = 2;

/** 0 when the reference does not match the work, else a score. */
function judge(agreement: Agreement, work: CitedWork): number {
  const { title = 0, firstAuthor, authors, year, source, volume, page } = agreement;
  if (year === 'other') return 0;
  const places = (volume === true ? 1 : 0) + (page === true ? 1 : 0);
  const against =
    (volume === false ? 1 : 0) + (page === false ? 1 : 0) + (year === 'near' ? 0.5 : 0) + (source === false ? 0.5 : 0);
  if (title >= SAME_TITLE) {
    const telling = (work.title ?? '').length >= TELLING_TITLE;
    if (!firstAuthor && authors < 0.5 && !(places === 2 && source === true)) return 0;
    if (agreement.titleIsPart && places < 2) return 0;
    if (!telling && places === 0) return 0;
    // The second part of a series has nearly the title of the first, and other pages.
    if (title < 1 && page === false) return 0;
    if (title < 0.97 && places === 0 && !(firstAuthor && year === 'same')) return 0;
    return clamp(
      0.6 +
        0.1 * title +
        0.05 * (firstAuthor ? 1 : 0) +
        0.08 * places +
        0.05 * (source === true ? 1 : 0) -
        0.06 * against,
    );
  }
  // Without a title, volume and pages decide together with the authors.
  const sure = clamp(0.6 + 0.15 * authors + 0.05 * places + (source === true ? 0.1 : 0) - 0.06 * against);
  if (places === 2)
    return (firstAuthor && (source !== false || authors >= 0.4)) || (authors >= 0.6 && source === true) ? sure : 0;
  // The record has no page, or another one (an article number, the first page of its PDF): everything else must match.
  const team = authors >= 0.7 && work.authors.length > 1 && agreement.unexplained <= UNTITLED_WORDS;
  return firstAuthor && team && year === 'same' && source === true && volume !== false && page !== true ? sure : 0;
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0.01, value));
}

/** How a printed reference and a work agree, field by field; undefined where the work lacks the field. */
interface Agreement {
  /** 0 to 1: how much of the title is in the reference in one piece. */
  readonly title: number | undefined;
  /** The title in the reference is longer than the work's. */
  readonly titleIsPart: boolean;
  readonly firstAuthor: boolean;
  /** Share of the work's authors that are named, of those that a reference would print. */
  readonly authors: number;
  /** How many words neither authors nor journal explain: many if the title is another work's. */
  readonly unexplained: number;
  readonly year: 'near' | 'other' | 'same' | undefined;
  readonly source: boolean | undefined;
  readonly volume: boolean | undefined;
  readonly page: boolean | undefined;
}

function compare(reference: PrintedReference, work: CitedWork): Agreement {
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

type FoundTitle = ReturnType<typeof findTitle>;

function findTitle(reference: PrintedReference, title: string) {
  const { letters } = reference;
  const at = letters.indexOf(title);
  if (at < 0) return { ...(resembles(title, letters) ? nearest(title, letters) : { share: 0, end: 0 }), isPart: false };
  const end = at + title.length;
  return { share: 1, isPart: goesOn(reference, end), end };
}

/** Whether enough short pieces of the title occur for an alignment to be worth its cost. */
function resembles(title: string, letters: string): boolean {
  const length = 5;
  const pieces = Math.max(1, Math.floor(title.length / length));
  let found = 0;
  for (let at = 0; at + length <= title.length; at += length)
    if (letters.includes(title.slice(at, at + length))) found += 1;
  return found >= pieces * 0.4;
}

/** Whether the title in the reference continues: no punctuation marks its end. */
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
  const known = wordsIn(`${work.authors.join(' ')} ${work.source ?? ''}`);
  const telling = words.filter((word) => word.length > 3 && !/\d/.test(word));
  return telling.filter((word) => !known.some((name) => isShortFor(word, name))).length;
}

function yearOf({ years }: PrintedReference, year: number | null): 'same' | 'near' | 'other' | undefined {
  if (year === null || years.length === 0) return undefined;
  if (years.includes(year)) return 'same';
  return years.some((each) => Math.abs(each - year) <= 1) ? 'near' : 'other';
}

/** Compares first pages, also without the letters that mark a kind of page. */
function pageAgrees({ numbers }: PrintedReference, page: string): boolean {
  if (numbers.includes(page)) return true;
  const bare = page.replace(/^\D+/, '');
  return bare !== page && bare.length >= 3 && numbers.some((number) => number.replace(/^\D+/, '') === bare);
}

const SMALL_WORDS: ReadonlySet<string> = new Set(
  'the of and for in on a an de la der die das und et des du le'.split(' '),
);

/** Compares the beginnings of words in order ("J. Neurosci."), or initials (PNAS) with the name. */
function sourceAgrees(
  reference: PrintedReference,
  source: string | null,
  title: FoundTitle | undefined,
): boolean | undefined {
  if (source === null) return undefined;
  const names = wordsIn(source).filter((word) => !SMALL_WORDS.has(word));
  if (names.length === 0) return undefined;
  const full = lettersOf(source);
  const from = title !== undefined && title.share > 0.9 ? title.end : 0;
  if (full.length > 3 && reference.letters.includes(full, from)) return true;
  const tail = from === 0 ? reference.words : wordsIn(reference.text.slice(reference.places[from] ?? Infinity));
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
    // An abbreviation in the work's record is matched the other way round.
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

/** The first page or the article number, without leading zeros: "578-588" is 578, "e15784" stays. */
function firstPageOf(pages: string | null): string | undefined {
  const first = /[a-z]{0,4}\d+/i.exec(pages ?? '')?.[0].toLowerCase();
  return first?.replace(/^0+(?=\d)/, '');
}

export function workKeys(work: CitedWork): Set<string> {
  const keys = new Set<string>();
  const surname = surnameOf(work.authors[0] ?? '');
  const page = firstPageOf(work.pages);
  const volume = numberOf(work.volume);
  if (work.title !== null) for (const row of fingerprints(lettersOf(work.title))) keys.add(`t:${row}`);
  if (volume !== undefined && page !== undefined) keys.add(`n:${volume}:${page}`);
  if (surname !== '' && page !== undefined) keys.add(`p:${page}:${surname}`);
  if (surname !== '' && work.year !== null) keys.add(`a:${work.year}:${surname}`);
  return keys;
}

/** The first number of a volume such as "17(3)" or "B 12". */
function numberOf(volume: string | null): string | undefined {
  return /\d+/.exec(volume ?? '')?.[0].replace(/^0+(?=\d)/, '');
}

const LONGEST = 3_000;

/** What is compared of a reference as it is printed. */
export interface PrintedReference {
  readonly text: string;
  /** Its letters and digits, and where each stands in the text. */
  readonly letters: string;
  readonly places: Int32Array;
  readonly numbers: readonly string[];
  readonly years: readonly number[];
  /** In lower case; words broken at the end of a line are joined. */
  readonly words: readonly string[];
}

export function readPrintedReference(source: string): PrintedReference {
  const text = source.slice(0, LONGEST).replace(/^\s*(?:\[\d{1,4}\]|\(\d{1,4}\)|\d{1,4}\.?(?=\s))\s*/, '');
  const { letters, places } = lettersWithPlaces(text);
  const folded = foldCase(text).replace(/[-\u00ad\u2010]\s*\n?\s+/g, '');
  const numbers = [...folded.matchAll(/(?<![a-z0-9])[a-z]{1,4}\d+|(?<!\d)\d+/g)].map(([number]) =>
    number.replace(/^0+(?=\d)/, ''),
  );
  return {
    text,
    letters,
    places,
    numbers,
    years: numbers.filter((number) => /^(?:1[5-9]|20)\d\d$/.test(number)).map(Number),
    words: folded.match(/[\p{L}\p{N}]+/gu) ?? [],
  };
}

/** Keys of the works that a reference may cite; the counterpart of `workKeys`. */
export function referenceKeys(reference: PrintedReference): Set<string> {
  const keys = new Set<string>();
  for (const row of fingerprints(reference.letters)) keys.add(`t:${row}`);
  const { numbers, years } = reference;
  for (let at = 0; at < Math.min(numbers.length, 40); at += 1)
    for (let next = at + 1; next <= Math.min(at + 2, numbers.length - 1); next += 1)
      keys.add(`n:${numbers[at] ?? ''}:${numbers[next] ?? ''}`);
  const names = leadingNames(reference.text);
  for (const name of names) {
    for (const year of years) for (const shift of [-1, 0, 1]) keys.add(`a:${year + shift}:${name}`);
    for (const number of numbers.slice(0, 40)) if (number.length > 2) keys.add(`p:${number}:${name}`);
  }
  return keys;
}

/** Possible names of the first author: the first words of the entry, alone and joined. */
function leadingNames(text: string): string[] {
  const words = foldCase(text.slice(0, 80))
    .replace(/[-\u2010\u2011]\s*\n\s*/g, '')
    .split(/[^\p{L}'’\-\u2010]+/u)
    .map((word) => word.replace(/[^\p{L}]/gu, ''))
    .filter((word) => word.length > 0)
    .slice(0, 5);
  const names = new Set<string>();
  for (let at = 0; at < Math.min(words.length, 4); at += 1)
    for (let end = at + 1; end <= Math.min(at + (at === 0 ? 3 : 2), words.length); end += 1) {
      const name = words.slice(at, end).join('');
      if (name.length > 1) names.add(name);
    }
  return [...names];
}

/** Links a reference without an identifier to a candidate, else to a work known only by its printed text. */
export function resolveReference(
  reference: { readonly node: string; readonly work: string; readonly text: string; readonly place: TextPlace },
  candidates: readonly (readonly [id: string, work: CitedWork])[],
): { readonly nodes: readonly NodeStatement[]; readonly edges: readonly EdgeStatement[] } {
  const { node, work, text, place } = reference;
  const link = linkReference(readPrintedReference(text), candidates);
  const printed = link ? undefined : printedWork(text);
  const target = link?.work ?? printed?.id ?? '';
  const evidence = {
    place,
    method: link ? 'reference-match' : 'reference-print',
    version: LINK_VERSION,
    score: link ? thousandths(link.score) : 1,
    detail: link ? { ...link.agreement, title: thousandths(link.agreement.title ?? 0) } : {},
  };
  return {
    nodes: printed ? [printed] : [],
    edges: [
      { source: node, kind: 'resolves_to', target, evidence },
      { source: work, kind: 'cites', target, evidence },
    ],
  };
}

/** A work known only by its printed reference: equal author, year and title (or place) make one work. */
function printedWork(text: string): NodeStatement {
  const { label: _label, ...parsed } = parseReference(text);
  const what =
    lettersOf(parsed.title ?? '') || `${lettersOf(parsed.source ?? '')}/${parsed.volume ?? ''}/${parsed.pages ?? ''}`;
  const known = parsed.authors.length > 0 && parsed.year !== null && what.length > 4;
  const print = known ? `${lettersOf(parsed.authors[0] ?? '')}/${parsed.year ?? ''}/${what}` : lettersOf(text);
  return {
    id: `work:printed:${sha256(print).slice(0, 24)}`,
    kind: 'work',
    label: referenceLabel(parsed, text),
    year: parsed.year,
    rank: RANK.guess,
    data: { ...parsed } satisfies CitedWork,
  };
}

export function citedWorkOf(data: string): CitedWork {
  const nothing = { title: null, authors: [], year: null, source: null, volume: null, pages: null };
  return { ...nothing, ...(JSON.parse(data) as Partial<CitedWork>) };
}

function lettersWithPlaces(text: string): { readonly letters: string; readonly places: Int32Array } {
  const parts: string[] = [];
  const places: number[] = [];
  let at = 0;
  for (const character of text) {
    const folded = lettersOf(character);
    if (folded !== '') {
      parts.push(folded);
      for (let each = 0; each < folded.length; each += 1) places.push(at);
    }
    at += character.length;
  }
  return { letters: parts.join(''), places: Int32Array.from(places) };
}

const GRAM = 9;
/** The least of so many hashes is chosen: texts that share GRAM + WINDOW - 1 letters share a fingerprint. */
const WINDOW = 18;

/** Winnowing (Schleimer, Wilkerson, Aiken 2003): texts with a long stretch in common share a fingerprint. */
function fingerprints(letters: string): Set<string> {
  const rows = letters.length - GRAM + 1;
  const chosen = new Set<string>();
  if (rows < 1) return chosen;
  const hashes = new Uint32Array(rows);
  for (let at = 0; at < rows; at += 1) hashes[at] = hashOf(letters, at);
  const windows = Math.max(1, rows - WINDOW + 1);
  let last = -1;
  for (let start = 0; start < windows; start += 1) {
    let least = start;
    for (let at = start + 1; at < Math.min(rows, start + WINDOW); at += 1)
      if ((hashes[at] ?? 0) <= (hashes[least] ?? 0)) least = at;
    if (least !== last) chosen.add(letters.slice(least, least + GRAM));
    last = least;
  }
  return chosen;
}

/** FNV-1a of one n-gram. */
function hashOf(letters: string, from: number): number {
  let value = 0x81_1c_9d_c5;
  for (let at = from; at < from + GRAM; at += 1) value = Math.imul(value ^ letters.charCodeAt(at), 0x01_00_01_93);
  return value >>> 0;
}

/** Initials behind a family name, as Vancouver style and PubMed print them: "LJ", "J.-P.", "A B". */
const TRAILING_INITIALS = /^(?<family>.*\S)\s+(?:(?:\p{Lu}\p{Ll}?[.-]{0,2}\s?){1,4})(?:\s+(?:Jr|Sr|II|III|IV)\.?)?$/u;
const SUFFIX = /(?<![,\s])[,\s]+(?:Jr|Sr|II|III|IV|PhD|MD)\.?$/u;
const PARTICLES: ReadonlySet<string> = new Set(
  'van von der den de del della di da dos das du la le les el al ben bin ibn ter ten zu zum zur af av st san mac'.split(
    ' ',
  ),
);

/** The letters of an author's family name, in either order of names; empty when there is none. */
function surnameOf(author: string): string {
  const name = author.trim().replace(SUFFIX, '');
  const comma = name.indexOf(',');
  if (comma > 0) return lettersOf(name.slice(0, comma));
  const words = name.split(/\s+/);
  const last = words.at(-1) ?? '';
  // "Seidman LJ": the last word is initials; "Lee Wu" is a given name and a family name.
  if (words.length > 1 && /^(?:\p{Lu}[.-]?){1,4}$/u.test(last) && last !== name.toUpperCase()) {
    const family = TRAILING_INITIALS.exec(name)?.groups?.['family'] ?? words.slice(0, -1).join(' ');
    return lettersOf(withoutInitials(family));
  }
  let start = words.length - 1;
  while (start > 1 && PARTICLES.has(foldCase(words[start - 1] ?? ''))) start -= 1;
  return lettersOf(words.slice(start).join(' '));
}

function withoutInitials(family: string): string {
  const words = family.split(/\s+/);
  while (words.length > 1 && /^(?:\p{Lu}[.-]?){1,3}$/u.test(words.at(-1) ?? '')) words.pop();
  return words.join(' ');
}
