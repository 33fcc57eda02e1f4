import type { Stretch } from '../../parse/index.ts';
import names from './country-names.json' with { type: 'json' };

// Names of countries are those of Unicode in English, and what country-names.json adds, by language: other names that papers
// use, parts of countries that are named like countries, and names that are also those of people, animals or rivers.

/** A country or a part of one that a text names. */
export interface NamedCountry extends Stretch {
  /** The usual name: "United States" for "the U.S.", "England" for "England". */
  readonly name: string;
  /** The country that it is or belongs to: "United Kingdom" for "England". */
  readonly country: string;
}

const OTHER_NAMES: ReadonlyMap<string, string> = inverted(names.otherNames.en);
const PARTS: ReadonlyMap<string, string> = inverted(names.parts.en);
const AMBIGUOUS: ReadonlySet<string> = new Set(names.alsoOtherThings.en);

/** How countries are named in texts. */
interface Names {
  /** What is written, and the usual name of it. */
  readonly usual: ReadonlyMap<string, string>;
  readonly expression: RegExp;
}

let known: Names | undefined;

/** Made when a text is first read: most commands read none. */
function countryNames(): Names {
  if (known) return known;
  const usual = new Map([
    ...regionNames()
      .flatMap(spelledOut)
      .map(([written, name]) => [written, OTHER_NAMES.get(name) ?? name] as const),
    ...[...PARTS.keys()].map((part) => [part, part] as const),
    ...OTHER_NAMES,
    ...[...OTHER_NAMES.values()].map((name) => [name, name] as const),
  ]);
  const longestFirst = [...usual.keys()].toSorted((a, b) => b.length - a.length).map((name) => RegExp.escape(name));
  const expression = new RegExp(`(?<![\\p{L}\\p{N}-]|New )(?:${longestFirst.join('|')})(?![\\p{L}\\p{N}])`, 'gu');
  return (known = { usual, expression });
}

/** A name that may be something else is a country where a place is named: "in Jordan", "Amman, Jordan", "Mali and Peru". */
const PLACE_BEFORE = /(?:\b(?:in|from|across|within|throughout|of|and|or)(?: the)?|,) $/;
const OTHER_BEHIND = /^(?: \p{Lu}\p{Ll}|[- ](?:pigs?|fowls?|worms?|grass|baboons?)\b|['’]s\b|,? et al)/u;

/** "(Israel et al., 2016)" */
const AUTHOR_BEHIND = /^,? et al/u;

/** Finds countries by their names. It needs no model, and a model that reads lower case misses some. */
export function findCountries(text: string): NamedCountry[] {
  const { usual, expression } = countryNames();
  return [...text.matchAll(expression)].flatMap(({ 0: printed, index }) => {
    const name = usual.get(printed) ?? printed;
    const [start, end] = [index, index + printed.length];
    const behind = text.slice(end, end + 16);
    const isSure =
      !AUTHOR_BEHIND.test(behind) &&
      (!AMBIGUOUS.has(name) ||
        (PLACE_BEFORE.test(text.slice(Math.max(0, start - 16), start)) && !OTHER_BEHIND.test(behind)));
    return isSure ? [{ start, end, name, country: PARTS.get(name) ?? name }] : [];
  });
}

/** The names of all regions that Unicode knows, which are those of ISO 3166 and few others. */
function regionNames(): string[] {
  const english = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  // Codes from X and the groups EU, EZ, QO, UN, ZZ are not countries.
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => !/^X[^K]|^(?:EU|EZ|QO|UN|ZZ)$/.test(code))
    .flatMap((code) => english.of(code) ?? [])
    .map((name) => name.split(' (')[0] ?? name);
}

/** "Bosnia & Herzegovina" is also written "Bosnia and Herzegovina", "St. Lucia" also "Saint Lucia". */
function spelledOut(name: string): [written: string, name: string][] {
  const words = name.replace(' & ', ' and ').replace(/^St\. /, 'Saint ');
  return [...new Set([name, words])].map((written) => [written, words]);
}

function inverted(byName: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(byName).flatMap(([name, others]) => others.map((other) => [other, name] as const)));
}
