import { pageRange } from '../../markup/imprint.ts';

/** Where a paper appeared, as a line at the edge of its first page says: "J. Rivers 2014;40(6):652–657". */
export interface Place {
  readonly venue: string;
  readonly volume: string;
  readonly issue?: string;
  readonly pages?: string;
}

/** The name is in front of the first figure: "2014;40(6):652–657", "40 (2014) 652–657", "40, 652–657 (2014)". */
const FIGURES = [
  /^(?:19|20)\d\d\)?[\s;,:]{0,4}(?<volume>[1-9]\d{0,3})(?:\s?\((?<issue>[\p{L}\d\s.–-]{1,20})\))?\s?[:,]\s?(?<first>[A-Za-z]{0,3}\d{1,9})(?:\s?[–-]\s?(?<last>[A-Za-z]{0,3}\d{1,9}))?(?![\d/])/u,
  /^(?<volume>[1-9]\d{0,3})\s?\((?:19|20)\d\d\)[\s,:]{0,3}(?:(?<first>[A-Za-z]{0,3}\d{1,9})(?:\s?[–-]\s?(?<last>[A-Za-z]{0,3}\d{1,9}))?(?![\d/])|$)/u,
  /^(?<volume>[1-9]\d{0,3})[,:]\s?(?<first>[A-Za-z]{0,3}\d{1,9})\s?[–-]\s?(?<last>[A-Za-z]{0,3}\d{1,9}),?\s\((?:19|20)\d\d\)/u,
];

/** "Rivers, 2014, Vol. 40, No. 6": figures behind words, in any order. */
const BEHIND_WORDS = {
  volume: /\bvol(?:ume)?[.:\s]{1,3}([1-9]\d{0,3})(?!\d)/iu,
  issue: /\b(?:no|number|issue)[.:\s]{1,3}(\d{1,4})(?!\d)/iu,
  pages: /\b(?:pages?|pp)[.:\s]{1,3}([A-Z]?\d{1,7})\s?[–-]\s?([A-Z]?\d{1,7})|,\s?(\d{1,7})\s?[–-]\s?(\d{1,7})$/iu,
};

const MOST_LETTERS = 200;
/** Names of the authors in front, as running heads have them. */
const AUTHORS = /^(?:cit(?:e this|ation):\s|\P{N}{1,80}?\bet al[.,]{0,2}\s|\p{Lu}\S{1,30} and \p{Lu}\S{1,30},\s)/iu;
/** The publisher, in front of the journal. */
const HOUSE = /^.{1,60}?\b(?:Publishing Corporation|Publishing Group|Publishers?|Ltd\.?|Inc\.?)\s(?=\p{Lu})/u;
/** What has such figures, but is no name of a journal. */
const NO_NAME =
  /^(?:jan|febr)uary$|^(?:march|april|may|june|july|august)$|^(?:septem|octo|novem|decem)ber$|\b(?:received|revised|accepted|published|available|copyright|table|figure|fig|page|article|issn|vol(?:ume)?|university|department|conference|proceedings of the \d)\b/iu;

/** The place that a line states whole; undefined where it says something else, or nothing is in print yet. */
export function placeIn(line: string): Place | undefined {
  if (line.length > MOST_LETTERS) return undefined;
  const text = line.replaceAll(/[•·|]/gu, ' | ').replaceAll(/\s+/gu, ' ').trim().replace(AUTHORS, '');
  const head = /^\P{N}{2,120}/u.exec(text)?.[0] ?? '';
  const venue = nameIn(head);
  if (venue.length < 2 || !/^\p{Lu}/u.test(venue) || NO_NAME.test(venue)) return undefined;
  const rest = text.slice(head.length);
  const found = FIGURES.map((form) => form.exec(rest)?.groups).find((groups) => groups !== undefined);
  const { volume, issue, first, last } = found ?? inWords(text);
  if (volume === undefined) return undefined;
  const pages = pageRange(first, last);
  return { venue, volume, ...(issue !== undefined && { issue }), ...(pages !== undefined && { pages }) };
}

/** A name without the publisher in front and what is between it and the figures. */
function nameIn(head: string): string {
  const [name = ''] = head.split(/ \| |\bvol(?:ume)?\b/iu);
  const parts = name.replace(HOUSE, '').split(/(?<=[\s.,|(–-])/u);
  while (parts.length > 0 && /^[\s.,|(–-]$/u.test(parts.at(-1) ?? '')) parts.pop();
  return parts.join('').replace(/[\s.,|(–-]$/u, '');
}

function inWords(text: string): Readonly<Record<'volume' | 'issue' | 'first' | 'last', string | undefined>> {
  const [, first, last, from, to] = BEHIND_WORDS.pages.exec(text) ?? [];
  const of = (what: RegExp): string | undefined => what.exec(text)?.[1];
  return { volume: of(BEHIND_WORDS.volume), issue: of(BEHIND_WORDS.issue), first: first ?? from, last: last ?? to };
}
