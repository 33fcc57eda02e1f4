import { passageTerms, questionTerms, withoutAmountWords } from '../parse/index.ts';
import type { OpenedSegments } from './opened-segments.ts';
import type { Passage } from './passage.ts';

/** How much a nearness in meaning counts when the index has never seen most of the question. */
const UNKNOWN_SHARE = 0.4;
/** Below this share of its words, rare ones counting more, a question is about something that the index has never seen. */
const MOSTLY_KNOWN = 0.25;

/**
 * How far a passage answers a question, whatever others do: the share of the question's words that it has, rare ones counting
 * more, or how near it is in meaning, whichever is more. Meaning counts less where the index has never seen
 * most of the question: a passage about another drug is near to a question about metformin, and does not answer it.
 */
export function fitOf(
  segments: OpenedSegments,
  query: string,
  vector: Float32Array | undefined,
): (place: number, passage: Passage) => number {
  const rarity = new Map<readonly string[], number>();
  let [total, known] = [0, 0];
  const words = questionTerms(withoutAmountWords(query), (term) => segments.frequency(term) > 0);
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
