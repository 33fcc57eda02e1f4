import { setImmediate } from 'node:timers/promises';

import { AppError, canonicalJson } from '../base/index.ts';
import type { DenseEngine } from '../parse/index.ts';
import { PASSAGE_ANALYSIS } from '../parse/index.ts';
import type { IndexManifest } from '../store/index.ts';
import { IndexRows } from '../store/index.ts';
import { bestOf, fitOf, fuse, highestOf, rankingOf, Spread } from './fusion.ts';
import type { Passage, SearchFilter } from './passage.ts';
import { filterKey, hiddenPlaces } from './passage.ts';
import type { Ranking } from './fusion.ts';
import { OpenedSegment, OpenedSegments } from './opened-segments.ts';
import { findingWeight, sectionWeights } from './section.ts';
import { dot } from './segment/dense.ts';
import { readFacet } from './segment/write-segment.ts';

/** What is searched with: words, meaning, or both. */
export type SearchMode = 'lexical' | 'dense' | 'hybrid';

/**
 * A passage found. Scores are comparable only within one search; `fit` says independently how well the passage answers.
 */
export interface Hit {
  readonly rank: number;
  readonly score: number;
  /** 0 to 1: the share of the question's words in the passage, weighted by rarity, or its semantic similarity. */
  readonly fit: number;
  /** How it can be found: only by words if it has no vectors yet. */
  readonly by: 'words' | 'meaning' | 'words and meaning';
  readonly passage: Passage;
}

export interface SearchOptions {
  readonly mode: SearchMode;
  readonly top: number;
  readonly filter?: SearchFilter;
  /** Hits with a lower fit are left out; 0 shows all. */
  readonly minFit?: number;
  /** Passages of one work that precede those of others; 2 by default. */
  readonly perWork?: number;
}

export interface OpenOptions {
  /** Up to this many vectors all are compared with a question; above, only those with near codes. */
  readonly exactRows?: number;
}

const BY = { dense: 'meaning', hybrid: 'words and meaning' } as const;
const EXACT_ROWS = 1_000_000;
/** How many rows with the nearest codes are compared exactly: many, because codes are coarse. */
const NEAR_ROWS = 4000;
const NEAR_WORDS = 1000;
const FILTERS_KEPT = 8;
/** How many times more passages are ranked than requested, so that other works are among them. */
const LOOKED_AT = 6;

/** An index opened for searching: a snapshot of its segments. */
export class SearchIndex implements Disposable {
  readonly manifest: IndexManifest;
  readonly #all: OpenedSegments;
  readonly #copies: ReadonlySet<string>;
  readonly #engine: DenseEngine | undefined;
  readonly #isCoded: boolean;
  readonly #hidden = new Map<string, readonly Uint32Array[]>();

  constructor(index: IndexRows, engine: DenseEngine | undefined, options: OpenOptions) {
    this.manifest = index.manifest;
    const { dense } = this.manifest;
    if (engine && dense && canonicalJson(engine.model) !== canonicalJson(dense.model)) {
      throw new AppError(
        'INDEX_MODEL',
        `the index was built with ${dense.model.name} (${dense.model.precision}), not with ${engine.model.name} (${engine.model.precision})`,
        { hint: 'search with that model, or embed everything again' },
      );
    }
    const rows = index.segments();
    const vectors = rows.reduce((sum, row) => sum + row.rows, 0);
    this.#isCoded = vectors > (options.exactRows ?? EXACT_ROWS);
    const kind = !engine || !dense ? 'none' : this.#isCoded ? 'coded' : 'exact';
    using opened = new DisposableStack();
    let base = 0;
    const segments = rows.map((row) => {
      const segment = opened.use(new OpenedSegment(index, row, { base, vectors: kind }));
      base += segment.passages;
      return segment;
    });
    const length = rows.reduce((sum, row) => sum + row.length, 0);
    this.#all = new OpenedSegments(segments, length, dense?.dimensions ?? 0);
    opened.move();
    this.#engine = kind === 'none' ? undefined : engine;
    this.#copies = index.copies();
  }

  /** The available modes: only words without vectors or a model to embed the query. */
  get modes(): readonly SearchMode[] {
    return this.#engine ? ['lexical', 'dense', 'hybrid'] : ['lexical'];
  }

