import * as z from 'zod';

import type { CitedWork } from '../works/index.ts';
import { parseCrossrefRecord, validItems, yearOf } from '../works/index.ts';
import type { Lookups } from './lookups.ts';
import { problemsOf } from './lookups.ts';
import { isAboutAnother, nameWords, numbersIn, titleWords } from './same-work.ts';

export interface Candidate {
  readonly doi: string;
  readonly title: string;
  /** Family names where known, else whole names; first author first. */
  readonly authors: readonly string[];
  readonly year: number | null;
  readonly venue: string | null;
  readonly type: string | null;
}

export interface ScoredCandidate extends Candidate {
  /** 0 to 1, from title, authors and year as far as both sides have them. */
  readonly score: number;
  readonly isSameTitle: boolean;
  readonly hasAuthors: 'same' | 'other' | 'unknown';
}

const WEIGHTS = { title: 0.65, authors: 0.25, year: 0.1 } as const;
/** A title of fewer words proves nothing by itself. */
const FEWEST_WORDS = 4;
/** Factor for titles with different numbers: "part 2", "1998". */
const OTHER_NUMBER = 0.75;
/** Factor for a title about the other: "Correction to: …", "Comment on …". */
const ANOTHER_TEXT = 0.6;
const CLOSE = 0.03;
const MOST_WORDS = 100;

export function scoreCandidate(cited: CitedWork, candidate: Candidate): ScoredCandidate {
  const likeness =
    cited.title === null ? titleInLine(cited.text, candidate.title) : likeTitles(cited.title, candidate.title);
  const authors = compareNames(cited, candidate);
  const year = likeYears(cited, candidate.year);
  const parts = [
    [WEIGHTS.title, likeness],
    ...(authors === 'unknown' ? [] : [[WEIGHTS.authors, authors === 'same' ? 1 : 0] as const]),
    ...(year === null ? [] : [[WEIGHTS.year, year] as const]),
  ] as const;
  const weight = parts.reduce((sum, [each]) => sum + each, 0);
  const score = parts.reduce((sum, [each, value]) => sum + each * value, 0) / weight;
  return { ...candidate, score, isSameTitle: likeness === 1, hasAuthors: authors };
}

type TitleVerdict =
  | { readonly kind: 'accepted'; readonly candidate: ScoredCandidate; readonly candidates: readonly ScoredCandidate[] }
  | { readonly kind: 'doubtful'; readonly why: string; readonly candidates: readonly ScoredCandidate[] }
  | { readonly kind: 'none'; readonly candidates: readonly ScoredCandidate[] };

/**
 * Chooses among candidates: from `accept` one is taken unless something contradicts it; below `review` none is shown.
 */
export function chooseCandidate(
  cited: CitedWork,
  found: readonly Candidate[],
  { accept, review }: { readonly accept: number; readonly review: number },
): TitleVerdict {
  const candidates = [...new Map(found.map((each) => [each.doi, each])).values()]
    .map((each) => scoreCandidate(cited, each))
    .filter(({ score }) => score >= review)
    .toSorted((a, b) => b.score - a.score || Number(isPosted(a)) - Number(isPosted(b)));
  const [best, ...others] = candidates;
  if (!best) return { kind: 'none', candidates };
  const doubt = doubtIn(cited, best, others, accept);
  return doubt === undefined
    ? { kind: 'accepted', candidate: best, candidates }
    : { kind: 'doubtful', why: doubt, candidates };
}

function doubtIn(
  cited: CitedWork,
  best: ScoredCandidate,
  others: readonly ScoredCandidate[],
  accept: number,
): string | undefined {
  if (best.score < accept) return `the most similar title has a score of ${best.score.toFixed(2)}; ${accept} is needed`;
  if (best.hasAuthors === 'other') return 'the authors are others';
  if (best.hasAuthors === 'unknown' && titleWords(best.title).length < FEWEST_WORDS)
    return 'the title is short and no author is known';
  // A preprint and its article share title and authors: either is the work. Other works with the same title are not.
  const rival = others.find(
    (each) =>
      best.score - each.score < CLOSE &&
      !(each.isSameTitle && best.isSameTitle && (best.hasAuthors === 'same' || shareAuthor(each, best))),
  );
  if (rival) return `${rival.doi} is as likely`;
  if (cited.title === null && best.hasAuthors === 'unknown' && !isTitleAlone(cited.text, best))
    return 'the line names no author that it has';
  return undefined;
}

