import { topPlaces } from './top.ts';

/** Both count the same: neither is known to be the better one for a question. */
const DENSE_SHARE = 0.5;

/** The best of a search: places in the index, best first, with their scores. */
export interface Ranking {
  readonly places: Uint32Array;
  readonly scores: Float32Array;
}

/** A place with its score. */
export interface ScoredPlace {
  readonly place: number;
  readonly score: number;
}

/**
 * Convex fusion: brings both scores to one scale and adds them. The scale of each runs from what an unrelated passage gets
 * (no term in common; `unrelated`, the mean similarity of the collection) to the best; a dense score below that counts as none.
 */
export function fuse(
  highest: { readonly lexical: number; readonly dense: number },
  unrelated: number,
): (lexical: number, dense: number) => number {
  const lexicalFactor = (1 - DENSE_SHARE) / (highest.lexical || 1);
  const denseFactor = DENSE_SHARE / (highest.dense - unrelated || 1);
  return (lexical, dense) => lexical * lexicalFactor + Math.max(0, dense - unrelated) * denseFactor;
}

/** The highest scores above a bound; of equal ones the earlier place comes first. */
export function rankingOf(scored: readonly ScoredPlace[], top: number, above: number): Ranking {
  const sorted = scored
    .filter(({ score }) => score > above)
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, top);
  return {
    places: Uint32Array.from(sorted, ({ place }) => place),
    scores: Float32Array.from(sorted, ({ score }) => score),
  };
}

/** The best places of several segments, given the scores of each and the place that each begins at. */
export function bestOf(
  segments: readonly { readonly base: number }[],
  scores: readonly Float32Array[],
  { top, above }: { readonly top: number; readonly above: number },
): Ranking {
  const best = segments.flatMap(({ base }, at) => {
    const own = scores[at] as Float32Array;
    return Array.from(topPlaces(own, top, above), (place) => ({ place: base + place, score: own[place] as number }));
  });
  return rankingOf(best, top, above);
}

/** The highest of many scores; at least `least`. */
export function highestOf(scores: readonly Float32Array[], least: number): number {
  let highest = least;
  for (const each of scores)
    for (let at = 0; at < each.length; at += 1) if ((each[at] as number) > highest) highest = each[at] as number;
  return highest;
}
