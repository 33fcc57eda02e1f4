import { findCountries } from '../graph/index.ts';

/** Numbers in square brackets, as most papers print them: "[30]", "[7,9,10]", "[10–15]". */
const NUMBERS = /\[\d{1,3}[a-z]?(?:\s?[,;–—−‐‑-]\s?\d{1,3}[a-z]?)*\]/gu;
/** Names with a year in brackets: "(Magurran 2012)", "(e.g. Kim et al., 2007; Kolak and Ito, 2009)". */
const NAMES_AND_YEAR = /\((?=[^()]{0,30}\p{Lu}\p{Ll})([^()]{2,200}?[\s,](?:1[89]|20)\d\d[a-z]?)\)/gu;
/** Names before a year: "Smith and Jones (2014)", "Kim et al. (2007)". One name alone may be a place. */
const NAMED_FIRST =
  /\p{Lu}[\p{L}’'-]{1,40}(?:\s(?:et al\.?|and \p{Lu}[\p{L}’'-]{1,40}|& \p{Lu}[\p{L}’'-]{1,40})),?\s?\(((?:1[89]|20)\d\d[a-z]?)\)/gu;
const ET_AL = /\p{Lu}[\p{L}’'-]{1,40} et al\b\.?/gu;
/** What stands in brackets with a year and is no work. */
const NO_WORK =
  /\b(?:tables?|fig(?:ure|s)?|since|until|from|version|v\.|january|february|march|april|may|june|july|august|september|october|november|december)\b/iu;
/** An interval in brackets behind what it belongs to: "62 [54–71]", "95% CI [1–4]". */
const INTERVAL = /^\[(\d{1,3})\s?[,;–—−‐‑-]\s?(\d{1,3})\]$/u;
const INTERVAL_OF = /(?:\b(?:CI|IQR|range|interval):?|(?<![\d.,])(\d{1,3}(?:\.\d{1,3})?)(?:\s?%)?)\s?$/u;
const MOST = 3;

/** The works that a sentence names as a source, as it prints them: "[30]", "Magurran 2012"; null if it names none. */
export function citedIn(sentence: string): string | null {
  const found = [
    ...[...sentence.matchAll(NUMBERS)].flatMap(({ 0: text, index }) =>
      isInterval(text, sentence.slice(0, index)) ? [] : [{ text, index }],
    ),
    ...[...sentence.matchAll(NAMES_AND_YEAR)].flatMap(({ 1: text = '', index }) =>
      NO_WORK.test(text) || isPlace(text) ? [] : [{ text, index }],
    ),
    ...[...sentence.matchAll(NAMED_FIRST)].map(({ 0: text, index }) => ({ text, index })),
  ];
  // A name alone is printed where neither a number nor a year follows.
  const alone = [...sentence.matchAll(ET_AL)].map(({ 0: text, index }) => ({ text, index }));
  const cited = (found.length > 0 ? found : alone).sort((one, other) => one.index - other.index);
  if (cited.length === 0) return null;
  const printed = [...new Set(cited.map(({ text }) => text.replaceAll(/\s+/g, ' ')))];
  return printed.slice(0, MOST).join(', ') + (printed.length > MOST ? ' …' : '');
}

/** "Sweden, 2010", "Malmö, Sweden, 2010": where and when something was. */
function isPlace(text: string): boolean {
  const [, named = ''] = /^(.{2,80}?),? \d{4}$/u.exec(text.trim()) ?? [];
  return findCountries(named).some(({ end }) => end === named.length);
}

/** Whether numbers in brackets are the bounds of the number before them. */
function isInterval(text: string, before: string): boolean {
  const [, least, most] = (INTERVAL.exec(text) ?? []).map(Number);
  const of = INTERVAL_OF.exec(before.slice(-20));
  if (least === undefined || most === undefined || !of) return false;
  return of[1] === undefined || (least <= Number(of[1]) && Number(of[1]) <= most);
}
