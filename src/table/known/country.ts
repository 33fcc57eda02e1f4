import { findCountries } from '../../graph/index.ts';
import type { PaperSentence } from './paper-sentences.ts';
import type { CellQuote } from '../cell.ts';
import type { Stated } from './stated.ts';

/** Licences, addresses and links between the sentences of an abstract. */
const IMPRINT = /\blicen[cs]ed?\b|https?:|\bcopyright\b|©|@/i;

/** The country that the sentences of some parts name, if it is one only. */
export function onlyCountryIn(
  sentences: readonly PaperSentence[],
  sections: readonly PaperSentence['section'][],
): Stated | undefined {
  const [only, ...others] = votesFor(sentences.filter(({ section }) => sections.includes(section)));
  return only === undefined || others.length > 0 ? undefined : { value: only.country, quotes: [only.quote] };
}

/** Where a study was done, in words: "conducted in", "hospitals in", "data from". */
const PLACE =
  /\b(?:conducted|carried out|performed|done|took place|recruited|enrolled|collected|located|hospitals?|cent(?:re|er)s|schools|universit(?:y|ies)|province|state|city|region|district|study (?:area|site|setting)|population|patients|participants|surveillance|outbreak|cohort|data from)\b/i;
const WEIGHTS: Readonly<Partial<Record<PaperSentence['section'], number>>> = {
  front: 1,
  abstract: 3,
  methods: 1.5,
  results: 0.5,
  introduction: 0.3,
  discussion: 0.2,
  conclusion: 0.3,
  body: 0.5,
};
/** A country must have so many times the votes of the next one. */
const CLEARLY = 2;
const LEAST_VOTES = 1.5;

/** The country that a paper names most in places where it says where it was done; a sentence may name several. */
export function likelyCountryIn(sentences: readonly PaperSentence[]): Stated | undefined {
  const votes = votesFor(sentences);
  const [first, second] = votes;
  if (!first || first.votes < LEAST_VOTES) return undefined;
  const together = votes.filter((each) => each.quote === first.quote || each.votes * CLEARLY > first.votes);
  if (
    together.length > 1 &&
    together.every(({ quote }) => quote.text === first.quote.text) &&
    PLACE.test(first.quote.text)
  )
    return { value: together.map(({ country }) => country).join('; '), quotes: [first.quote] };
  if (second && second.votes * CLEARLY > first.votes) return undefined;
  return { value: first.country, quotes: [first.quote] };
}

interface Votes {
  readonly country: string;
  readonly votes: number;
  /** The sentence that says most for it. */
  readonly quote: CellQuote;
}

function votesFor(sentences: readonly PaperSentence[]): Votes[] {
  const found = new Map<string, { votes: number; most: number; quote: CellQuote }>();
  for (const { text, section, quote } of sentences) {
    if (IMPRINT.test(text)) continue;
    const weight = (WEIGHTS[section] ?? 0) * (PLACE.test(text) ? 2 : 1);
    if (weight === 0) continue;
    for (const country of countriesIn(section === 'methods' ? withoutMakers(text) : text)) {
      const known = found.get(country) ?? { votes: 0, most: 0, quote };
      known.votes += weight;
      if (weight > known.most) Object.assign(known, { most: weight, quote });
      found.set(country, known);
    }
  }
  return [...found]
    .map(([country, { votes, quote }]) => ({ country, votes, quote }))
    .sort((one, other) => other.votes - one.votes);
}

/** A text without brackets that name a maker and its address: "(SPSS Inc., Chicago, USA)". */
function withoutMakers(text: string): string {
  return text.replaceAll(/\([^()]{1,200}\)/g, (bracket) => {
    const [first = ''] = bracket.slice(1).split(',');
    return bracket.includes(',') && countriesIn(first).size === 0 ? ' ' : bracket;
  });
}

/** The countries that a text names, in its order. */
function countriesIn(text: string): Set<string> {
  return new Set(findCountries(text).map(({ country }) => country));
}
