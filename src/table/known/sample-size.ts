import { countIn, digitsOf } from './count-in.ts';
import { articleTypeIn } from './design.ts';
import type { Cue } from './cue.ts';
import { pointsOf } from './cue.ts';
import type { PaperSentence } from './paper-sentences.ts';
import type { CellQuote } from '../cell.ts';

const CUES: readonly Cue[] = [
  [
    /\b(?:included|enrolled|recruited|participated|consented|agreed|analy[sz]ed|completed|surveyed|interviewed|tested|studied|assessable|randomi[sz]ed|selected|took part|identified|responded|eligible|sampled|examined)\b/i,
    1.5,
  ],
  [/\b(?:a |in )?total(?: of)?\b|\boverall\b|\bsample (?:of|consisted|comprised|size)\b|\bcomprised\b|\bfinal\b/i, 1],
  [/\bsample size (?:was|is|of|comprised)\b/i, 2],
  [/\b(?:conducted|performed|carried out|undertaken|done) (?:among|on|in|with)\b/i, 1],
  [/\b(?:we|our|this study|the study)\b/i, 0.3],
  [/\bexcluded\b|\bdropouts?\b|\blost to\b|\bdied\b|\bdeaths\b|\brefused\b/i, -1.5],
  // Those who had something are a part of those studied.
  [/\b(?:detected|found|observed|seen|reported|present|confirmed|occurred|developed|positive) (?:in|among) \d/i, -1.5],
  [/\beach\b|\bper (?:group|arm)\b/i, -0.7],
  [/\b(?:calculated|required|power|planned|at least|estimated)\b/i, -0.7],
  [/\bet al\b|\[\d{1,3}(?:[,–-] ?\d{1,3}){0,9}\]|\b(?:previous|other|earlier) (?:study|studies)\b/i, -1.5],
];
const SECTIONS: Readonly<Partial<Record<PaperSentence['section'], number>>> = {
  abstract: 1.5,
  methods: 0.7,
  results: 0.7,
  body: 0,
};
/** Where people are studied is counted besides them. */
const PLACES = /^(?:hospitals?|centres|centers|schools|sites)$/i;
const LEAST = 2.7;
const LONGEST = 600;

/** A count of what was studied. */
export interface SampleSize {
  /** In digits, as printed. */
  readonly count: string;
  /** What is counted; empty if the paper only says n. */
  readonly noun: string;
  readonly quotes: readonly CellQuote[];
}

/** What a review of others' studies counts; people and samples are those of the studies it cites. */
const REVIEWED = /^(?:studies|trials|articles|papers|publications|records)$/i;

/** Whether a paper is labelled as a review or a guideline, or names itself one in its title. */
function isReview(sentences: readonly PaperSentence[]): boolean {
  return /\breview\b|guideline/i.test(articleTypeIn(sentences)?.value ?? '');
}

/** The count of what was studied, from the sentence that says most clearly that it is the whole sample. */
export function sampleSizeIn(sentences: readonly PaperSentence[]): SampleSize | undefined {
  let best: { readonly points: number; readonly size: SampleSize } | undefined;
  const ofReview = isReview(sentences);
  for (const [at, { text, section, quote }] of sentences.entries()) {
    const place = SECTIONS[section];
    if (place === undefined || text.length > LONGEST) continue;
    const counted = countIn(text);
    if (!counted) continue;
    const { quantity, noun } = counted;
    if (ofReview && !REVIEWED.test(noun)) continue;
    const size = Math.min(1, 0.3 * Math.log10(quantity.value)) - (PLACES.test(noun) ? 0.8 : 0);
    const points = pointsOf(text, CUES) + place + size - at / (2 * sentences.length);
    if (points >= LEAST && points > (best?.points ?? 0))
      best = { points, size: { count: digitsOf(quantity), noun, quotes: [quote] } };
  }
  return best?.size;
}
