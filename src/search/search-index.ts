import { AppError, canonicalJson } from '../base/index.ts';
import type { DenseEngine } from '../parse/index.ts';
import { BM25, indexedLanguages, passageTerms, questionTerms, withoutAmountWords } from '../parse/index.ts';
import type { Candidate, IndexManifest, IndexReader, IndexSnapshot, SearchFilter, WantedTerm } from './index-reader.ts';
import type { Passage } from './passage.ts';
import { askedSections, findingWeight, sectionWeights } from './section.ts';
import { dot } from './segment/vectors.ts';

export type SearchMode = 'lexical' | 'dense' | 'hybrid';

type FoundBy = 'words' | 'meaning' | 'words and meaning';

/** Scores are comparable only within one search; `fit` is absolute. */
export interface Hit {
  readonly rank: number;
  readonly score: number;
  /** 0 to 1: the share of the question's words in the passage, weighted by rarity, or its semantic similarity. */
  readonly fit: number;
  /** How it can be found: only by words if it has no vectors yet. */
  readonly by: FoundBy;
  readonly passage: Passage;
}

export interface SearchOptions {
  readonly mode: SearchMode;
  readonly top: number;
  readonly filter?: SearchFilter;
  /** Hits with a lower fit are left out; 0 shows all. */
  readonly minFit?: number;
}

export const SEARCHED_BY = { lexical: 'words', dense: 'meaning', hybrid: 'words and meaning' } as const;
/** How many of the nearest passages are compared exactly: one in so many, within limits. */
const NEAR_ONE_IN = 250;
const NEAR_ROWS = { least: 1_000, most: 4_000 };
const NEAR_WORDS = 1000;
/** How many times more passages are ranked than requested: those of other versions of a work are left out. */
const LOOKED_AT = 3;

/** Refuses an engine whose vectors cannot be compared with those of an index. */
export function checkModel({ dense }: IndexManifest, engine: DenseEngine | undefined): void {
  if (!engine || !dense || canonicalJson(engine.model) === canonicalJson(dense.model)) return;
  const [indexed, given] = [dense.model, engine.model];
  throw new AppError(
    'INDEX_MODEL',
    `the index was built with ${indexed.name} (${indexed.precision}), not with ${given.name} (${given.precision})`,
    { hint: 'search with that model, or embed everything again' },
  );
}

/** How often a question is asked when what it is answered from was replaced meanwhile. */
const MOST_SWITCHES = 3;

/** Ranks the passages of an index, which may be files or tables of a server. */
export class SearchIndex implements AsyncDisposable {
  readonly manifest: IndexManifest;
  readonly #reader: IndexReader;
  readonly #engine: DenseEngine | undefined;

  /** Owns the reader. With an engine it also searches by meaning. */
  constructor(reader: IndexReader, engine: DenseEngine | undefined) {
    this.manifest = reader.manifest;
    this.#reader = reader;
    this.#engine = this.manifest.dense ? engine : undefined;
  }

  /** The available modes: only words without vectors or a model to embed the query. */
  get modes(): readonly SearchMode[] {
    return this.#engine ? ['lexical', 'dense', 'hybrid'] : ['lexical'];
  }

