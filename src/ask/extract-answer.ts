import type { CitedHit } from '../corpus/index.ts';
import { analyse, sectionOfHeading } from '../parse/index.ts';
import type { Candidate, FoundBy, Reader } from '../reader/index.ts';
import { candidatesOf } from '../reader/index.ts';
import { askedSections } from '../search/index.ts';
import type { AnswerQuote, AnswerSentence } from './check-answer.ts';
import { quoteAt } from './check-answer.ts';
import { rowSentence } from './row-sentence/index.ts';

/** Passages that are read before the reader asks itself whether it is sure. */
const PASSAGES_AT_A_TIME = 12;
/** Sentences with a much lower score than the best one are left out. */
const NEAR_BEST = 0.3;

/** A candidate of a passage and how well it answers, 0 to 1. */
export interface ScoredCandidate {
  readonly hit: CitedHit;
  readonly candidate: Candidate;
  readonly score: number;
}

interface ReadOptions {
  /** Candidates of some of the passages that were read before, for the same question. */
  readonly known?: readonly ScoredCandidate[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads the sentences and table rows of passages, the first passages first, until the reader is sure or all are read.
 * The best candidates come first; a sentence that a paper has twice is read once.
 */
export async function readCandidates(
  reader: Reader,
  question: string,
  passages: readonly CitedHit[],
  { known = [], signal }: ReadOptions = {},
): Promise<ScoredCandidate[]> {
  const isOneByOne = Number.isFinite(reader.sure);
  // Rules compare candidates with each other: more candidates change all scores.
  const scored: ScoredCandidate[] = isOneByOne ? [...known] : [];
  const foundBy = placesInSearch(passages);
  const keyOf = (hit: CitedHit, candidate: Candidate): string => `${hit.passage.document} ${candidate.text}`;
  const seen = new Set(scored.map(({ hit, candidate }) => keyOf(hit, candidate)));
  const asksBackMatter = askedSections(question) !== undefined;
  const weightOf = ({ text }: Candidate): number => (asksBackMatter || !isBackMatter(text) ? 1 : BACK_MATTER);
  const atATime = isOneByOne ? PASSAGES_AT_A_TIME : passages.length;
  for (let from = 0; from < passages.length; from += atATime) {
    const read = passages.slice(from, from + atATime).flatMap((hit) =>
      candidatesOf(hit.passage, foundBy(hit)).flatMap((candidate) => {
        const key = keyOf(hit, candidate);
        if (seen.has(key)) return [];
        seen.add(key);
        return [{ hit, candidate }];
      }),
    );
    const scores = await reader.score(
      question,
      read.map(({ candidate }) => candidate),
      signal,
    );
    scored.push(...read.map((each, at) => ({ ...each, score: (scores[at] ?? 0) * weightOf(each.candidate) })));
    if (scored.some(({ score }) => score >= reader.sure)) break;
  }
  return scored.sort((one, other) => other.score - one.score);
}

/** The weight of statements on funding, interests or abbreviations for questions about something else. */
const BACK_MATTER = 0.6;

/** Whether a sentence has the name of such a part before it: "Funding: The authors received none." */
function isBackMatter(text: string): boolean {
  const label = /^([\p{L}’' -]{3,40}?)(?::\s|\u2002)/u.exec(text)?.[1];
  return label !== undefined && sectionOfHeading(label) === 'back';
}

/** How slowly the weight of a place falls, and how many passages of a paper count for it. */
const PLACE_OFFSET = 10;
const PASSAGES_OF_PAPER = 5;

/** The place of each passage and of its paper among the passages found, from 1 down to 0. */
function placesInSearch(passages: readonly CitedHit[]): (hit: CitedHit) => FoundBy {
  const weight = new Map(passages.map((hit, at) => [hit, PLACE_OFFSET / (PLACE_OFFSET + at)]));
  const papers = Map.groupBy(passages, ({ passage }) => passage.document);
  const sums = new Map(
    papers.entries().map(([document, own]) => {
      const first = own.slice(0, PASSAGES_OF_PAPER);
      return [document, first.reduce((sum, hit) => sum + (weight.get(hit) ?? 0), 0)];
    }),
  );
  const most = Math.max(...sums.values());
  return (hit) => ({ passage: weight.get(hit) ?? 0, paper: (sums.get(hit.passage.document) ?? 0) / most });
}

/** The passages in the order of their best candidates; what was not read stays behind, in its order. */
export function byBestCandidate(passages: readonly CitedHit[], scored: readonly ScoredCandidate[]): CitedHit[] {
  const read = new Set(scored.map(({ hit }) => hit));
  return [...read, ...passages.filter((hit) => !read.has(hit))].map((hit, at) => ({ ...hit, rank: at + 1 }));
}

/** Most quotes of one sentence. */
const MOST_QUOTES = 3;
/** "In short, ", "Overall, ": introductory words that say nothing of their own. */
const OPENING = /^(?:\p{L}{1,20} ){0,2}\p{L}{1,20}, /u;
const DENIAL = /\b(?:no|not|none|neither|nor|without|never|cannot)\b|n['’]t\b/gi;

/** The candidates that answer, as sentences with themselves as quotes; none if the best is below `least`. */
export function answerSentences(
  scored: readonly ScoredCandidate[],
  { most, least }: { readonly most: number; readonly least: number },
): AnswerSentence[] {
  return (scored[0]?.score ?? 0) < least ? [] : bestSentences(scored, most);
}

/**
 * The best candidates, whether or not they answer. What a paper says twice, as in its abstract and its results, is one
 * sentence with both places.
 */
export function bestSentences(scored: readonly ScoredCandidate[], most: number): AnswerSentence[] {
  const best = scored[0]?.score ?? 0;
  const sentences: AnswerSentence[] = [];
  for (const { hit, candidate, score } of scored) {
    if (score <= 0 || score < NEAR_BEST * best || sentences.length === most) break;
    const quote = quoteAt(hit, candidate);
    const said = sentences.find(({ quotes: [first] }) => first && repeats(quote, first));
    if (!said) sentences.push({ text: quote.row ? rowSentence(quote.row) : quote.text, fit: score, quotes: [quote] });
    else if (said.quotes.length < MOST_QUOTES) said.quotes.push(quote);
  }
  return sentences;
}

/** Whether a sentence has no word or number that another sentence of its paper has not, and denies as often. */
function repeats(quote: AnswerQuote, other: AnswerQuote): boolean {
  if (quote.row || other.row || quote.document !== other.document) return false;
  const [said, known] = [quote, other].map(({ text }) => ({
    words: new Set([...analyse(text.replace(OPENING, '')), ...(text.match(/\d+(?:[.,]\d+)*/g) ?? [])]),
    denials: text.match(DENIAL)?.length ?? 0,
  }));
  return (
    said !== undefined &&
    known !== undefined &&
    said.words.size > 0 &&
    said.denials === known.denials &&
    said.words.isSubsetOf(known.words)
  );
}
