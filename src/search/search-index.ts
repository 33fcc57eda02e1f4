import { setImmediate } from 'node:timers/promises';

import { AppError, canonicalJson } from '../base/index.ts';
import type { DenseEngine } from '../parse/index.ts';
import { passageTerms, withoutAmountWords } from '../parse/index.ts';
import type { IndexManifest } from './index-rows.ts';
import { IndexRows } from './index-rows.ts';
import type { SearchFilter } from './opened-segments.ts';
import type { Passage } from './passage.ts';
import { filterKey, hiddenPlaces, OpenedSegment, OpenedSegments } from './opened-segments.ts';
import { askedSections, findingWeight, sectionWeights } from './section.ts';
import { dot } from './segment/vectors.ts';
import { readFacet } from './segment/write-segment.ts';

export type SearchMode = 'lexical' | 'dense' | 'hybrid';

/** Scores are comparable only within one search; `fit` is absolute. */
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
}

export const SEARCHED_BY = { lexical: 'words', dense: 'meaning', hybrid: 'words and meaning' } as const;
/** How many rows with the nearest codes are compared exactly: one in so many, within limits. Codes are coarse. */
const NEAR_ONE_IN = 250;
const NEAR_ROWS = { least: 1_000, most: 4_000 };
const NEAR_WORDS = 1000;
const FILTERS_KEPT = 8;
/** How many times more passages are ranked than requested: those of other versions of a work are left out. */
const LOOKED_AT = 3;

/** A snapshot of the index. */
export class SearchIndex implements Disposable {
  readonly manifest: IndexManifest;
  readonly #all: OpenedSegments;
  readonly #copies: ReadonlySet<string>;
  readonly #engine: DenseEngine | undefined;
  readonly #hidden = new Map<string, readonly Uint8Array[]>();

