import { setImmediate } from 'node:timers/promises';

import { AppError, canonicalJson } from '../base/index.ts';
import type { DenseEngine } from '../parse/index.ts';
import type { IndexManifest } from './catalogue.ts';
import { Catalogue } from './catalogue.ts';
import { fitOf } from './fit.ts';
import type { SearchFilter } from './filter.ts';
import { filterKey, hiddenPlaces } from './filter.ts';
import type { Candidate, Fusion, Ranking } from './fusion.ts';
import {
  bestPlaces,
  bestVector,
  FEEDBACK_PASSAGES,
  feedbackDepth,
  fuseCandidates,
  fuseRanks,
  rankingOf,
  RRF_DEPTH,
  scaleOf,
  widened,
} from './fusion.ts';
import { OpenedSegment } from './open-segment.ts';
import { OpenedSegments } from './opened-segments.ts';
import type { Passage } from './passage.ts';
import { dot } from './segment/dense.ts';

/** What is searched with: words, meaning, or both. */
export type SearchMode = 'lexical' | 'dense' | 'hybrid';

/** A passage found. Scores are only comparable within one search; `fit` says by itself how far the passage answers. */
export interface Hit {
  readonly rank: number;
  readonly score: number;
  /** 0 to 1: the share of the question's words that the passage has, rare ones counting more, or how near it is in meaning. */
  readonly fit: number;
  /** By what it could be found: a passage whose vectors are not made yet, by its words alone. */
  readonly by: 'words' | 'meaning' | 'words and meaning';
  readonly passage: Passage;
}

export interface SearchOptions {
  readonly mode: SearchMode;
  readonly top: number;
  readonly filter?: SearchFilter;
  /** Hits that fit less are left out; 0 leaves out none. */
  readonly minFit?: number;
  /** How a hybrid search joins both scores; `convex` with feedback unless told otherwise. */
  readonly fusion?: Fusion;
  readonly feedback?: boolean;
}

export interface OpenOptions {
  /** Up to so many vectors every one of them is compared with a question; above, those whose codes are near. */
  readonly exactRows?: number;
}

const BY = { dense: 'meaning', hybrid: 'words and meaning' } as const;
const EXACT_ROWS = 1_000_000;
/** Rows whose codes are nearest are compared exactly: many more than are asked for, because a code is coarse. */
const NEAR_ROWS = 4000;
const NEAR_WORDS = 1000;
const FILTERS_KEPT = 8;

/** An index opened for searching: its segments as they were at that moment. */
export class SearchIndex implements Disposable {
  readonly manifest: IndexManifest;
  readonly #all: OpenedSegments;
  readonly #copies: ReadonlySet<string>;
  readonly #engine: DenseEngine | undefined;
  readonly #isCoded: boolean;
  readonly #hidden = new Map<string, readonly Uint32Array[]>();

  constructor(catalogue: Catalogue, engine: DenseEngine | undefined, options: OpenOptions) {
    this.manifest = catalogue.manifest;
    const { dense } = this.manifest;
    if (engine && dense && canonicalJson(engine.model) !== canonicalJson(dense.model)) {
      throw new AppError(
        'INDEX_MODEL',
        `the index was made with ${dense.model.name} (${dense.model.precision}), not with ${engine.model.name} (${engine.model.precision})`,
        { hint: 'search with the model of the index, or embed everything anew' },
      );
    }
    const rows = catalogue.segments();
    const vectors = rows.reduce((sum, row) => sum + row.rows, 0);
    this.#isCoded = vectors > (options.exactRows ?? EXACT_ROWS);
    const kind = !engine || !dense ? 'none' : this.#isCoded ? 'coded' : 'exact';
    using opened = new DisposableStack();
    let base = 0;
    const segments = rows.map((row) => {
      const segment = opened.use(new OpenedSegment(catalogue, row, { base, vectors: kind }));
      base += segment.passages;
      return segment;
    });
    const length = rows.reduce((sum, row) => sum + row.length, 0);
    this.#all = new OpenedSegments(segments, length, dense?.dimensions ?? 0);
    opened.move();
    this.#engine = kind === 'none' ? undefined : engine;
    this.#copies = catalogue.copies();
  }

