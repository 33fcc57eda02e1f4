import { createRequire } from 'node:module';

import { detectLanguage } from '../doctags/layout/text/script.ts';
import { analyse, folded, splitWords, STOP_WORDS } from './analyse.ts';

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
export function stemmedLanguage(text: string): string | undefined {
  const language = detectLanguage(text);
  return language !== undefined && language in STEMMERS ? language : undefined;
}

/** Whether a text is certainly English; a short one may be without being found so. */
export function isEnglish(text: string): boolean {
  return detectLanguage(text) === 'en';
}

/** Terms of languages other than English carry the language's name; one more term names the language. */
export function passageTerms(text: string, more: readonly string[] = []): string[] {
  const language = stemmedLanguage(text);
  if (language === undefined) return [text, ...more].flatMap((each) => analyse(each));
  return [`${OF}${language}`, ...[text, ...more].flatMap((each) => termsIn(each, language))];
}

/** The languages with a stemmer whose passages an index has. */
export function indexedLanguages(has: (term: string) => boolean): string[] {
  return Object.keys(STEMMERS).filter((language) => has(`${OF}${language}`));
}

/** The terms of a sentence of a passage: English ones, and those of the passage's language. */
export function sentenceTerms(text: string, language: string | undefined): string[] {
  return language === undefined ? analyse(text) : [...analyse(text), ...termsIn(text, language)];
}

/** The words of a question, each with its English term and one for every language of the passages. */
export function questionTerms(question: string, languages: readonly string[]): string[][] {
  if (languages.length === 0) return analyse(question).map((term) => [term]);
  const words = splitWords(question);
  const empty = emptyWords(words, languages);
  return words.flatMap((word) => {
    const english = analyse(word);
    // A word that counts for nothing in English would be rare, and count for much, in the few passages of another
    // language.
    if (english.length === 0 || empty.has(word)) return [];
    return [[...new Set([...english, ...languages.flatMap((language) => termsIn(word, language))])]];
  });
}

/** The words without a topic of the language in which a question is asked; none for English and for keywords. */
function emptyWords(words: readonly string[], languages: readonly string[]): ReadonlySet<string> {
  const count = (known: ReadonlySet<string>): number => words.filter((word) => known.has(word)).length;
  const least = words.some((word) => /[^\p{Script=Latin}\p{N}\p{M}]/u.test(word)) ? 1 : 2;
  let [most, found] = [Math.max(least - 1, count(STOP_WORDS)), new Set<string>()];
  for (const language of languages) {
    const known = new Set((EMPTY[language] ?? '').split(' '));
    if (count(known) > most) [most, found] = [count(known), known];
  }
  return found;
}

/** Words of a question that say nothing about its topic, like English stop words. */
const EMPTY: Readonly<Record<string, string>> = {
  de: 'wie viel viele vielen wieviel wieviele was wer wem wen wann wo woher warum wieso weshalb welche welcher welches welchen welchem der die das den dem des ein eine einer eines einem einen und oder von vom zu zum zur in im auf aus bei mit für nach über an am ist sind war waren hat haben hatte hatten wird werden wurde wurden es sich',
  fr: 'combien quel quelle quels quelles comment pourquoi quand où qui que quoi le la les l un une des du de d et ou à au aux en dans sur pour par avec est sont était étaient a ont eu il elle ils elles ce cette ces se s',
  es: 'cuánto cuánta cuántos cuántas qué cuál cuáles cómo cuándo dónde quién quiénes el la los las un una unos unas de del y o a al en sobre para por con es son fue fueron era eran ha han tuvo tiene tienen se su sus lo',
  pt: 'quanto quanta quantos quantas que qual quais como quando onde quem o a os as um uma uns umas de do da dos das e ou à ao aos às em no na nos nas sobre para por pela pelo com é são foi foram era eram tem têm teve há se',
  it: 'quanto quanta quanti quante che cosa quale quali quando chi perché il lo la i gli le l un uno una di del della dei degli delle e o a al alla ai agli alle in nel nella su sul sulla per con è sono era erano ha hanno si',
  nl: 'hoeveel wat wie welk welke hoe waarom wanneer waar de het een en of van in op aan bij met voor naar over is zijn was waren heeft hebben had werd werden wordt worden er',
  sv: 'hur många mycket vad vem vilken vilket vilka varför när en ett den det de och eller av i på till från med för om är var har hade blev som',
  ru: 'сколько какой какая какое какие каков какова как почему когда где кто что и или в во на с со к по из от для о об при был была было были есть ли это',
  el: 'πόσο πόσοι πόσες πόσα τι ποιος ποια ποιο ποιοι ποιες πώς γιατί πότε πού ο η το οι τα του της των τον την και ή σε στο στη στην στον από με για είναι ήταν έχει έχουν',
  ar: 'كم ما ماذا كيف متى أين لماذا هل من هو هي عدد الذي التي الذين في على إلى عن مع كان كانت و أو بعد قبل',
  tr: 'kaç ne nasıl neden niçin hangi kim nerede ve veya ile için bir bu mı mi mu mü var olan oldu',
  uk: 'скільки який яка яке які як чому коли де хто що і й та або в у на з із зі до по від для про при був була було були є чи це',
};

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