  /** The documents that a filter accepts, sorted by name. */
  documents(accepts: (document: string) => boolean): string[] {
    return this.#all.segments
      .flatMap(({ documents }) => documents.map(({ id }) => id))
      .filter((id) => !this.#copies.has(id) && accepts(id))
      .sort();
  }

  /** The passages of a document, in reading order. */
  passagesOf(document: string): Passage[] {
    for (const segment of this.#all.segments) {
      const row = segment.documents.find(({ id }) => id === document);
      if (row) return Array.from({ length: row.count }, (_, at) => segment.passage(row.first + at));
    }
    return [];
  }

  /** The best passages for a question. */
  async search(query: string, options: SearchOptions, signal?: AbortSignal): Promise<Hit[]> {
    if (query.trim() === '') {
      throw new AppError('USAGE_QUESTION', 'the query is empty', {
        hint: 'enter a question or some words',
      });
    }
    const { top, mode, minFit = 0, perWork } = options;
    const ranked = await this.#ranked(query, { ...options, top: top * LOOKED_AT }, signal);
    const { places, scores } = this.#findingsFirst(query, ranked);
    const fit = fitOf(this.#all, query, ranked.vector);
    const spread = new Spread<Omit<Hit, 'rank'>>(top, perWork);
    for (const [at, place] of places.entries()) {
      const passage = this.#all.passage(place);
      const fits = fit(place, passage);
      if (fits < minFit) continue;
      const by = mode === 'lexical' || this.#all.vectors(place).length === 0 ? 'words' : BY[mode];
      if (spread.add(passage, { score: scores[at] ?? 0, fit: fits, by, passage })) break;
    }
    return spread.hits().map((hit, at) => ({ rank: at + 1, ...hit }));
  }

  /** If a question asks for a finding, each paper's passages that report findings precede its others. */
  #findingsFirst(query: string, ranking: Ranking): Ranking {
    const weight = findingWeight(query);
    if (!weight) return ranking;
    const found = Array.from(ranking.places, (place, at) => {
      const { document, text } = this.#all.passage(place);
      return { at, place, document, score: (ranking.scores[at] ?? 0) * weight(text) };
    });
    const places = Uint32Array.from(ranking.places);
    for (const own of Map.groupBy(found, ({ document }) => document).values())
      for (const [nth, { place }] of own.toSorted((a, b) => b.score - a.score).entries())
        places[own[nth]?.at ?? 0] = place;
    return { places, scores: ranking.scores };
  }

  /** Like `search`, but returns passage numbers without reading the passages. */
  async rank(query: string, options: SearchOptions, signal?: AbortSignal): Promise<Ranking> {
    const { places, scores } = await this.#ranked(query, options, signal);
    return { places, scores };
  }

  async #ranked(
    query: string,
    options: SearchOptions,
    signal: AbortSignal | undefined,
  ): Promise<Ranking & { readonly vector: Float32Array | undefined }> {
    const { mode, top, filter = {} } = options;
    const hidden = this.#hiddenBy(filter);
    const { segments } = this.#all;
    if (mode === 'lexical') {
      const words = withheld(this.#all.scoreWords(query), hidden, 0);
      weigh(words, this.#all, query);
      return { ...bestOf(segments, words, { top, above: 0 }), vector: undefined };
    }
    const [vector] = (await this.#engine?.embed([query], 'query', signal)) ?? [];
    if (!vector) {
      throw new AppError('INDEX_NOT_DENSE', 'this index can only be searched by words', {
        hint: 'search with --lexical, or install the model and embed the passages',
      });
    }
    const question = { query, vector, unrelated: dot(vector, this.#all.centroid), hidden };
    const ranking = this.#isCoded ? this.#rankCoded(question, options) : this.#rankExact(question, options);
    return { ...ranking, vector };
  }

  /** Compares the question with every vector. */
  #rankExact({ query, vector, unrelated, hidden }: Question, { mode, top }: SearchOptions): Ranking {
    const { segments } = this.#all;
    const dense = withheld(this.#all.scoreMeaning(vector, unrelated), hidden, -Infinity);
    if (mode === 'dense') return bestOf(segments, dense, { top, above: -Infinity });
    const fused = withheld(this.#all.scoreWords(query), hidden, 0);
    const add = fuse({ lexical: highestOf(fused, 0), dense: highestOf(dense, unrelated) }, unrelated);
    for (const [at, scores] of fused.entries()) {
      const meaning = dense[at] as Float32Array;
      for (let place = 0; place < scores.length; place += 1)
        scores[place] = add(scores[place] as number, meaning[place] as number);
    }
    weigh(fused, this.#all, query);
    return bestOf(segments, fused, { top, above: 0 });
  }

  /** Finds candidates by near codes and by words, then compares them exactly. */
  #rankCoded({ query, vector, unrelated, hidden }: Question, { mode, top }: SearchOptions): Ranking {
    const near = this.#all.nearest(vector, hidden, Math.max(NEAR_ROWS, top * 20));
    const dense = new Map(near.map((place) => [place, this.#all.denseScore(place, vector, unrelated)]));
    if (mode === 'dense')
      return rankingOf(
        Array.from(dense, ([place, score]) => ({ place, score })),
        top,
        -Infinity,
      );
    const words = withheld(this.#all.scoreWords(query), hidden, 0);
    for (const place of bestOf(this.#all.segments, words, { top: NEAR_WORDS, above: 0 }).places)
      if (!dense.has(place)) dense.set(place, this.#all.denseScore(place, vector, unrelated));
    const weights = this.#all.segments.map(({ passages }) => new Float32Array(passages).fill(1));
    weigh(weights, this.#all, query);
    const candidates = Array.from(dense, ([place, meaning]) => {
      const { at, local } = this.#all.locate(place);
      return { place, lexical: words[at]?.[local] ?? 0, meaning, weight: weights[at]?.[local] ?? 1 };
    });
    const add = fuse(
      {
        lexical: candidates.reduce((most, { lexical }) => Math.max(most, lexical), 0),
        dense: candidates.reduce((most, { meaning }) => Math.max(most, meaning), unrelated),
      },
      unrelated,
    );
    return rankingOf(
      candidates.map(({ place, lexical, meaning, weight }) => ({ place, score: weight * add(lexical, meaning) })),
      top,
      0,
    );
  }

  #hiddenBy(filter: SearchFilter): readonly Uint32Array[] {
    const key = filterKey(filter);
    const known = this.#hidden.get(key);
    if (known) return known;
    const found = this.#all.segments.map((segment) => hiddenPlaces(segment, filter, this.#copies));
    for (const oldest of this.#hidden.keys()) {
      if (this.#hidden.size < FILTERS_KEPT) break;
      this.#hidden.delete(oldest);
    }
    this.#hidden.set(key, found);
    return found;
  }

  [Symbol.dispose](): void {
    this.#all[Symbol.dispose]();
  }
}

/** A word in at most this many passages names the subject: they keep their full score in any section. */
const RARE = 3;
/** The same limit as one in so many passages, for small indexes, where every word is in few of them. */
const RARE_ONE_IN = 100;

/** Multiplies scores, by segment, by the weights of their sections for a question. */
function weigh(scores: readonly Float32Array[], all: OpenedSegments, question: string): void {
  const bySection = sectionWeights(question);
  if (Object.keys(bySection).length === 0) return;
  const weights = Float32Array.from({ length: 256 }, (_, facet) => bySection[readFacet(facet).section] ?? 1);
  const rare = all.rarePlaces(question, Math.min(RARE, Math.floor(all.passages / RARE_ONE_IN)));
  for (const [at, { facets }] of all.segments.entries()) {
    const own = scores[at] as Float32Array;
    const full = Array.from(rare[at] ?? [], (place) => [place, own[place] as number] as const);
    for (let place = 0; place < own.length; place += 1)
      own[place] = (own[place] as number) * (weights[facets[place] as number] as number);
    for (const [place, score] of full) own[place] = score;
  }
}

/** Sets the scores of hidden passages to the lowest. */
function withheld(scores: Float32Array[], hidden: readonly Uint32Array[], lowest: number): Float32Array[] {
  for (const [at, own] of scores.entries()) for (const place of hidden[at] ?? []) own[place] = lowest;
  return scores;
}

interface Question {
  readonly query: string;
  readonly vector: Float32Array;
  /** The mean similarity of all passages: the expected score of an unrelated one. */
  readonly unrelated: number;
  readonly hidden: readonly Uint32Array[];
}

/** The contents of a corpus folder's index. */
export function readManifest(folder: string): IndexManifest {
  using index = IndexRows.read(folder, PASSAGE_ANALYSIS);
  return index.manifest;
}

/** Opens the index of a corpus folder; with an engine also its vectors. */
export async function openIndex(folder: string, engine?: DenseEngine, options: OpenOptions = {}): Promise<SearchIndex> {
  for (let attempt = 1; ; attempt += 1) {
    // Frequent openers must not starve a writer in this process.
    await setImmediate();
    using index = IndexRows.read(folder, PASSAGE_ANALYSIS);
    try {
      return index.snapshot(() => new SearchIndex(index, engine, options));
    } catch (error) {
      // A merge may have replaced segments and removed their files meanwhile.
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isGone || attempt >= 10) throw error;
    }
  }
}