  constructor(index: IndexRows, engine: DenseEngine | undefined) {
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
    this.#engine = dense ? engine : undefined;
    using opened = new DisposableStack();
    let base = 0;
    const segments = rows.map((row) => {
      const segment = opened.use(new OpenedSegment(index, row, { base, withVectors: this.#engine !== undefined }));
      base += segment.passages;
      return segment;
    });
    const length = rows.reduce((sum, row) => sum + row.length, 0);
    this.#all = new OpenedSegments(segments, length, dense?.dimensions ?? 0);
    opened.move();
    this.#copies = index.copies();
  }

  /** The available modes: only words without vectors or a model to embed the query. */
  get modes(): readonly SearchMode[] {
    return this.#engine ? ['lexical', 'dense', 'hybrid'] : ['lexical'];
  }

  documents(accepts: (document: string) => boolean): string[] {
    return this.#all.segments
      .flatMap(({ documents }) => documents.map(({ id }) => id))
      .filter((id) => !this.#copies.has(id) && accepts(id))
      .sort();
  }

  passagesOf(document: string): Passage[] {
    for (const segment of this.#all.segments) {
      const row = segment.documents.find(({ id }) => id === document);
      if (row) return Array.from({ length: row.count }, (_, at) => segment.passage(row.first + at));
    }
    return [];
  }

  async search(query: string, options: SearchOptions, signal?: AbortSignal): Promise<Hit[]> {
    if (query.trim() === '') {
      throw new AppError('USAGE_QUESTION', 'the query is empty', {
        hint: 'enter a question or some words',
      });
    }
    const { top, mode, minFit = 0 } = options;
    const { ranked, vector } = await this.#ranked(query, { ...options, top: top * LOOKED_AT }, signal);
    const hits = this.#fitting(this.#findingsFirst(query, ranked), fitOf(this.#all, query, vector), mode);
    const enough = hits.filter(({ fit }) => fit >= minFit);
    return firstVersions(enough, top).map((hit, at) => ({ rank: at + 1, ...hit }));
  }

  *#fitting(
    ranked: readonly Scored[],
    fitOfPassage: (place: number, passage: Passage) => number,
    mode: SearchMode,
  ): Generator<Omit<Hit, 'rank'>> {
    for (const { place, score } of ranked) {
      const passage = this.#all.passage(place);
      const by = this.#all.hasVector(place) ? SEARCHED_BY[mode] : 'words';
      yield { score, fit: fitOfPassage(place, passage), by, passage };
    }
  }

  /** If a question asks for a finding, each paper's passages that report findings precede its others. */
  #findingsFirst(query: string, ranked: readonly Scored[]): readonly Scored[] {
    const weight = findingWeight(query);
    if (!weight) return ranked;
    const found = ranked.map(({ place, score }, at) => {
      const { document, text } = this.#all.passage(place);
      return { at, place, document, score: score * weight(text) };
    });
    const places = ranked.map(({ place }) => place);
    for (const own of Map.groupBy(found, ({ document }) => document).values())
      for (const [nth, { place }] of own.toSorted((a, b) => b.score - a.score).entries())
        places[own[nth]?.at ?? 0] = place;
    return ranked.map(({ score }, at) => ({ place: places[at] ?? 0, score }));
  }

  /** Like `search`, but returns passage numbers without reading the passages. */
  async rank(query: string, options: SearchOptions, signal?: AbortSignal): Promise<readonly Scored[]> {
    return (await this.#ranked(query, options, signal)).ranked;
  }

  /** Candidates are found by near codes and by words, then compared exactly. */
  async #ranked(query: string, { mode, top, filter = {} }: SearchOptions, signal: AbortSignal | undefined) {
    const all = this.#all;
    const sections = filter.sections ?? askedSections(query);
    const hidden = this.#hiddenBy(sections ? { ...filter, sections } : filter);
    const vector = mode === 'lexical' ? undefined : await this.#vectorOf(query, signal);
    const unrelated = vector ? dot(vector, all.centroid) : 0;
    const share = Math.min(NEAR_ROWS.most, all.passages / NEAR_ONE_IN);
    const near = vector ? all.nearest(vector, hidden, Math.max(NEAR_ROWS.least, share, top * 20)) : [];
    const words = mode === 'dense' ? [] : all.scoreWords(query, hidden);
    const worded = bestOf(all.segments, words, Math.max(NEAR_WORDS, top));
    const weight = mode === 'dense' ? undefined : sectionWeight(all, query);
    const candidates = Array.from(new Set([...near, ...worded]), (place) => {
      const { at, local } = all.locate(place);
      const meaning = vector ? all.denseScore(place, vector, unrelated) : 0;
      return { place, lexical: words[at]?.[local] ?? 0, meaning, weight: weight?.(at, local) ?? 1 };
    });
    const byWords = (): Scored[] =>
      candidates
        .map(({ place, lexical, weight: factor }) => ({ place, score: factor * lexical }))
        .filter(({ score }) => score > 0)
        .sort(bestFirst);
    const byMeaning = (): Scored[] =>
      candidates.map(({ place, meaning }) => ({ place, score: meaning })).sort(bestFirst);
    const related = (): Scored[] => byMeaning().filter(({ score }) => score > unrelated);
    const ranked =
      mode === 'lexical'
        ? byWords()
        : mode === 'dense'
          ? byMeaning()
          : fuse([
              { ranked: byWords(), unrelated: 0 },
              { ranked: related(), unrelated },
            ]).sort(bestFirst);
    return { ranked: ranked.slice(0, top), vector };
  }

  async #vectorOf(query: string, signal: AbortSignal | undefined): Promise<Float32Array> {
    const [vector] = (await this.#engine?.embed([query], 'query', signal)) ?? [];
    if (vector) return vector;
    throw new AppError('INDEX_NOT_DENSE', 'this index can only be searched by words', {
      hint: 'search with --lexical, or install the model and embed the passages',
    });
  }

  #hiddenBy(filter: SearchFilter): readonly Uint8Array[] {
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

/** The weight of a passage by its section, if the question prefers sections: the segment's number and the passage's in it. */
function sectionWeight(
  all: OpenedSegments,
  question: string,
): ((segment: number, passage: number) => number) | undefined {
  const bySection = sectionWeights(question);
  if (Object.keys(bySection).length === 0) return undefined;
  const weights = Float32Array.from({ length: 256 }, (_, facet) => bySection[readFacet(facet).section] ?? 1);
  const rare = all
    .rarePlaces(question, Math.min(RARE, Math.floor(all.passages / RARE_ONE_IN)))
    .map((places) => new Set(places));
  return (segment, passage) =>
    rare[segment]?.has(passage) ? 1 : (weights[all.segments[segment]?.facets[passage] ?? 0] ?? 1);
}

export function readManifest(folder: string): IndexManifest {
  using index = IndexRows.read(folder);
  return index.manifest;
}

/** With an engine also its vectors. */
export async function openIndex(folder: string, engine?: DenseEngine): Promise<SearchIndex> {
  for (let attempt = 1; ; attempt += 1) {
    // Frequent openers must not starve a writer in this process.
    await setImmediate();
    using index = IndexRows.read(folder);
    try {
      return index.snapshot(() => new SearchIndex(index, engine));
    } catch (error) {
      // A merge may have replaced segments and removed their files meanwhile.
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isGone || attempt >= 10) throw error;
    }
  }
}

/** How slowly ranks lose weight. Small: a passage that one ranking puts first is among the first of both. */
const RANK_OFFSET = 10;

interface Scored {
  readonly place: number;
  readonly score: number;
}

/**
 * Joins rankings. Each adds the mean of a passage's score, scaled from that of an unrelated passage to the best one, and of
 * its reciprocal rank. Scores alone let chance words decide a question in other words than the paper's; ranks alone treat
 * a close match like a distant one.
 */
function fuse(rankings: readonly { readonly ranked: readonly Scored[]; readonly unrelated: number }[]): Scored[] {
  const scores = new Map<number, number>();
  for (const { ranked, unrelated } of rankings) {
    const best = (ranked[0]?.score ?? 0) - unrelated || 1;
    for (const [at, { place, score }] of ranked.entries()) {
      const added = (score - unrelated) / best + RANK_OFFSET / (RANK_OFFSET + at);
      scores.set(place, (scores.get(place) ?? 0) + added / (2 * rankings.length));
    }
  }
  return Array.from(scores, ([place, score]) => ({ place, score }));
}

/** Ties go to the earlier passage. */
function bestFirst(one: Scored, other: Scored): number {
  return other.score - one.score || one.place - other.place;
}

/** Passages with scores above 0, given the scores of each segment. */
function bestOf(segments: readonly OpenedSegment[], scores: readonly Float32Array[], top: number): number[] {
  let best: Scored[] = [];
  let bound = 0;
  for (const [segment, own] of scores.entries()) {
    const base = segments[segment]?.base ?? 0;
    for (let at = 0; at < own.length; at += 1) {
      const score = own[at] as number;
      if (!(score > bound)) continue;
      best.push({ place: base + at, score });
      if (best.length < 2 * top) continue;
      best = best.sort(bestFirst).slice(0, top);
      bound = best.at(-1)?.score ?? 0;
    }
  }
  return best
    .sort(bestFirst)
    .slice(0, top)
    .map(({ place }) => place);
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
  segments: OpenedSegments,
  query: string,
  vector: Float32Array | undefined,
): (place: number, passage: Passage) => number {
  const rarity = new Map<readonly string[], number>();
  let [total, known] = [0, 0];
  const words = segments.termsOf(withoutAmountWords(query));
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
