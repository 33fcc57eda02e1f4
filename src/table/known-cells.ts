import type { CitedHit } from '../corpus/index.ts';
import { sentencesOf } from '../graph/index.ts';
import { quoteAt } from '../ask/index.ts';
import type { Cell, CellQuote, Column, Facts } from './cell.ts';
import { cellQuote, LONGEST_VALUE } from './fill-cells.ts';

/** What is known about a paper before its sentences are read. */
export interface KnownPaper {
  /** Undefined if the graph was not built. */
  readonly facts: Facts | undefined;
  /** All passages, in order. */
  readonly passages: readonly CitedHit[];
}

const MOST_QUOTES = 4;

/** What a column asks for that a paper states in a known place. */
const ASKS = {
  funding: /\bfund(?:ing|ers?|ed|s)?\b|\bsponsor(?:s|ed|ship)?\b|\bfinanc(?:ed|ing)\b/i,
  software: /\bsoftware\b|\bcomputer programs?\b/i,
  country: /\bcountr(?:y|ies)\b/i,
  design: /^design\b|\b(?:study|trial|research) design\b|\bkind of study\b|\btype of study\b/i,
};

/** Names of designs, without hyphens. */
const DESIGNS = [
  'randomised controlled trial',
  'randomized controlled trial',
  'randomised trial',
  'randomized trial',
  'clinical trial',
  'single arm',
  'crossover study',
  'cohort study',
  'case control study',
  'case control analysis',
  'cross sectional study',
  'cross sectional survey',
  'case series',
  'case report',
  'observational study',
  'retrospective study',
  'prospective study',
  'systematic review',
  'scoping review',
  'narrative review',
  'literature review',
  'meta analysis',
  'modelling study',
  'modeling study',
  'simulation study',
  'practice guideline',
  'pilot study',
  'qualitative study',
];

/** A text or list that the graph or a statement of the paper gives; undefined if the column asks for something else. */
export function knownCell(column: Column, paper: KnownPaper): Cell | undefined {
  if (column.type !== 'text' && column.type !== 'list') return undefined;
  const asked = `${column.name} ${column.question}`;
  if (ASKS.funding.test(asked)) return fundingCell(paper);
  if (ASKS.software.test(asked)) return softwareCell(paper);
  return ASKS.country.test(asked) ? countryCell(paper, ['abstract']) : undefined;
}

/** Guesses that a model would make better: the country of the methods or of all affiliations, and the design. */
export function likelyCell(column: Column, paper: KnownPaper): Cell | undefined {
  if (column.type !== 'text' && column.type !== 'list') return undefined;
  const asked = `${column.name} ${column.question}`;
  if (ASKS.country.test(asked)) return countryCell(paper, ['methods']) ?? countryCell(paper, ['front']);
  return ASKS.design.test(asked) ? designCell(paper) : undefined;
}

function softwareCell({ facts }: KnownPaper): Cell | undefined {
  const names = new Map(facts?.nodes.flatMap(({ id, kind, label }) => (kind === 'software' ? [[id, label]] : [])));
  const found = new Map<string, CellQuote | null>();
  for (const { kind, target, evidence } of facts?.edges ?? []) {
    const name = names.get(target);
    if (kind !== 'uses' || name === undefined || found.has(name)) continue;
    const { place } = evidence;
    found.set(name, place.kind === 'text' ? { text: place.quote, page: place.page, passage: null, row: null } : null);
  }
  if (found.size === 0) return undefined;
  const quotes = [...found.values()].flatMap((quote) => quote ?? []);
  const texts = new Map(quotes.map((quote) => [quote.text, quote]));
  return value([...found.keys()].join('; '), 'graph', [...texts.values()]);
}

const FUNDING_HEADING = /\bfund|\bfinancial|\bgrants?\b|\bsupport\b|\bsponsor/i;
const THANKS_HEADING = /\backnowledge?ments?\b|\bthanks\b/i;
const FUNDS =
  /\b(?:fund(?:ed|ing|s)?|supported|financed|sponsored|grants?|fellowship|scholarship|financial support)\b/i;
/** "The funders had no role in the design" and "not the views of the funders" do not say who they are. */
const NO_ROLE = /\bno (?:role|influence|involvement)\b|\bnot involved\b|\bviews?\b|\bopinions?\b|\bnot necessarily\b/i;

