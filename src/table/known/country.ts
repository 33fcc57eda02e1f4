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
  const names = countryNames();
  const found = new Map<string, { votes: number; most: number; quote: CellQuote }>();
  for (const { text, section, quote } of sentences) {
    if (IMPRINT.test(text)) continue;
    const weight = (WEIGHTS[section] ?? 0) * (PLACE.test(text) ? 2 : 1);
    if (weight === 0) continue;
    for (const country of countriesIn(section === 'methods' ? withoutMakers(text, names) : text, names)) {
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
function withoutMakers(text: string, names: readonly (readonly [string, string])[]): string {
  return text.replaceAll(/\([^()]{1,200}\)/g, (bracket) => {
    const [first = ''] = bracket.slice(1).split(',');
    return bracket.includes(',') && countriesIn(first, names).size === 0 ? ' ' : bracket;
  });
}

/** Regions of the standard that are no countries. */
const NO_COUNTRIES = new Set(['EU', 'EZ', 'UN', 'QO', 'ZZ', 'XA', 'XB']);
/** Names that papers use, by the standard's name. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  'United States': ['USA', 'U.S.A.', 'U.S.', 'US', 'United States of America'],
  'United Kingdom': ['UK', 'U.K.', 'England', 'Scotland', 'Wales', 'Great Britain'],
  'South Korea': ['Republic of Korea', 'Korea'],
  Czechia: ['Czech Republic'],
  Türkiye: ['Turkey'],
  Vietnam: ['Viet Nam'],
  Russia: ['Russian Federation'],
};

/** Country names as they are written, the longest first, and the name each stands for. */
function countryNames(): [written: string, name: string][] {
  const english = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  const names = new Map<string, string>();
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    const [name] = NO_COUNTRIES.has(code) ? [] : (english.of(code)?.split(' (') ?? []);
    if (name === undefined) continue;
    for (const each of [name, ...(ALIASES[name] ?? [])]) names.set(each, name);
  }
  return [...names].sort(([one], [other]) => other.length - one.length);
}

/** The countries that a text names, in its order; "Guinea" is not in "Papua New Guinea". */
function countriesIn(text: string, names: readonly (readonly [string, string])[]): Set<string> {
  const places = new Map<string, number>();
  let rest = text;
  for (const [written, name] of names)
    for (let at = rest.indexOf(written); at >= 0; at = rest.indexOf(written, at + 1)) {
      const [before = '', after = ''] = [rest[at - 1], rest[at + written.length]];
      if (/[\p{L}\p{N}]/u.test(before) || /[\p{L}\p{N}]/u.test(after)) continue;
      places.set(name, Math.min(at, places.get(name) ?? at));
      rest = `${rest.slice(0, at)}${' '.repeat(written.length)}${rest.slice(at + written.length)}`;
    }
  return new Set([...places].sort(([, one], [, other]) => one - other).map(([name]) => name));
}