  /** The accepted documents, sorted by name. */
  async documents(accepts: (document: string) => boolean): Promise<string[]> {
    return (await this.#reader.documents()).filter(accepts);
  }

  /** The passages of a document, in their order. */
  passagesOf(document: string): Promise<readonly Passage[]> {
    return this.#reader.passagesOf(document);
  }

  async search(query: string, options: SearchOptions, signal?: AbortSignal): Promise<Hit[]> {
    if (query.trim() === '') {
      throw new AppError('USAGE_QUESTION', 'the query is empty', {
        hint: 'enter a question or some words',
      });
    }
    const { top, mode, minFit = 0 } = options;
    return await this.#onOneIndex(async (isLast) => {
      const { snapshot, ranked, candidates, languages, unrelated } = await this.#ranked(
        query,
        { ...options, top: top * LOOKED_AT },
        signal,
      );
      const passages = await snapshot.read(ranked.map(({ place }) => place));
      if (passages.size < ranked.length && !isLast)
        throw new AppError('INDEX_REPLACED', 'documents were replaced meanwhile', { hint: 'try again' });
      const fitOfPassage = fitOf(snapshot, questionTerms(withoutAmountWords(query), languages));
      // One after the other, until there are enough: the fit takes longer than everything else here.
      const hits = findingsFirst(query, ranked, passages)
        .values()
        .flatMap(({ place, score }) => {
          const [passage, candidate] = [passages.get(place), candidates.get(place)];
          if (!passage || !candidate) return [];
          // A server may have replaced a document after the filter was applied.
          if (options.filter?.documents?.accepts(passage.document) === false) return [];
          const by = foundBy(mode, candidate, unrelated);
          return [{ score, fit: fitOfPassage(passage, candidate.similarity), by, passage }];
        });
      const enough = hits.filter(({ fit }) => fit >= minFit);
      return firstVersions(enough, top).map((hit, at) => ({ rank: at + 1, ...hit }));
    });
  }

  /** Like `search`, but returns passage numbers without reading the passages. */
  async rank(query: string, options: SearchOptions, signal?: AbortSignal): Promise<readonly Scored[]> {
    return (await this.#onOneIndex(() => this.#ranked(query, options, signal))).ranked;
  }

  /** A new index, or new passages of a document, may replace the old ones at any time: then the question is asked again. */
  async #onOneIndex<T>(answer: (isLast: boolean) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await answer(attempt >= MOST_SWITCHES);
      } catch (error) {
        const isSwitched = error instanceof AppError && error.code === 'INDEX_REPLACED';
        if (!isSwitched || attempt >= MOST_SWITCHES) throw error;
      }
    }
  }

  /** The index with the frequencies of the words of a query, and the languages of its passages. */
  async #snapshotFor(query: string) {
    const markers: string[] = [];
    indexedLanguages((marker) => {
      markers.push(marker);
      return false;
    });
    const snapshot = await this.#reader.snapshot([...markers, ...questionTerms(query, []).flat()]);
    const languages = indexedLanguages((marker) => snapshot.frequency(marker) > 0);
    if (languages.length === 0) return { snapshot, languages };
    return { snapshot: await this.#reader.snapshot(questionTerms(query, languages).flat()), languages };
  }

  /** Candidates are found by near codes and by words, then compared exactly. */
  async #ranked(query: string, { mode, top, filter = {} }: SearchOptions, signal: AbortSignal | undefined) {
    const vector = mode === 'lexical' ? undefined : await this.#vectorOf(query, signal);
    const { snapshot, languages } = await this.#snapshotFor(query);
    const { passages, centroid } = snapshot;
    const sections = filter.sections ?? askedSections(query);
    const unrelated = vector ? dot(vector, centroid) : 0;
    const words = wantedWords(snapshot, questionTerms(query, languages));
    const share = Math.min(NEAR_ROWS.most, passages / NEAR_ONE_IN);
    const found = await snapshot.candidates({
      filter: sections ? { ...filter, sections } : filter,
      terms: mode === 'dense' ? [] : words.flatMap(termsOf),
      byWords: mode === 'dense' ? 0 : Math.max(NEAR_WORDS, top),
      near: vector && { vector, count: Math.max(NEAR_ROWS.least, Math.ceil(share), top * 20) },
    });
    const bySection = sectionWeights(query);
    const weightOf = ({ section, isRare }: Candidate): number => (isRare ? 1 : (bySection[section] ?? 1));
    const byWords = (): Scored[] =>
      found
        .map((each) => ({ place: each.place, score: weightOf(each) * each.lexical }))
        .filter(({ score }) => score > 0)
        .sort(bestFirst);
    const byMeaning = (): Scored[] =>
      found.map(({ place, similarity }) => ({ place, score: similarity ?? unrelated })).sort(bestFirst);
    const related = (): Scored[] => byMeaning().filter(({ score }) => score > unrelated);
    const ranked =
      mode === 'lexical'
        ? byWords()
        : mode === 'dense'
          ? byMeaning()
          : fuse([wordRanking(byWords(), words), { ranked: related(), unrelated, weight: 1 }]).sort(bestFirst);
    const candidates = new Map(found.map((each) => [each.place, each]));
    return { snapshot, ranked: ranked.slice(0, top), candidates, languages, unrelated };
  }

  async #vectorOf(query: string, signal: AbortSignal | undefined): Promise<Float32Array> {
    const [vector] = (await this.#engine?.embed([query], 'query', signal)) ?? [];
    if (vector) return vector;
    throw new AppError('INDEX_NOT_DENSE', 'this index can only be searched by words', {
      hint: 'search with --lexical, or install the model and embed the passages',
    });
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#reader[Symbol.asyncDispose]();
  }
}

