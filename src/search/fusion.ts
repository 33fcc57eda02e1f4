import { passageTerms, questionTerms, withoutAmountWords } from '../parse/index.ts';
import type { Passage } from './passage.ts';
import type { OpenedSegments } from './opened-segments.ts';

/** Equal weights: neither ranking is known to be better for a given question. */
const DENSE_SHARE = 0.5;

/** The best results of a search: passage numbers, best first, with their scores. */
export interface Ranking {
  readonly places: Uint32Array;
  readonly scores: Float32Array;
}

/**
 * Convex fusion: normalises both scores and adds them. Each is scaled from the score of an unrelated passage (lexical:
 * 0; dense: `unrelated`, the mean similarity of the collection) to the best score; lower dense scores count as 0.
 */
export function fuse(
  highest: { readonly lexical: number; readonly dense: number },
  unrelated: number,
): (lexical: number, dense: number) => number {
  const lexicalFactor = (1 - DENSE_SHARE) / (highest.lexical || 1);
  const denseFactor = DENSE_SHARE / (highest.dense - unrelated || 1);
  return (lexical, dense) => lexical * lexicalFactor + Math.max(0, dense - unrelated) * denseFactor;
}

/** The highest scores above a bound; ties go to the earlier passage. */
export function rankingOf(
  scored: readonly { readonly place: number; readonly score: number }[],
  top: number,
  above: number,
): Ranking {
  const sorted = scored
    .filter(({ score }) => score > above)
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, top);
  return {
    places: Uint32Array.from(sorted, ({ place }) => place),
    scores: Float32Array.from(sorted, ({ score }) => score),
  };
}

/**
 * The best passages above a bound over several segments, given each segment's scores and its first passage number; ties
 * go to the earlier passage.
 */
export function bestOf(
  segments: readonly { readonly base: number }[],
  scores: readonly Float32Array[],
  { top, above }: { readonly top: number; readonly above: number },
): Ranking {
  // Sorted, best first. After a few thousand passages hardly any is better than the last one here.
  const best: { readonly place: number; readonly score: number }[] = [];
  let bound = top === 0 ? Infinity : above;
  for (const [segment, { base }] of segments.entries()) {
    const own = scores[segment] as Float32Array;
    for (let at = 0; at < own.length; at += 1) {
      const score = own[at] as number;
      if (!(score > bound)) continue;
      let [low, high] = [0, best.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((best[middle]?.score ?? 0) < score) high = middle;
        else low = middle + 1;
      }
      best.splice(low, 0, { place: base + at, score });
      if (best.length > top) best.pop();
      if (best.length === top) bound = best.at(-1)?.score ?? above;
    }
  }
  return rankingOf(best, top, above);
}

/** The highest score, or `least` if that is higher. */
export function highestOf(scores: readonly Float32Array[], least: number): number {
  let highest = least;
  for (const each of scores)
    for (let at = 0; at < each.length; at += 1) if ((each[at] as number) > highest) highest = each[at] as number;
  return highest;
}

/** Default number of passages of one work that precede those of others. */
const PER_WORK = 2;
/**
 * Documents with equal titles of at least this many letters are versions of one work; shorter titles may be equal by
 * chance.
 */
const TELLING_TITLE = 30;

/**
 * Chooses the hits to show from hits in rank order: only the first version of a work, and at most a few passages per
 * work before those of others. Further passages of the same works fill up the list.
 */
export class Spread<T> {
  readonly #top: number;
  readonly #perWork: number;
  readonly #first: T[] = [];
  readonly #rest: T[] = [];
  readonly #ofWork = new Map<string, number>();
  readonly #versions = new Map<string, string>();

  constructor(top: number, perWork = PER_WORK) {
    this.#top = top;
    this.#perWork = perWork;
  }

  /** Adds a hit; true when the list is full. */
  add({ document, title }: Pick<Passage, 'document' | 'title'>, hit: T): boolean {
    const name = title.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
    const version = name.length < TELLING_TITLE ? document : (this.#versions.get(name) ?? document);
    this.#versions.set(name, version);
    if (version !== document) return false;
    const count = (this.#ofWork.get(document) ?? 0) + 1;
    this.#ofWork.set(document, count);
    (count > this.#perWork ? this.#rest : this.#first).push(hit);
    return this.#first.length >= this.#top;
  }

  hits(): T[] {
    return [...this.#first, ...this.#rest].slice(0, this.#top);
  }
}

/** Weight of semantic similarity when most words of the question are not in the index. */
const UNKNOWN_SHARE = 0.4;
/** Share of known words, weighted by rarity, below which a question is about something not in the index. */
const MOSTLY_KNOWN = 0.25;

/**
 * How well a passage answers a question, independent of other passages: the share of the question's words that it
 * contains, weighted by rarity, or its semantic similarity, whichever is higher. Similarity counts less if most of the
 * question's words are not in the index: a passage about another drug is similar to a question about metformin without
 * answering it.
 */
export function fitOf(
  segments: OpenedSegments,
  query: string,
  vector: Float32Array | undefined,
): (place: number, passage: Passage) => number {
  const rarity = new Map<readonly string[], number>();
  let [total, known] = [0, 0];
  const words = questionTerms(withoutAmountWords(query), (term) => segments.frequency(term) > 0);
  for (const terms of new Map(words.map((each) => [each.join(' '), each])).values()) {
    const frequency = terms.reduce((sum, term) => sum + segments.frequency(term), 0);
    const weight = segments.rarity(frequency);
    rarity.set(terms, weight);
    total += weight;
    if (frequency > 0) known += weight;
  }
  const share = known < MOSTLY_KNOWN * total ? UNKNOWN_SHARE : 1;
  return (place, { text, title, headings }) => {
    const own = new Set(passageTerms(text, [title, ...headings]));
    let covered = 0;
    for (const [terms, weight] of rarity) if (terms.some((term) => own.has(term))) covered += weight;
    const shared = total === 0 ? 0 : covered / total;
    const meaning = vector ? share * segments.denseScore(place, vector, 0) : 0;
    return Math.min(1, Math.max(shared, meaning, 0));
  };
}
