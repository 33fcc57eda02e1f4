import { dot, fusedScore } from './segment/dense.ts';
import type { FusionScale } from './segment/dense.ts';
import { topPlaces } from './top.ts';

/** How lexical and dense scores become one. */
export type Fusion = 'convex' | 'rrf';

/** Both count the same: neither is known to be the better one before it has been asked. */
const DENSE_SHARE = 0.5;
/** The usual constant of reciprocal rank fusion, and how far down ranks are looked at. */
const RRF_CONSTANT = 60;
export const RRF_DEPTH = 1000;
/** The best so many passages say what else to look for; their mean makes up this share of the second query. */
export const FEEDBACK_PASSAGES = 3;
const FEEDBACK_SHARE = 1 / 3;
/** Only the best so many are scored again. */
const FEEDBACK_DEPTH = 200;

/** The best of a search: places in the index, best first, with their scores. */
export interface Ranking {
  readonly places: Uint32Array;
  readonly scores: Float32Array;
}

/** A place with what words and meaning give it. */
export interface Candidate {
  readonly place: number;
  readonly lexical: number;
  readonly dense: number;
}

/**
 * Brings both scores to the same scale. The scale of each runs from what an unrelated passage gets (no term in common;
 * the mean similarity of the collection, which the centroid gives without a scan) to the best.
 */
export function scaleOf(highest: { readonly lexical: number; readonly dense: number }, unrelated: number): FusionScale {
  return {
    lexicalFactor: (1 - DENSE_SHARE) / (highest.lexical || 1),
    denseFactor: DENSE_SHARE / (highest.dense - unrelated || 1),
    floor: unrelated,
  };
}

/** Convex fusion of candidates. */
export function fuseCandidates(candidates: readonly Candidate[], unrelated: number, top: number): Ranking {
  let [lexical, dense] = [0, unrelated];
  for (const each of candidates) {
    lexical = Math.max(lexical, each.lexical);
    dense = Math.max(dense, each.dense);
  }
  const scale = scaleOf({ lexical, dense }, unrelated);
  return rankingOf(
    candidates.map((each) => ({ place: each.place, score: fusedScore(scale, each.lexical, each.dense) })),
    top,
    0,
  );
}

/** Reciprocal rank fusion: only the order counts, not the scores. */
export function fuseRanks(lists: readonly Ranking[], top: number): Ranking {
  const fused = new Map<number, number>();
  for (const { places } of lists) {
    for (const [rank, place] of places.entries())
      fused.set(place, (fused.get(place) ?? 0) + 1 / (RRF_CONSTANT + rank + 1));
  }
  return rankingOf(
    Array.from(fused, ([place, score]) => ({ place, score })),
    top,
    0,
  );
}

/** The question moved towards what its first answers say. */
export function widened(query: Float32Array, answers: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(query.length);
  for (const vector of answers)
    for (let at = 0; at < mean.length; at += 1) mean[at] = (mean[at] as number) + (vector[at] ?? 0);
  return query.map(
    (value, at) => (1 - FEEDBACK_SHARE) * value + (FEEDBACK_SHARE * (mean[at] as number)) / answers.length,
  );
}

/** So many of the first ranking are scored again. */
export function feedbackDepth(top: number): number {
  return Math.max(top, FEEDBACK_DEPTH);
}

/** The highest scores above a bound; of equal ones the earlier place comes first. */
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

/** The best places of an array of scores, counted from `base` on. */
export function bestPlaces(
  scores: Float32Array,
  base: number,
  options: { readonly top: number; readonly above: number },
): { place: number; score: number }[] {
  return Array.from(topPlaces(scores, options.top, options.above), (at) => ({
    place: base + at,
    score: scores[at] as number,
  }));
}

/** Of a passage's vectors the one nearest to a query. */
export function bestVector(vectors: readonly Float32Array[], query: Float32Array): Float32Array | undefined {
  let found: Float32Array | undefined;
  let most = -Infinity;
  for (const vector of vectors) {
    const score = dot(vector, query);
    if (score > most) [most, found] = [score, vector];
  }
  return found;
}
