import type { DenseIndex } from './dense.ts';
import { dot } from './dense.ts';
import { topPlaces } from './top.ts';

/** How lexical and dense scores become one. */
export type Fusion = 'convex' | 'rrf';

/** Both count the same: neither is known to be the better one before it has been asked. */
const DENSE_SHARE = 0.5;
/** The usual constant of reciprocal rank fusion, and how far down ranks are looked at. */
const RRF_CONSTANT = 60;
const RRF_DEPTH = 1000;
/** The best so many passages say what else to look for; their mean makes up this share of the second query. */
const FEEDBACK_PASSAGES = 3;
const FEEDBACK_SHARE = 1 / 3;
/** Only the best so many are scored again. */
const FEEDBACK_DEPTH = 200;

/** Scores of all passages for one query; `unrelated` is what the dense score of a passage without relation would be. */
export interface Scores {
  readonly lexical: Float32Array;
  readonly dense: Float32Array;
  readonly unrelated: number;
}

/**
 * Brings both scores to the same scale and adds them. The scale of each runs from what an unrelated passage gets (no
 * term in common; the mean similarity of the collection, which the centroid gives without a scan) to the best.
 */
export function fuseConvex({ lexical, dense, unrelated }: Scores): Float32Array {
  const lexicalFactor = (1 - DENSE_SHARE) / (best(lexical, 0) || 1);
  const denseFactor = DENSE_SHARE / (best(dense, unrelated) - unrelated || 1);
  const fused = new Float32Array(lexical.length);
  for (let place = 0; place < fused.length; place += 1) {
    const above = (dense[place] as number) - unrelated;
    fused[place] = (lexical[place] as number) * lexicalFactor + (above > 0 ? above * denseFactor : 0);
  }
  return fused;
}

/** Reciprocal rank fusion: only the order counts, not the scores. */
export function fuseRanks({ lexical, dense }: Scores): Float32Array {
  const fused = new Float32Array(lexical.length);
  for (const places of [topPlaces(lexical, RRF_DEPTH, 0), topPlaces(dense, RRF_DEPTH)]) {
    for (const [rank, place] of places.entries()) fused[place] = (fused[place] ?? 0) + 1 / (RRF_CONSTANT + rank + 1);
  }
  return fused;
}

/**
 * Convex fusion with feedback: what the first answers have in common is added to the query, and the best are scored
 * again with it. The lexical half of the score makes the first answers trustworthy enough for that.
 */
export function fuseWithFeedback(scores: Scores, query: Float32Array, index: DenseIndex, top: number): Ranking {
  const first = fuseConvex(scores);
  const candidates = topPlaces(first, Math.max(top, FEEDBACK_DEPTH), 0);
  const mean = new Float32Array(query.length);
  let used = 0;
  for (const place of candidates.subarray(0, FEEDBACK_PASSAGES)) {
    const vector = bestVector(index.vectors(place), query);
    if (!vector) continue;
    used += 1;
    for (let at = 0; at < mean.length; at += 1) mean[at] = (mean[at] ?? 0) + (vector[at] ?? 0);
  }
  if (used === 0) return rankingOf(first, candidates.subarray(0, top));
  const widened = query.map((value, at) => (1 - FEEDBACK_SHARE) * value + (FEEDBACK_SHARE * (mean[at] ?? 0)) / used);
  const unrelated = index.unrelated(widened);
  const lexical = new Float32Array(candidates.length);
  const dense = new Float32Array(candidates.length);
  for (const [at, place] of candidates.entries()) {
    const vectors = index.vectors(place);
    lexical[at] = scores.lexical[place] ?? 0;
    dense[at] = vectors.length === 0 ? unrelated : Math.max(...vectors.map((vector) => dot(vector, widened)));
  }
  const second = fuseConvex({ lexical, dense, unrelated });
  const order = topPlaces(second, top, 0);
  return { places: order.map((at) => candidates[at] ?? 0), scores: Float32Array.from(order, (at) => second[at] ?? 0) };
}

/** The best of a search: places in the index, best first, with their scores. */
export interface Ranking {
  readonly places: Uint32Array;
  readonly scores: Float32Array;
}

/** Places with their scores. */
export function rankingOf(scores: Float32Array, places: Uint32Array): Ranking {
  return { places, scores: Float32Array.from(places, (place) => scores[place] ?? 0) };
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

function best(scores: Float32Array, least: number): number {
  let most = least;
  // By place: an iterator over a hundred thousand numbers takes longer than BM25.
  for (let place = 0; place < scores.length; place += 1) {
    const score = scores[place] as number;
    if (score > most) most = score;
  }
  return most;
}
