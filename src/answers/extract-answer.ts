import type { CitedHit } from '../corpus/index.ts';
import { sentencesOf } from '../graph/index.ts';
import {
  isHowToCite,
  isKeywords,
  questionTerms,
  sentenceTerms,
  stemmedLanguage,
  withoutAmountWords,
} from '../parse/index.ts';
import { findingWeight } from '../search/index.ts';
import type { AnswerSentence } from './check-answer.ts';
import { quoteAt } from './check-answer.ts';

const MOST_CANDIDATES = 16;
const LEAST_TERMS = 4;
const LONGEST_SENTENCE = 600;
/** Words of reporting that give a sentence full weight if the question asks for a finding. */
const ENOUGH_REPORTS = 2;
/** Sentences with a much lower fit than the best one are left out. */
const NEAR_BEST = 0.7;

export function fitOfAnswer(sentences: readonly AnswerSentence[]): number {
  return Math.max(0, ...sentences.map(({ fit }) => fit ?? 1));
}

/** Semantic similarity of texts to a question, 0 to 1; undefined without a model. */
export type Nearness = (question: string, texts: readonly string[]) => Promise<readonly number[] | undefined>;

/**
 * The sentences that answer a question best: by the question's terms in them, weighted by rarity, and by
 * semantic similarity; none if no top sentence reaches `least` in either score.
 */
export async function extractAnswer(
  question: string,
  passages: readonly CitedHit[],
  { most, least, nearness }: { readonly most: number; readonly least: number; readonly nearness: Nearness },
): Promise<AnswerSentence[]> {
  const spoken = passages.map((hit) => ({ hit, language: stemmedLanguage(hit.passage.text) }));
  const languages = [...new Set(spoken.map(({ language }) => language))].filter((language) => language !== undefined);
  const terms = questionTerms(withoutAmountWords(question), languages);
  const all = spoken.flatMap(({ hit, language }) =>
    sentencesOf(hit.passage.text).flatMap(({ start, end }) => {
      // A heading has no full stop, and an item of a list no capital: what ends a block there ends a sentence.
      const blocks = [...hit.passage.text.slice(start, end).matchAll(/[^\n](?:[^\n]|\n(?!\n))*/g)];
      return blocks
        .filter(([text], block) => block === blocks.length - 1 || /[.!?]\W{0,3}$/.test(text))
        .map(({ 0: text, index }) => {
          const place = { start: start + index, end: start + index + text.length };
          return { hit, language, place, text, own: new Set(sentenceTerms(text, language)) };
        });
    }),
  );
  const has = (own: ReadonlySet<string>, forms: readonly string[]): boolean => forms.some((form) => own.has(form));
  // Forms of one word, in one or several languages.
  const weight = new Map(
    new Map(terms.map((forms) => [forms[0], forms])).values().map((forms) => {
      const having = all.filter(({ own }) => has(own, forms)).length;
      return [forms, Math.log(1 + (all.length + 0.5) / (having + 0.5))] as const;
    }),
  );
  const total = [...weight.values()].reduce((sum, each) => sum + each, 0);
  const ranked = all
    .map((sentence) => {
      const { own, text, language } = sentence;
      const covered = [...weight].reduce((sum, [forms, value]) => (has(own, forms) ? sum + value : sum), 0);
      // Other languages have two terms for a word.
      const fewest = (language === undefined ? 1 : 2) * LEAST_TERMS;
      const isSentence =
        own.size >= fewest &&
        text.length <= LONGEST_SENTENCE &&
        !isLabel(text) &&
        !isKeywords(text) &&
        !isHowToCite(text);
      return { ...sentence, words: total === 0 || !isSentence ? 0 : covered / total };
    })
    .filter(({ words }) => words > 0)
    .sort((a, b) => b.words - a.words);
  // Two passages of a paper may share a sentence, such as the caption of a table that was split.
  const candidates = Map.groupBy(ranked, ({ hit, text }) => `${hit.passage.document} ${text}`)
    .values()
    .flatMap((same) => same.slice(0, 1))
    .take(MOST_CANDIDATES)
    .toArray();
  const near = await nearness(
    question,
    candidates.map(({ text }) => text),
  );
  const reports = findingWeight(question, ENOUGH_REPORTS);
  const scored = candidates.map(({ hit, place, text, words }, at) => {
    const meaning = near?.[at] ?? words;
    const score = (words + meaning) * (reports?.(text) ?? 1);
    return { text, fit: Math.max(words, meaning), score, quotes: [quoteAt(hit, place)] };
  });
  const best = Math.max(0, ...scored.map(({ score }) => score));
  const sentences = scored
    .filter(({ score }) => score >= NEAR_BEST * best)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ text, fit, quotes }) => ({ text, fit, quotes }));
  return fitOfAnswer(sentences) >= least ? sentences : [];
}

/** A label of a figure or a heading: all its longer words have capitals. */
function isLabel(text: string): boolean {
  return /\p{Lu}/u.test(text) && !/(?<![\p{L}\p{M}-])\p{Ll}{3,}/u.test(text);
}
