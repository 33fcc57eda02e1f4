import { createRequire } from 'node:module';

import { detectLanguage } from '../doctags/layout/text/script.ts';
import { analyse, folded, splitWords } from './analyse.ts';

const require = createRequire(import.meta.url);

/** Names the way in which `passageTerms` makes terms: an index made in another way is built again. */
export const PASSAGE_ANALYSIS = 'nfkc-snowball/5';

/** Snowball stemmers by the language of a text, as `@orama/stemmers` names them. English has its own in `analyse`. */
const STEMMERS: Readonly<Record<string, string>> = {
  de: 'german',
  fr: 'french',
  es: 'spanish',
  pt: 'portuguese',
  it: 'italian',
  nl: 'dutch',
  sv: 'swedish',
  ru: 'russian',
  el: 'greek',
  ar: 'arabic',
  tr: 'turkish',
  uk: 'ukrainian',
};

/** Is between a language and its stem, and before the language where a passage says which one it has. */
const OF = '\u0001';
const loaded = new Map<string, (word: string) => string>();

/** The language by which a text is stemmed; undefined for English and for languages without a stemmer. */
function stemmedLanguage(text: string): string | undefined {
  const language = detectLanguage(text);
  return language !== undefined && language in STEMMERS ? language : undefined;
}

/**
 * The terms of a passage, stemmed in its language. Terms of languages other than English carry its name; one more term
 * names the language.
 */
export function passageTerms(text: string, more: readonly string[] = []): string[] {
  const language = stemmedLanguage(text);
  if (language === undefined) return [text, ...more].flatMap((each) => analyse(each));
  return [`${OF}${language}`, ...[text, ...more].flatMap((each) => termsIn(each, language))];
}

/** The words of a question, each with its English term and one for every language that `has` finds in the index. */
export function questionTerms(question: string, has: (term: string) => boolean): string[][] {
  const languages = Object.keys(STEMMERS).filter((language) => has(`${OF}${language}`));
  if (languages.length === 0) return analyse(question).map((term) => [term]);
  return splitWords(question).flatMap((word) => {
    const english = analyse(word);
    // A word that counts for nothing in English would be rare, and count for much, in the few passages of another language.
    if (english.length === 0) return [];
    return [[...new Set([...english, ...languages.flatMap((language) => termsIn(word, language))])]];
  });
}

const ASKS_AMOUNT = /\bhow (?:many|much|long|often|far|large|big|high|low|old|fast|quickly|likely)\b/gi;

/** A question without the words that ask for a number: its answer has the number instead of them. */
export function withoutAmountWords(question: string): string {
  return question.replaceAll(ASKS_AMOUNT, ' ');
}

/** Accents are taken off after the stem: its rules need them. */
function termsIn(text: string, language: string): string[] {
  const stem = stemmerOf(language);
  return splitWords(text).map((word) => `${language}${OF}${folded(stem(word))}`);
}

function stemmerOf(language: string): (word: string) => string {
  const known = loaded.get(language);
  if (known) return known;
  const { stemmer } = require(`@orama/stemmers/${STEMMERS[language]}`) as { stemmer: (word: string) => string };
  loaded.set(language, stemmer);
  return stemmer;
}
