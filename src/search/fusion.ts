import type { DenseIndex, FusionScale } from './dense.ts';
import { dot, fusedScore } from './dense.ts';
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

/**
 * Brings both scores to the same scale. The scale of each runs from what an unrelated passage gets (no term in common;
 * the mean similarity of the collection, which the centroid gives without a scan) to the best.
 */
function scaleOf(highest: { readonly lexical: number; readonly dense: number }, unrelated: number): FusionScale {
  return {
    lexicalFactor: (1 - DENSE_SHARE) / (highest.lexical || 1),
    denseFactor: DENSE_SHARE / (highest.dense - unrelated || 1),
    floor: unrelated,
  };
}

/** Convex fusion of the scores that lie in the index's memory. */
export function fuseConvex(index: DenseIndex, dense: Float32Array, unrelated: number, top: number): Ranking {
  const scale = scaleOf(index.highest(unrelated), unrelated);
  const places = index.bestFused(scale, top);
  const scores = Float32Array.from(places, (place) =>
    fusedScore(scale, index.lexical[place] as number, dense[place] as number),
  );
  return { places, scores };
}

/** Reciprocal rank fusion: only the order counts, not the scores. */
export function fuseRanks(lexical: Float32Array, dense: Float32Array, top: number): Ranking {
  const fused = new Float32Array(lexical.length);
  for (const places of [topPlaces(lexical, RRF_DEPTH, 0), topPlaces(dense, RRF_DEPTH)]) {
    for (const [rank, place] of places.entries()) fused[place] = (fused[place] ?? 0) + 1 / (RRF_CONSTANT + rank + 1);
  }
  return bestOf(fused, top, 0);
}

/**
 * Adds to the query what the first answers have in common, and scores the best of a first ranking again with it. The
 * lexical half of the score makes the first answers trustworthy enough for that.
 */
export function withFeedback(first: Ranking, query: Float32Array, index: DenseIndex, top: number): Ranking {
  const { places: candidates } = first;
  const mean = new Float32Array(query.length);
  let used = 0;
  for (const place of candidates.subarray(0, FEEDBACK_PASSAGES)) {
    const vector = bestVector(index.vectors(place), query);
    if (!vector) continue;
    used += 1;
    for (let at = 0; at < mean.length; at += 1) mean[at] = (mean[at] ?? 0) + (vector[at] ?? 0);
  }
  if (used === 0) return { places: candidates.subarray(0, top), scores: first.scores.subarray(0, top) };
  const widened = query.map((value, at) => (1 - FEEDBACK_SHARE) * value + (FEEDBACK_SHARE * (mean[at] ?? 0)) / used);
  const { scores: dense, unrelated } = index.rescore(widened, candidates);
  const lexical = Float32Array.from(candidates, (place) => index.lexical[place] as number);
  const scale = scaleOf({ lexical: Math.max(0, ...lexical), dense: Math.max(unrelated, ...dense) }, unrelated);
  const second = bestOf(
    lexical.map((score, at) => fusedScore(scale, score, dense[at] as number)),
    top,
    0,
  );
  return { places: second.places.map((at) => candidates[at] as number), scores: second.scores };
}

/** So many of the first ranking are scored again. */
export function feedbackDepth(top: number): number {
  return Math.max(top, FEEDBACK_DEPTH);
}

/** The best of a search: places in the index, best first, with their scores. */
export interface Ranking {
  readonly places: Uint32Array;
  readonly scores: Float32Array;
}

/** The highest scores above a bound. */
export function bestOf(scores: Float32Array, top: number, above: number): Ranking {
  const places = topPlaces(scores, top, above);
  return { places, scores: Float32Array.from(places, (place) => scores[place] as number) };
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
