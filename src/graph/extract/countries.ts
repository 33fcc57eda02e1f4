import type { Stretch } from '../../parse/index.ts';

/** A country by its name; `name` is the usual one. */
interface Country extends Stretch {
  readonly name: string;
}

/** Other names of countries, and names of their parts that papers use like countries. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  'United States of America': 'United States',
  USA: 'United States',
  'U.S.A.': 'United States',
  'U.S.': 'United States',
  UK: 'United Kingdom',
  'U.K.': 'United Kingdom',
  'Great Britain': 'United Kingdom',
  England: 'England',
  Scotland: 'Scotland',
  Wales: 'Wales',
  'Northern Ireland': 'Northern Ireland',
  Turkey: 'Türkiye',
  'Czech Republic': 'Czechia',
  'Ivory Coast': 'Côte d’Ivoire',
  'Viet Nam': 'Vietnam',
  'Republic of Korea': 'South Korea',
  'Hong Kong': 'Hong Kong',
  Macau: 'Macao',
  'Democratic Republic of the Congo': 'Congo - Kinshasa',
  'Democratic Republic of Congo': 'Congo - Kinshasa',
  Burma: 'Myanmar (Burma)',
  Myanmar: 'Myanmar (Burma)',
  Palestine: 'Palestinian Territories',
  'Republic of Ireland': 'Ireland',
  'Bosnia and Herzegovina': 'Bosnia & Herzegovina',
  'Trinidad and Tobago': 'Trinidad & Tobago',
};

/** Names of countries that in papers are often something else: people, islands of other names, months in other words. */
const AMBIGUOUS: ReadonlySet<string> = new Set(['Jersey', 'Chad', 'Jordan', 'Mali', 'Guinea', 'Dominica', 'Réunion']);

const NAMES: ReadonlyMap<string, string> = new Map([
  ...regionNames().map((name) => [name, name] as const),
  ...Object.entries(OTHER_NAMES),
]);

const LONGEST_FIRST = [...NAMES.keys()].toSorted((a, b) => b.length - a.length).map((name) => RegExp.escape(name));
const EXPRESSION = new RegExp(`(?<![\\p{L}\\p{N}-])(?:${LONGEST_FIRST.join('|')})(?![\\p{L}\\p{N}])`, 'gu');

/** Finds countries by their names. It needs no model, and a model that reads lower case misses some. */
export function findCountries(text: string): Country[] {
  return [...text.matchAll(EXPRESSION)].map(({ 0: printed, index }) => ({
    start: index,
    end: index + printed.length,
    name: NAMES.get(printed) ?? printed,
  }));
}

/** The names of all regions that Unicode knows, which are those of ISO 3166 and few others. */
function regionNames(): string[] {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');
  // Codes from X and the groups EU, EZ, QO, UN, ZZ are not countries.
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => !/^X|^(?:EU|EZ|QO|UN|ZZ)$/.test(code))
    .flatMap((code) => names.of(code) ?? [])
    .filter((name) => !AMBIGUOUS.has(name));
}
