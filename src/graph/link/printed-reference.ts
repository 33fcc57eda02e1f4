import { fingerprints } from './letters.ts';
import { foldCase, lettersWithPlaces } from './letters.ts';

/** A reference as it is printed, read once for all works it is compared with. */
export interface PrintedReference {
  readonly text: string;
  readonly letters: string;
  /** Where each letter stands in the text. */
  readonly places: Int32Array;
  /** Numbers and article numbers, in the order of the text. */
  readonly numbers: readonly string[];
  readonly years: readonly number[];
  /** The text's words in lower case, words broken at the end of a line joined. */
  readonly words: readonly string[];
}

/** The longest reference that is looked at; what is longer is no reference. */
const LONGEST = 3_000;

/** Reads the parts of a printed reference that a work can be recognised by. */
export function readPrintedReference(source: string): PrintedReference {
  const text = source.slice(0, LONGEST).replace(/^\s*(?:\[\d{1,4}\]|\(\d{1,4}\)|\d{1,4}\.?(?=\s))\s*/, '');
  const { letters, places } = lettersWithPlaces(text);
  const folded = foldCase(text).replace(/[-\u00ad\u2010]\s*\n?\s+/g, '');
  const numbers = [...folded.matchAll(/(?<![a-z0-9])[a-z]{1,4}\d+|(?<!\d)\d+/g)].map(([number]) =>
    number.replace(/^0+(?=\d)/, ''),
  );
  return {
    text,
    letters,
    places,
    numbers,
    years: numbers.filter((number) => /^(?:1[5-9]|20)\d\d$/.test(number)).map(Number),
    words: folded.match(/[\p{L}\p{N}]+/gu) ?? [],
  };
}

/** The names under which works that the reference may mean are looked up; the other side of `workKeys`. */
export function referenceKeys(reference: PrintedReference): Set<string> {
  const keys = new Set<string>();
  for (const row of fingerprints(reference.letters)) keys.add(`t:${row}`);
  const { numbers, years } = reference;
  for (let at = 0; at < Math.min(numbers.length, 40); at += 1)
    for (let next = at + 1; next <= Math.min(at + 2, numbers.length - 1); next += 1)
      keys.add(`n:${numbers[at] ?? ''}:${numbers[next] ?? ''}`);
  const names = leadingNames(reference.text);
  for (const name of names) {
    for (const year of years) for (const shift of [-1, 0, 1]) keys.add(`a:${year + shift}:${name}`);
    for (const number of numbers.slice(0, 40)) if (number.length > 2) keys.add(`p:${number}:${name}`);
  }
  return keys;
}

/** What the first author may be called: the first words of the entry, alone and two or three together. */
function leadingNames(text: string): string[] {
  const words = foldCase(text.slice(0, 80))
    .replace(/[-\u2010\u2011]\s*\n\s*/g, '')
    .split(/[^\p{L}'’\-\u2010]+/u)
    .map((word) => word.replace(/[^\p{L}]/gu, ''))
    .filter((word) => word.length > 0)
    .slice(0, 5);
  const names = new Set<string>();
  for (let at = 0; at < Math.min(words.length, 4); at += 1)
    for (let end = at + 1; end <= Math.min(at + (at === 0 ? 3 : 2), words.length); end += 1) {
      const name = words.slice(at, end).join('');
      if (name.length > 1) names.add(name);
    }
  return [...names];
}
