import { analyse } from '../parse/index.ts';
import type { OpenedSegments } from './opened-segments.ts';
import type { Passage } from './passage.ts';
import { termsOf } from './segment/lexical.ts';

/**
 * How far a passage answers a question, whatever others do: the share of the question's words that it has, rare ones counting
 * more, or how near it is in meaning, whichever is more.
 */
export function fitOf(
  segments: OpenedSegments,
  query: string,
  vector: Float32Array | undefined,
): (place: number, passage: Passage) => number {
  const rarity = new Map<string, number>();
  let total = 0;
  for (const term of new Set(analyse(query))) {
    const weight = segments.rarity(segments.frequency(term));
    rarity.set(term, weight);
    total += weight;
  }
  return (place, { text, title, headings }) => {
    const own = new Set([...termsOf(text, title), ...analyse(headings.join(' '))]);
    let covered = 0;
    for (const [term, weight] of rarity) if (own.has(term)) covered += weight;
    const words = total === 0 ? 0 : covered / total;
    const meaning = vector ? segments.denseScore(place, vector, 0) : 0;
    return Math.min(1, Math.max(words, meaning, 0));
  };
}
