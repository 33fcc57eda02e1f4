import { setImmediate } from 'node:timers/promises';

import { AppError, canonicalJson } from '../base/index.ts';
import type { DenseEngine } from '../parse/index.ts';
import { analyse } from '../parse/index.ts';
import type { IndexManifest } from './catalogue.ts';
import { Catalogue } from './catalogue.ts';
import type { SearchFilter } from './filter.ts';
import { filterKey, hiddenPlaces } from './filter.ts';
import type { Candidate, Fusion, Ranking } from './fusion.ts';
import {
  bestPlaces,
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
import type { Passage } from './passage.ts';
import { dot } from './segment/dense.ts';
import { K1, termsOf } from './segment/lexical.ts';

/** What is searched with: words, meaning, or both. */
export type SearchMode = 'lexical' | 'dense' | 'hybrid';

/** A passage found. Scores are only comparable within one search; `fit` says by itself how far the passage answers. */
export interface Hit {
  readonly rank: number;
  readonly score: number;
  /** 0 to 1: the share of the question's words that the passage has, rare ones counting more, or how near it is in meaning. */
  readonly fit: number;
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

const EXACT_ROWS = 1_000_000;
/** Rows whose codes are nearest are compared exactly: many more than are asked for, because a code is coarse. */
const NEAR_ROWS = 4000;
const NEAR_WORDS = 1000;
const FILTERS_KEPT = 8;

/** An index opened for searching: its segments as they were at that moment. */
export class SearchIndex implements Disposable {
  readonly manifest: IndexManifest;
  readonly #segments: readonly OpenedSegment[];
  readonly #copies: ReadonlySet<string>;
  readonly #engine: DenseEngine | undefined;
  readonly #averageLength: number;
  readonly #passages: number;
  readonly #centroid: Float32Array;
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
    this.#segments = rows.map((row) => {
      const segment = opened.use(new OpenedSegment(catalogue, row, { base, vectors: kind }));
      base += segment.passages;
      return segment;
    });
    opened.move();
    this.#passages = base;
    this.#engine = kind === 'none' ? undefined : engine;
    this.#copies = catalogue.copies();
    // Statistics count what is marked as gone until a merge leaves it out: a few words more or less change no order.
    this.#averageLength = rows.reduce((sum, { length }) => sum + length, 0) / base || 1;
    this.#centroid = meanCentroid(this.#segments, dense?.dimensions ?? 0);
  }

  /** The modes that can be asked for: without vectors or a model to embed the query, words alone. */
  get modes(): readonly SearchMode[] {
    return this.#engine ? ['lexical', 'dense', 'hybrid'] : ['lexical'];
  }

  /** The best passages for a question. */
  async search(query: string, options: SearchOptions, signal?: AbortSignal): Promise<Hit[]> {
    if (query.trim() === '') {
      throw new AppError('SEARCH_EMPTY', 'there is nothing to search for', {
        hint: 'ask a question, or give some words',
      });
    }
    const { vector, places, scores } = await this.#ranked(query, options, signal);
    const fit = this.#fitOf(query, vector);
    return Array.from(places, (place, at) => {
      const passage = this.#passage(place);
      return { score: scores[at] ?? 0, fit: fit(place, passage), passage };
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
      this.#scoreWords(query);
      for (const [at, { wordScores }] of this.#segments.entries())
        for (const place of hidden[at] ?? []) wordScores[place] = 0;
      return { ...this.#bestWords(top), vector: undefined };
    }
    const [vector] = (await this.#engine?.embed([query], 'query', signal)) ?? [];
    if (!vector) {
      throw new AppError('INDEX_NOT_DENSE', 'this index can only be searched by words here', {
        hint: 'search with --lexical, or install the model and embed the passages',
      });
    }
    // From here on nothing waits: scores lie in memory that another search would overwrite.
    const unrelated = dot(vector, this.#centroid);
    const ranking = this.#isCoded
      ? this.#rankCoded({ query, vector, unrelated, hidden }, options)
      : this.#rankExact({ query, vector, unrelated, hidden }, options);
    return { ...ranking, vector };
  }

  /** Every vector is compared; sums of both scores are found by the kernel, segment by segment. */
  #rankExact(question: Question, { mode, top, fusion, feedback }: SearchOptions): Ranking {
    const { query, vector, unrelated, hidden } = question;
    const exact = this.#segments.flatMap((segment, at) =>
      segment.vectors.kind === 'exact'
        ? [{ segment, index: segment.vectors.index, hidden: hidden[at] ?? new Uint32Array() }]
        : [],
    );
    const dense = exact.map(({ index }) => index.score(vector, unrelated));
    if (mode === 'hybrid') this.#scoreWords(query);
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
    if (fusion === 'rrf') return fuseRanks([this.#bestWords(RRF_DEPTH), bestDense(RRF_DEPTH)], top);
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
    const near = this.#nearest(vector, hidden, Math.max(NEAR_ROWS, top * 20));
    const dense = new Map(near.map((place) => [place, this.#denseScore(place, vector, unrelated)]));
    const byMeaning = (count: number): Ranking =>
      rankingOf(
        Array.from(dense, ([place, score]) => ({ place, score })),
        count,
        -Infinity,
      );
    if (mode === 'dense') return byMeaning(top);
    this.#scoreWords(query);
    for (const [at, { wordScores }] of this.#segments.entries())
      for (const place of hidden[at] ?? []) wordScores[place] = 0;
    const words = this.#bestWords(NEAR_WORDS);
    if (fusion === 'rrf') return fuseRanks([words, byMeaning(RRF_DEPTH)], top);
    for (const place of words.places)
      if (!dense.has(place)) dense.set(place, this.#denseScore(place, vector, unrelated));
    const candidates: Candidate[] = Array.from(dense, ([place, score]) => ({
      place,
      lexical: this.#wordScore(place),
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
      const best = bestVector(this.#vectors(place), vector);
      return best ? [best] : [];
    });
    if (answers.length === 0) return { places: first.places.subarray(0, top), scores: first.scores.subarray(0, top) };
    const query = widened(vector, answers);
    const unrelated = dot(query, this.#centroid);
    const prepared = this.#segments.map(({ vectors }) => (vectors.kind === 'exact' ? vectors.index.prepare(query) : 0));
    const candidates = Array.from(first.places, (place): Candidate => {
      const { segment, at, local } = this.#locate(place);
      const dense =
        segment.vectors.kind === 'exact'
          ? segment.vectors.index.rescore(local, prepared[at] as number, unrelated)
          : this.#denseScore(place, query, unrelated);
      return { place, lexical: this.#wordScore(place), dense };
    });
    return fuseCandidates(candidates, unrelated, top);
  }

  /** BM25 of every passage for a query, left in the segments' memory. Frequencies are those of the whole index. */
  #scoreWords(query: string): void {
    for (const { wordScores } of this.#segments) wordScores.fill(0);
    const wanted = new Map<string, number>();
    for (const term of analyse(query)) wanted.set(term, (wanted.get(term) ?? 0) + 1);
    for (const [term, times] of wanted) {
      const bytes = Buffer.from(term, 'utf8');
      const found = this.#segments.map(({ lexical }) => lexical.find(bytes));
      const frequency = found.reduce((sum, each) => sum + (each?.frequency ?? 0), 0);
      const weight = times * (K1 + 1) * this.#rarity(frequency);
      for (const [at, { lexical, wordScores }] of this.#segments.entries()) {
        const each = found[at];
        if (each) lexical.addScores(each, weight, this.#averageLength, wordScores);
      }
    }
  }

  #rarity(frequency: number): number {
    return Math.log(1 + (this.#passages - frequency + 0.5) / (frequency + 0.5));
  }

  #bestWords(top: number): Ranking {
    return rankingOf(
      this.#segments.flatMap(({ wordScores, base }) => bestPlaces(wordScores, base, { top, above: 0 })),
      top,
      0,
    );
  }

  /** The passages of the rows whose codes are nearest to a query. */
  #nearest(vector: Float32Array, hidden: readonly Uint32Array[], count: number): number[] {
    const histogram = new Uint32Array(65_536);
    const scans = this.#segments.flatMap((segment, at) =>
      segment.vectors.kind === 'coded'
        ? [
            {
              segment,
              index: segment.vectors.index,
              hidden: hidden[at] ?? new Uint32Array(),
              distances: segment.vectors.index.scan(vector, histogram),
            },
          ]
        : [],
    );
    let [bound, within] = [0, 0];
    // What is hidden takes room among the nearest: twice as many leave enough of those that are not.
    while (bound < histogram.length && within < count) within += histogram[bound++] as number;
    const near: number[] = [];
    for (const { segment, index, hidden: places, distances } of scans) {
      const isHidden = new Set<number>();
      for (const place of places) isHidden.add(place);
      for (let row = 0; row < distances.length; row += 1) {
        if ((distances[row] as number) >= bound) continue;
        const passage = index.passageOf(row);
        if (!isHidden.has(passage) && near.at(-1) !== segment.base + passage) near.push(segment.base + passage);
      }
    }
    return near;
  }

  #denseScore(place: number, vector: Float32Array, unrelated: number): number {
    const { segment, local } = this.#locate(place);
    if (segment.vectors.kind === 'coded') return segment.vectors.index.score(local, vector, unrelated);
    let best = -Infinity;
    for (const each of this.#vectors(place)) best = Math.max(best, dot(each, vector));
    return best === -Infinity ? unrelated : best;
  }

  #vectors(place: number): readonly Float32Array[] {
    const { segment, local } = this.#locate(place);
    return segment.vectors.kind === 'none' ? [] : segment.vectors.index.vectors(local);
  }

  #wordScore(place: number): number {
    const { segment, local } = this.#locate(place);
    return segment.wordScores[local] as number;
  }

  /** How far a passage answers a question, whatever others do. */
  #fitOf(query: string, vector: Float32Array | undefined): (place: number, passage: Passage) => number {
    const rarity = new Map<string, number>();
    for (const term of new Set(analyse(query))) {
      const bytes = Buffer.from(term, 'utf8');
      rarity.set(
        term,
        this.#rarity(this.#segments.reduce((sum, { lexical }) => sum + (lexical.find(bytes)?.frequency ?? 0), 0)),
      );
    }
    let total = 0;
    for (const each of rarity.values()) total += each;
    return (place, { text, title, headings }) => {
      const own = new Set([...termsOf(text, title), ...analyse(headings.join(' '))]);
      let covered = 0;
      for (const [term, weight] of rarity) if (own.has(term)) covered += weight;
      const words = total === 0 ? 0 : covered / total;
      const meaning = vector ? this.#denseScore(place, vector, 0) : 0;
      return Math.min(1, Math.max(words, meaning, 0));
    };
  }

  #hiddenBy(filter: SearchFilter): readonly Uint32Array[] {
    const key = filterKey(filter);
    const known = this.#hidden.get(key);
    if (known) return known;
    const found = this.#segments.map((segment) => hiddenPlaces(segment, filter, this.#copies));
    for (const oldest of this.#hidden.keys()) {
      if (this.#hidden.size < FILTERS_KEPT) break;
      this.#hidden.delete(oldest);
    }
    this.#hidden.set(key, found);
    return found;
  }

  #locate(place: number): { readonly segment: OpenedSegment; readonly at: number; readonly local: number } {
    let at = this.#segments.length - 1;
    while (at > 0 && (this.#segments[at] as OpenedSegment).base > place) at -= 1;
    const segment = this.#segments[at] as OpenedSegment;
    return { segment, at, local: place - segment.base };
  }

  #passage(place: number): Passage {
    const { segment, local } = this.#locate(place);
    return segment.passage(local);
  }

  [Symbol.dispose](): void {
    for (const segment of this.#segments) segment[Symbol.dispose]();
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

/** The mean of all vectors, from the means of the segments. */
function meanCentroid(segments: readonly OpenedSegment[], dimensions: number): Float32Array {
  const sum = new Float64Array(dimensions);
  let rows = 0;
  for (const { vectors } of segments) {
    if (vectors.kind === 'none') continue;
    const { centroid, layout } = vectors.index;
    rows += layout.rows;
    for (let at = 0; at < dimensions; at += 1) sum[at] = (sum[at] as number) + (centroid[at] ?? 0) * layout.rows;
  }
  return Float32Array.from(sum, (value) => value / Math.max(1, rows));
}

function bestVector(vectors: readonly Float32Array[], query: Float32Array): Float32Array | undefined {
  let found: Float32Array | undefined;
  let most = -Infinity;
  for (const vector of vectors) {
    const score = dot(vector, query);
    if (score > most) [most, found] = [score, vector];
  }
  return found;
}
