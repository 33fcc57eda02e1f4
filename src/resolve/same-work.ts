import { wordsIn } from '../base/index.ts';
import type { Work } from '../works/index.ts';
import { normalizeDoi, plainText } from '../works/index.ts';

export interface StatedWork {
  readonly doi?: string | null | undefined;
  readonly title?: string | null | undefined;
  readonly authors?: readonly (string | null)[] | null | undefined;
}

export interface SameAs {
  readonly doi: string;
  readonly evidence: string;
}

/** A 'version' has its own DOI but the same title and authors; 'unstated' lacks any evidence. */
export type Sameness =
  | { readonly kind: 'same' }
  | { readonly kind: 'version'; readonly sameAs: SameAs }
  | { readonly kind: 'other'; readonly why: string }
  | { readonly kind: 'unstated' };

export function versionOf(sameness: Sameness): SameAs | null {
  return sameness.kind === 'version' ? sameness.sameAs : null;
}

const ABOUT_ANOTHER =
  /^(?:correction|corrections|corrigendum|erratum|errata|retraction|retracted|withdrawn|withdrawal|removal|addendum|comment|comments|reply|response|rebuttal|editorial|commentary|supplement|supplementary|supporting|part|volume|chapter)$/;

/** Whether a word in only one of two titles makes it a text about the other. */
export function isAboutAnother(word: string): boolean {
  return ABOUT_ANOTHER.test(word);
}

const ARTICLES = new Set(['a', 'an', 'the', 'on', 'die', 'der', 'das', 'le', 'la', 'les', 'el', 'los']);
/** A title of fewer words proves nothing by itself. */
const FEWEST_WORDS = 4;
/** Share of words two titles of one work have in common: editors change a word or two. */
const ENOUGH_WORDS = 0.8;
const MOST_AUTHORS = 20;

export function compareWork(work: Work, stated: StatedWork): Sameness {
  const doi = normalizeDoi(stated.doi ?? '') ?? null;
  const known = work.ids.doi;
  if (doi !== null && known !== null) {
    if (withoutVersion(doi) === withoutVersion(known)) return { kind: 'same' };
    const title = compareTitles(work.title, stated.title);
    if (title !== 'same')
      return { kind: 'other', why: `its DOI is ${doi} and its title ${title === 'other' ? 'another' : 'unknown'}` };
    const authors = compareAuthors(work.authors, stated.authors ?? []);
    if (authors === 'other') return { kind: 'other', why: `its DOI is ${doi} and its authors are others` };
    if (authors === 'unknown' && titleWords(work.title).length < 2 * FEWEST_WORDS)
      return { kind: 'other', why: `its DOI is ${doi}, its title short and its authors unknown` };
    const evidence = authors === 'same' ? 'title and authors agree' : 'title agrees, authors are not stated';
    return { kind: 'version', sameAs: { doi, evidence } };
  }
  const title = compareTitles(work.title, stated.title);
  if (title === 'same') {
    if (compareAuthors(work.authors, stated.authors ?? []) === 'other')
      return { kind: 'other', why: 'it has the title and other authors' };
    return { kind: 'same' };
  }
  return title === 'other' ? { kind: 'other', why: 'its title is another' } : { kind: 'unstated' };
}

/** A DOI without a repository's version suffix: `.v2`, `v2`, `_v2`, `/v2`. */
function withoutVersion(doi: string): string {
  return /^10\.(?:1101|64898|6084|31219|3123\d|48550|21203|20944|26434|12688|7910)\/|figshare|osf\.io/.test(doi)
    ? doi.replace(/[._/-]?v\d{1,3}$/, '')
    : doi;
}

/** Whether two titles name one work: the same words, a subtitle more or less, or a word or two changed. */
export function compareTitles(
  one: string | null | undefined,
  other: string | null | undefined,
): 'same' | 'other' | 'unknown' {
  const [a, b] = [titleWords(one), titleWords(other)];
  if (a.length === 0 || b.length === 0) return 'unknown';
  if (a.join('') === b.join('')) return 'same';
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (numbersIn(short).join() !== numbersIn(long).slice(0, numbersIn(short).length).join()) return 'other';
  const extra = [...short.filter((word) => !long.includes(word)), ...long.filter((word) => !short.includes(word))];
  if (extra.some(isAboutAnother)) return 'other';
  // One lacks the subtitle.
  if (short.length >= FEWEST_WORDS && short.every((word, at) => word === long[at])) return 'same';
  // Words before a title make another text: "Comment on …", "Data from: …".
  const before = long.slice(0, long.length - short.length);
  if (before.some((word) => !ARTICLES.has(word)) && short.every((word, at) => word === long[before.length + at]))
    return 'other';
  if (numbersIn(short).length !== numbersIn(long).length || short.length < FEWEST_WORDS) return 'other';
  const rest = [...long];
  let shared = 0;
  for (const word of short) {
    const at = rest.indexOf(word);
    if (at === -1) continue;
    rest.splice(at, 1);
    shared += 1;
  }
  return (2 * shared) / (short.length + long.length) >= ENOUGH_WORDS ? 'same' : 'other';
}

/** Whether two author lists belong to one work: half of the shorter one is in the other, by family name. */
function compareAuthors(ours: readonly string[], theirs: readonly (string | null)[]): 'same' | 'other' | 'unknown' {
  const [a, b] = [ours.slice(0, MOST_AUTHORS).map(nameWords), theirs.slice(0, MOST_AUTHORS).map(nameWords)].map(
    (list) => (list ?? []).filter((words) => words.length > 0),
  );
  if (!a || !b || a.length === 0 || b.length === 0) return 'unknown';
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  const shared = short.filter((name) => long.some((each) => isSamePerson(name, each))).length;
  return shared >= Math.max(1, short.length / 2) ? 'same' : 'other';
}

/** Name order varies between sources: the longest word of one must be in the other. */
function isSamePerson(one: readonly string[], other: readonly string[]): boolean {
  const key = (words: readonly string[]): string => words.toSorted((x, y) => y.length - x.length)[0] ?? '';
  return other.includes(key(one)) || one.includes(key(other));
}

/** The words of a name without initials. */
export function nameWords(name: string | null): string[] {
  return wordsIn(name ?? '').filter((word) => word.length > 1);
}

/** The words of a title, without punctuation, tags and entities. */
export function titleWords(title: string | null | undefined): string[] {
  return wordsIn(plainText(title?.slice(0, 1000)) ?? '');
}

/** The numbers among words, in Arabic or Roman numerals. */
export function numbersIn(words: readonly string[]): string[] {
  return words.filter((word) => /^(?:\d+|[ivx]{1,4})$/.test(word) && word !== 'i');
}