/** Which of the two puts a passage among the hits: a hybrid search finds some by one of them only. */
function foundBy(mode: SearchMode, { hasVector, lexical, similarity }: Candidate, unrelated: number): FoundBy {
  if (!hasVector) return 'words';
  if (mode !== 'hybrid' || (lexical > 0 && (similarity ?? unrelated) > unrelated)) return SEARCHED_BY[mode];
  return lexical > 0 ? 'words' : 'meaning';
}

/** A word in at most this many passages names the subject: they keep their full score in any section. */
const RARE = 3;
/** The same limit as one in so many passages, for small indexes, where every word is in few of them. */
const RARE_ONE_IN = 100;

/** A word of a question: what it is called in each language of the index, and what it counts. */
interface WantedWord {
  readonly terms: readonly string[];
  readonly weight: number;
  readonly isRare: boolean;
}

/** The words of a question, each by how rare it is. */
function wantedWords(snapshot: IndexSnapshot, words: readonly (readonly string[])[]): WantedWord[] {
  const most = Math.min(RARE, Math.floor(snapshot.passages / RARE_ONE_IN));
  return [...Map.groupBy(words, (terms) => terms.join(' ')).values()].map((same) => {
    const [terms = []] = same;
    // The rarity of a word counts all languages: a few passages in another language must not make it rare.
    const frequency = frequencyOf(snapshot, terms);
    return { terms, weight: same.length * rarityOf(frequency, snapshot.passages), isRare: frequency <= most };
  });
}

/** A passage has one language, so it contains at most one of a word's terms. */
function termsOf({ terms, weight, isRare }: WantedWord): WantedTerm[] {
  return terms.map((term) => ({ term, weight, isRare }));
}

/** How many passages have a word in any language. */
function frequencyOf(snapshot: IndexSnapshot, terms: readonly string[]): number {
  return terms.reduce((sum, term) => sum + snapshot.frequency(term), 0);
}

function rarityOf(frequency: number, passages: number): number {
  return Math.log(1 + (passages - frequency + 0.5) / (frequency + 0.5));
}

/** If a question asks for a finding, each paper's passages that report findings precede its others. */
function findingsFirst(
  query: string,
  ranked: readonly Scored[],
  passages: ReadonlyMap<number, Passage>,
): readonly Scored[] {
  const weight = findingWeight(query);
  if (!weight) return ranked;
  const found = ranked.flatMap(({ place, score }, at) => {
    const passage = passages.get(place);
    return passage ? [{ at, place, document: passage.document, score: score * weight(passage.text) }] : [];
  });
  const places = ranked.map(({ place }) => place);
  for (const own of Map.groupBy(found, ({ document }) => document).values())
    for (const [nth, { place }] of own.toSorted((a, b) => b.score - a.score).entries())
      places[own[nth]?.at ?? 0] = place;
  return ranked.map(({ score }, at) => ({ place: places[at] ?? 0, score }));
}

/** How slowly ranks lose weight. Small: a passage that one ranking puts first is among the first of both. */
const RANK_OFFSET = 10;

/** A passage by its place in the snapshot, and its score. */
export interface Scored {
  readonly place: number;
  readonly score: number;
}