  /** The modes that can be asked for: without vectors or a model to embed the query, words alone. */
  get modes(): readonly SearchMode[] {
    return this.#engine ? ['lexical', 'dense', 'hybrid'] : ['lexical'];
  }

  /** The best passages for a question. */
  async search(query: string, options: SearchOptions, signal?: AbortSignal): Promise<Hit[]> {
    if (query.trim() === '') {
      throw new AppError('USAGE_QUESTION', 'there is nothing to search for', {
        hint: 'ask a question, or give some words',
      });
    }
    const { vector, places, scores } = await this.#ranked(query, options, signal);
    const fit = fitOf(this.#all, query, vector);
    return Array.from(places, (place, at) => {
      const passage = this.#all.passage(place);
      const by: Hit['by'] =
        options.mode === 'lexical' || this.#all.vectors(place).length === 0 ? 'words' : BY[options.mode];
      return { score: scores[at] ?? 0, fit: fit(place, passage), by, passage };
    })
      .filter((hit) => hit.fit >= (options.minFit ?? 0))
      .map((hit, at) => ({ rank: at + 1, ...hit }));
  }

  /** The same by places in the index, without reading the passages. */
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
    if (mode === 'lexical') {
      this.#all.scoreWords(query);
      for (const [at, { wordScores }] of this.#all.segments.entries())
        for (const place of hidden[at] ?? []) wordScores[place] = 0;
      return { ...this.#all.bestWords(top), vector: undefined };
    }
    const [vector] = (await this.#engine?.embed([query], 'query', signal)) ?? [];
    if (!vector) {
      throw new AppError('INDEX_NOT_DENSE', 'this index can only be searched by words here', {
        hint: 'search with --lexical, or install the model and embed the passages',
      });
    }
    // From here on nothing waits: scores lie in memory that another search would overwrite.
    const unrelated = dot(vector, this.#all.centroid);
    const ranking = this.#isCoded
      ? this.#rankCoded({ query, vector, unrelated, hidden }, options)
      : this.#rankExact({ query, vector, unrelated, hidden }, options);
    return { ...ranking, vector };
  }

  /** Every vector is compared; sums of both scores are found by the kernel, segment by segment. */
  #rankExact(question: Question, { mode, top, fusion, feedback }: SearchOptions): Ranking {
    const { query, vector, unrelated, hidden } = question;
    const exact = this.#all.segments.flatMap((segment, at) =>
      segment.vectors.kind === 'exact'
        ? [{ segment, index: segment.vectors.index, hidden: hidden[at] ?? new Uint32Array() }]
        : [],
    );
    const dense = exact.map(({ index }) => index.score(vector, unrelated));
    if (mode === 'hybrid') this.#all.scoreWords(query);
    for (const { index, hidden: places } of exact) index.hide(places);
    const bestDense = (count: number): Ranking =>
      rankingOf(
        exact.flatMap(({ segment: { base } }, at) =>
          bestPlaces(dense[at] as Float32Array, base, { top: count, above: -Infinity }),
        ),
        count,
        -Infinity,
      );
    if (mode === 'dense') return bestDense(top);
    if (fusion === 'rrf') return fuseRanks([this.#all.bestWords(RRF_DEPTH), bestDense(RRF_DEPTH)], top);
    const highest = exact.map(({ index }) => index.highest(unrelated));
    const scale = scaleOf(
      {
        lexical: Math.max(0, ...highest.map(({ lexical }) => lexical)),
        dense: Math.max(unrelated, ...highest.map((each) => each.dense)),
      },
      unrelated,
    );
    const depth = feedback === false ? top : feedbackDepth(top);
    const first = rankingOf(
      exact.flatMap(({ segment: { base }, index }) =>
        index.bestFused(scale, depth).map(({ place, score }) => ({ place: base + place, score })),
      ),
      depth,
      0,
    );
    return feedback === false ? first : this.#withFeedback(first, question, top);
  }

  /** Codes say which vectors may be near; words say which passages besides. Those are compared exactly. */
  #rankCoded(question: Question, { mode, top, fusion, feedback }: SearchOptions): Ranking {
    const { query, vector, unrelated, hidden } = question;
    const near = this.#all.nearest(vector, hidden, Math.max(NEAR_ROWS, top * 20));
    const dense = new Map(near.map((place) => [place, this.#all.denseScore(place, vector, unrelated)]));
    const byMeaning = (count: number): Ranking =>
      rankingOf(
        Array.from(dense, ([place, score]) => ({ place, score })),
        count,
        -Infinity,
      );
    if (mode === 'dense') return byMeaning(top);
    this.#all.scoreWords(query);
    for (const [at, { wordScores }] of this.#all.segments.entries())
      for (const place of hidden[at] ?? []) wordScores[place] = 0;
    const words = this.#all.bestWords(NEAR_WORDS);
    if (fusion === 'rrf') return fuseRanks([words, byMeaning(RRF_DEPTH)], top);
    for (const place of words.places)
      if (!dense.has(place)) dense.set(place, this.#all.denseScore(place, vector, unrelated));
    const candidates: Candidate[] = Array.from(dense, ([place, score]) => ({
      place,
      lexical: this.#all.wordScore(place),
      dense: score,
    }));
    const depth = feedback === false ? top : feedbackDepth(top);
    const first = fuseCandidates(candidates, unrelated, depth);
    return feedback === false ? first : this.#withFeedback(first, question, top);
  }

  /**
   * Moves the question towards its first answers and scores the best candidates once more. Only hybrid answers come here:
   * words and meaning having agreed on them is what makes the first answers trustworthy enough for that.
   */
  #withFeedback(first: Ranking, { vector }: Question, top: number): Ranking {
    const answers = Array.from(first.places.subarray(0, FEEDBACK_PASSAGES)).flatMap((place) => {
      const best = bestVector(this.#all.vectors(place), vector);
      return best ? [best] : [];
    });
    if (answers.length === 0) return { places: first.places.subarray(0, top), scores: first.scores.subarray(0, top) };
    const query = widened(vector, answers);
    const unrelated = dot(query, this.#all.centroid);
    const prepared = this.#all.segments.map(({ vectors }) =>
      vectors.kind === 'exact' ? vectors.index.prepare(query) : 0,
    );
    const candidates = Array.from(first.places, (place): Candidate => {
      const { segment, at, local } = this.#all.locate(place);
      const dense =
        segment.vectors.kind === 'exact'
          ? segment.vectors.index.rescore(local, prepared[at] as number, unrelated)
          : this.#all.denseScore(place, query, unrelated);
      return { place, lexical: this.#all.wordScore(place), dense };
    });
    return fuseCandidates(candidates, unrelated, top);
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

interface Question {
  readonly query: string;
  readonly vector: Float32Array;
  /** The mean similarity of all passages: what one without relation to the question may expect. */
  readonly unrelated: number;
  readonly hidden: readonly Uint32Array[];
}

/** Opens the index in a folder; with an engine also its vectors. */
export async function openIndex(folder: string, engine?: DenseEngine, options: OpenOptions = {}): Promise<SearchIndex> {
  for (let attempt = 1; ; attempt += 1) {
    // Whoever opens again and again must not keep a writer of this process from its turn.
    await setImmediate();
    using catalogue = Catalogue.read(folder);
    try {
      return new SearchIndex(catalogue, engine, options);
    } catch (error) {
      // In between, a merge may have taken the place of segments and removed their files.
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isGone || attempt >= 10) throw error;
    }
  }
}