/** The sentences of the funding statement, else those of the acknowledgements that name support. */
function fundingCell({ passages }: KnownPaper): Cell | undefined {
  for (const heading of [FUNDING_HEADING, THANKS_HEADING])
    for (const hit of passages) {
      if (hit.passage.section !== 'back' || !heading.test(hit.passage.headings.at(-1) ?? '')) continue;
      const said = sentencesIn(hit).filter(({ text }) => FUNDS.test(text) && !NO_ROLE.test(text));
      if (said.length > 0)
        return value(
          said.map(({ text }) => text).join(' '),
          'statement',
          said.map(({ quote }) => quote),
        );
    }
  return undefined;
}

/** Where a paper says what it is, in this order. */
const DESIGN_SECTIONS: readonly (readonly string[])[] = [['front', 'abstract'], ['methods'], ['body', 'introduction']];
const OF_THIS_PAPER = /\b(?:this|the present|our|we)\b/i;

/** The first sentence that names a design: in title and abstract, else one about the paper itself. */
function designCell({ passages }: KnownPaper): Cell | undefined {
  for (const [at, sections] of DESIGN_SECTIONS.entries())
    for (const hit of passages.filter(({ passage }) => sections.includes(passage.section)))
      for (const { text, quote } of sentencesIn(hit)) {
        const plain = text.toLowerCase().replaceAll(/[-‐‑–]/g, ' ');
        if (DESIGNS.some((name) => plain.includes(name)) && (at === 0 || OF_THIS_PAPER.test(text)))
          return value(text, 'statement', [quote]);
      }
  return undefined;
}

/** Licences, addresses and links between the sentences of an abstract. */
const IMPRINT = /\blicen[cs]ed?\b|https?:|\bcopyright\b|©|@/i;

/** The country that sentences of some parts name, if it is one only. */
function countryCell({ passages }: KnownPaper, sections: readonly string[]): Cell | undefined {
  const names = countryNames();
  const found = new Map<string, CellQuote>();
  for (const hit of passages.filter(({ passage }) => sections.includes(passage.section)))
    for (const { text, quote } of sentencesIn(hit).filter(({ text: written }) => !IMPRINT.test(written)))
      for (const country of countriesIn(text, names)) if (!found.has(country)) found.set(country, quote);
  const [only, ...others] = found;
  return only === undefined || others.length > 0 ? undefined : value(only[0], 'statement', [only[1]]);
}

/** Shorter sentences are labels, such as "Financial support.", and stand with the next one. */
const LEAST_WORDS = 4;

/** The sentences of a passage without its heading, each with a quote. */
function sentencesIn(hit: CitedHit): { readonly text: string; readonly quote: CellQuote }[] {
  const { text: whole, headings } = hit.passage;
  const heading = headings.at(-1) ?? '';
  const found: { readonly text: string; readonly quote: CellQuote }[] = [];
  let label: number | undefined;
  for (const { start, end } of sentencesOf(whole)) {
    const own = whole.slice(start, end);
    const bare = heading !== '' && own.startsWith(heading) ? own.slice(heading.length).trimStart() : own;
    const from = label ?? end - bare.length;
    label = bare.split(/\s+/).length < LEAST_WORDS && label === undefined ? from : undefined;
    if (label !== undefined || bare === '') continue;
    const quote = cellQuote(quoteAt(hit, { start: from, end }));
    found.push({ text: quote.text.replaceAll(/\s+/g, ' '), quote });
  }
  return found;
}

function value(text: string, from: 'graph' | 'statement', quotes: readonly CellQuote[]): Cell {
  return { kind: 'value', value: text.slice(0, LONGEST_VALUE), from, quotes: quotes.slice(0, MOST_QUOTES) };
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

/** The countries that a text names; "Guinea" is not in "Papua New Guinea". */
function countriesIn(text: string, names: readonly (readonly [string, string])[]): Set<string> {
  const found = new Set<string>();
  let rest = text;
  for (const [written, name] of names)
    for (let at = rest.indexOf(written); at >= 0; at = rest.indexOf(written, at + 1)) {
      const [before = '', after = ''] = [rest[at - 1], rest[at + written.length]];
      if (/[\p{L}\p{N}]/u.test(before) || /[\p{L}\p{N}]/u.test(after)) continue;
      found.add(name);
      rest = `${rest.slice(0, at)}${' '.repeat(written.length)}${rest.slice(at + written.length)}`;
    }
  return found;
}