function shareAuthor(one: Candidate, other: Candidate): boolean {
  const [a, b] = [one, other].map(({ authors: [first] }) => nameWords(first ?? null).join(' '));
  return a !== '' && a === b;
}

function isPosted({ type }: Candidate): boolean {
  return type === 'preprint';
}

/** Share of common words, in order; a missing subtitle costs little. */
function likeTitles(one: string, other: string): number {
  const [a, b] = [titleWords(one), titleWords(other)];
  if (a.length === 0 || b.length === 0) return 0;
  if (a.join('') === b.join('')) return 1;
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  const shared = inOrder(a.slice(0, MOST_WORDS), b.slice(0, MOST_WORDS));
  const isPrefix = short.length >= FEWEST_WORDS && short.every((word, at) => word === long[at]);
  const likeness = Math.max((2 * shared) / (a.length + b.length), isPrefix ? 0.95 : 0);
  const unlike = [...short.filter((word) => !long.includes(word)), ...long.filter((word) => !short.includes(word))];
  return (
    likeness *
    (!isPrefix && numbersIn(short).join() !== numbersIn(long).join() ? OTHER_NUMBER : 1) *
    (unlike.some(isAboutAnother) ? ANOTHER_TEXT : 1)
  );
}

/** Number of common words in the same order: "the adult hippocampus" is not "adults and the hippocampus". */
function inOrder(a: readonly string[], b: readonly string[]): number {
  let above = Array.from({ length: b.length + 1 }, () => 0);
  for (const word of a) {
    const row = [0];
    for (const [at, other] of b.entries())
      row.push(word === other ? (above[at] ?? 0) + 1 : Math.max(above[at + 1] ?? 0, row[at] ?? 0));
    above = row;
  }
  return above[b.length] ?? 0;
}

/** Share of a title's word pairs that are adjacent in a line. */
function titleInLine(line: string, title: string): number {
  const [words, all] = [titleWords(title), titleWords(line)];
  if (words.length === 0) return 0;
  if (all.join('').includes(words.join(''))) return words.length < FEWEST_WORDS ? 0.9 : 1;
  const pairs = new Set(all.slice(1).map((word, at) => `${all[at] ?? ''} ${word}`));
  const wanted = words.slice(1).map((word, at) => `${words[at] ?? ''} ${word}`);
  if (wanted.length === 0) return 0;
  return wanted.filter((pair) => pairs.has(pair)).length / wanted.length;
}

/** Whether both have the first author, or half of the named authors. */
function compareNames(cited: CitedWork, candidate: Candidate): ScoredCandidate['hasAuthors'] {
  const theirs = candidate.authors
    .slice(0, 20)
    .map((name) => nameWords(name).toSorted((a, b) => b.length - a.length)[0] ?? '')
    .filter((word) => word !== '');
  if (theirs.length === 0) return 'unknown';
  const ours = new Set(
    (cited.title === null ? cited.text : cited.authors.slice(0, 20).join(' ')).split(/\s+/).flatMap(nameWords),
  );
  if (cited.title !== null && cited.authors.length === 0) return 'unknown';
  if (ours.has(theirs[0] ?? '')) return 'same';
  if (cited.title === null && isTitleAlone(cited.text, candidate)) return 'unknown';
  const shared = theirs.filter((name) => ours.has(name)).length;
  const named = cited.title === null ? theirs.length : Math.min(theirs.length, cited.authors.length);
  return shared >= Math.max(1, named / 2) ? 'same' : 'other';
}

