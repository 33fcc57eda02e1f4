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
  front: 1.5,
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
    const said = withoutAddresses(text);
    for (const country of countriesIn(section === 'methods' ? withoutMakers(said) : said)) {
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

/** Where authors work: "2Department of Surgery, Medical Center, Freiburg, Germany". */
const ADDRESS =
  /(?:\b|(?<=\d))(?:Department|Division|Section|Unit|Service|School|Faculty|Institut\p{L}{1,4}|Laborator(?:y|ies)|Cent(?:re|er)|Academy|Authors?['’]? affiliations?|Address(?:es)?:|Correspond(?:ence|ing))(?![\p{L}])[^.;]{0,200}/u;
/** What a sentence has that tells where something was done, and an address has not. */
const TELLS =
  /\b(?:was|were|is|are|has|had|have|we|conducted|performed|carried|collected|recruited|enrolled|included|obtained|approved)\b/i;

/** So many characters before an address may say that something was done there. */
const BEFORE_ADDRESS = 60;

/** A text without the addresses of its authors: a study need not be done where they work. */
function withoutAddresses(text: string): string {
  const at = ADDRESS.exec(text)?.index;
  return at === undefined || TELLS.test(text.slice(Math.max(0, at - BEFORE_ADDRESS))) ? text : text.slice(0, at);
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