/** A ranking to join. */
interface Ranking {
  readonly ranked: readonly Scored[];
  /** The score of an unrelated passage. */
  readonly unrelated: number;
  /** How much the ranking counts, 0 to 1. */
  readonly weight: number;
}

/** The share of a question's words, by rarity, from which a passage has them for the question, and not by chance. */
const TELLING_SHARE = 0.2;

/**
 * A ranking by words counts less if even its best passage has few of the question's words. Then the question is in other
 * words than the papers', and what the passages share with it is chance.
 */
function wordRanking(ranked: readonly Scored[], words: readonly WantedWord[]): Ranking {
  const most = (BM25.k1 + 1) * words.reduce((sum, { weight }) => sum + weight, 0);
  const share = most === 0 ? 1 : (ranked[0]?.score ?? 0) / most;
  return { ranked, unrelated: 0, weight: Math.min(1, share / TELLING_SHARE) };
}

/**
 * Joins rankings. Each adds the mean of a passage's score, scaled from that of an unrelated passage to the best one, and of
 * its reciprocal rank. Scores alone let chance words decide a question in other words than the paper's; ranks alone treat
 * a close match like a distant one.
 */
function fuse(rankings: readonly Ranking[]): Scored[] {
  const scores = new Map<number, number>();
  for (const { ranked, unrelated, weight } of rankings) {
    const best = (ranked[0]?.score ?? 0) - unrelated || 1;
    for (const [at, { place, score }] of ranked.entries()) {
      const added = (score - unrelated) / best + RANK_OFFSET / (RANK_OFFSET + at);
      scores.set(place, (scores.get(place) ?? 0) + (weight * added) / (2 * rankings.length));
    }
  }
  return Array.from(scores, ([place, score]) => ({ place, score }));
}

/** Ties go to the earlier passage. */
export function bestFirst(one: Scored, other: Scored): number {
  return other.score - one.score || one.place - other.place;
}

/** Documents with equal titles this long are versions of one work; shorter titles may be equal by chance. */
const TELLING_TITLE = 30;

/** The first `top` passages without those of other versions of a work. */
function firstVersions<T extends { readonly passage: Passage }>(hits: Iterable<T>, top: number): T[] {
  const found: T[] = [];
  const versions = new Map<string, string>();
  for (const hit of hits) {
    if (found.length >= top) break;
    const { document, title } = hit.passage;
    const name = title.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
    const version = name.length < TELLING_TITLE ? document : (versions.get(name) ?? document);
    versions.set(name, version);
    if (version === document) found.push(hit);
  }
  return found;
}

/** Weight of semantic similarity when most words of the question are not in the index. */
const UNKNOWN_SHARE = 0.4;
/** Share of known words, weighted by rarity, below which a question is about something not in the index. */
const MOSTLY_KNOWN = 0.25;

/**
 * The share of the question's words in a passage, weighted by rarity, or its similarity. That counts less if most words
 * are unknown: a passage about another drug is similar to a question about metformin without answering it.
 */
function fitOf(
  snapshot: IndexSnapshot,
  words: readonly (readonly string[])[],
): (passage: Passage, similarity: number | undefined) => number {
  const rarity = new Map<readonly string[], number>();
  let [total, known] = [0, 0];
  for (const terms of new Map(words.map((each) => [each.join(' '), each])).values()) {
    const frequency = frequencyOf(snapshot, terms);
    const weight = rarityOf(frequency, snapshot.passages);
    rarity.set(terms, weight);
    total += weight;
    if (frequency > 0) known += weight;
  }
  const share = known < MOSTLY_KNOWN * total ? UNKNOWN_SHARE : 1;
  return ({ text, title, headings }, similarity = 0) => {
    const own = new Set(passageTerms(text, [title, ...headings]));
    let covered = 0;
    for (const [terms, weight] of rarity) if (terms.some((term) => own.has(term))) covered += weight;
    const shared = total === 0 ? 0 : covered / total;
    return Math.min(1, Math.max(shared, share * similarity, 0));
  };
}