/** What lines have beside names, title, venue and numbers. */
const FURNITURE = new Set(
  (
    'vol volume no nr issue pp pages page in of the and et al ed eds doi http https www org com pdf preprint article ' +
    'journal proceedings conference press available at from accepted published online'
  ).split(' '),
);
/** More other words may be names in lower case. */
const MOST_OTHER_WORDS = 1;

/** Whether a line has nothing but the title, venue and numbers of a candidate: then it names no author. */
function isTitleAlone(line: string, { title, venue }: Candidate): boolean {
  const known = new Set([...titleWords(title), ...titleWords(venue)]);
  const others = line
    .split(/\s+/)
    .flatMap((word) => titleWords(word).map((each) => ({ each, isName: /^[^\p{L}]*\p{Lu}\p{Ll}/u.test(word) })))
    .filter(({ each }) => /\p{L}/u.test(each) && each.length > 1 && !known.has(each) && !FURNITURE.has(each));
  return others.length <= MOST_OTHER_WORDS && !others.some(({ each, isName }) => isName || isAboutAnother(each));
}

function likeYears(cited: CitedWork, year: number | null): number | null {
  if (year === null) return null;
  // A line may contain several numbers that look like years: a volume, a page.
  const written =
    cited.year === null
      ? [...cited.text.slice(0, 2000).matchAll(/(?<!\d)(?:1[89]|20)\d\d(?!\d)/g)].map(([text]) => Number(text))
      : [cited.year];
  if (written.length === 0) return null;
  const apart = Math.min(...written.map((each) => Math.abs(each - year)));
  return apart === 0 ? 1 : apart === 1 ? 0.8 : apart === 2 ? 0.4 : 0;
}

const found = z.object({ message: z.object({ items: validItems(z.looseObject({ DOI: z.string() })) }) });

/** `away`: Crossref refused or failed. */
export type TitleFinding = TitleVerdict | { readonly kind: 'away'; readonly message: string };

interface TitleSearch {
  readonly lookups: Lookups;
  readonly contact: string | null;
  readonly accept: number;
  readonly review: number;
}

const ROWS = 5;
/** Bounds responses larger than requested. */
const MOST_ROWS = 50;
const LONGEST_QUERY = 500;
/** Selected fields, so that responses stay small (api.crossref.org/swagger-ui: select). */
const SELECT = 'DOI,title,subtitle,author,issued,container-title,type';

/** Matches titles, authors and years in one field (crossref.org/documentation: `query.bibliographic`). */
export async function findByTitle(cited: CitedWork, search: TitleSearch, signal?: AbortSignal): Promise<TitleFinding> {
  const { lookups, contact, accept, review } = search;
  const words =
    cited.title === null ? cited.text : [cited.title, cited.authors[0] ?? '', cited.year ?? ''].join(' ').trim();
  const parameters = {
    'query.bibliographic': words.slice(0, LONGEST_QUERY),
    rows: String(ROWS),
    select: SELECT,
    ...(contact !== null && { mailto: contact }),
  };
  const answer = await lookups.json({ service: 'crossref', path: 'works', parameters }, found, signal);
  if (answer.kind === 'missing') return { kind: 'none', candidates: [] };
  if (answer.kind !== 'found') {
    const [problem] = problemsOf('crossref', answer);
    return { kind: 'away', message: problem?.kind === 'problem' ? problem.message : 'no answer' };
  }
  return chooseCandidate(cited, answer.value.message.items.slice(0, MOST_ROWS).flatMap(candidateOf), {
    accept,
    review,
  });
}

function candidateOf(item: unknown): Candidate[] {
  const record = parseCrossrefRecord(item, '');
  if (!record) return [];
  const { ids, title, authors, venue, type } = record;
  if (ids.doi === null || title === null) return [];
  const names = authors.map(({ family, name }) => family ?? name);
  return [{ doi: ids.doi, title, authors: names, year: yearOf(record), venue, type }];
}
