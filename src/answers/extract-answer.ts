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
import type { AnswerSentence } from './answer.ts';
import { quoteAt } from './check-answer.ts';

const MOST_CANDIDATES = 16;
const LEAST_TERMS = 4;
const LONGEST_SENTENCE = 600;
/** Words of reporting that give a sentence full weight if the question asks for a finding. */
const ENOUGH_REPORTS = 2;
/** Sentences with a much lower fit than the best one are left out. */
const NEAR_BEST = 0.7;

interface Candidate {
  readonly passage: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly words: number;
}

/** The fit of the best sentence of an answer. */
export function fitOfAnswer(sentences: readonly AnswerSentence[]): number {
  return Math.max(0, ...sentences.map(({ fit }) => fit ?? 1));
}

/** Semantic similarity of texts to a question, 0 to 1; undefined without a model. */
export type Nearness = (question: string, texts: readonly string[]) => Promise<readonly number[] | undefined>;

/**
 * The sentences that answer a question best, each a quote. A sentence scores by the share of the question's terms it
 * contains, weighted by rarity among the passages, and by semantic similarity; if the question asks for a finding,
 * sentences that report one come first. There is no answer if no top sentence reaches `least` in either score.
 */
export async function extractAnswer(
  question: string,
  passages: readonly CitedHit[],
  { most, least, nearness }: { readonly most: number; readonly least: number; readonly nearness: Nearness },
): Promise<AnswerSentence[]> {
  const languages = passages.map(({ passage }) => stemmedLanguage(passage.text));
  const known = [...new Set(languages)].filter((language) => language !== undefined);
  const terms = questionTerms(withoutAmountWords(question), known);
  const all = passages.flatMap(({ passage }, at) =>
    sentencesOf(passage.text).flatMap(({ start, end }) => {
      // A heading has no full stop, and an item of a list no capital: what ends a block there ends a sentence.
      const blocks = [...passage.text.slice(start, end).matchAll(/[^\n](?:[^\n]|\n(?!\n))*/g)];
      return blocks
        .filter(([text], block) => block === blocks.length - 1 || /[.!?]\W{0,3}$/.test(text))
        .map(({ 0: text, index }) => ({
          passage: at + 1,
          start: start + index,
          end: start + index + text.length,
          text,
        }));
    }),
  );
  const analysed = all.map(({ text, passage }) => new Set(sentenceTerms(text, languages[passage - 1])));
  const has = (own: ReadonlySet<string>, forms: readonly string[]): boolean => forms.some((form) => own.has(form));
  // Forms of one word, in one or several languages.
  const weight = new Map(
    new Map(terms.map((forms) => [forms[0], forms])).values().map((forms) => {
      const having = analysed.filter((own) => has(own, forms)).length;
      return [forms, Math.log(1 + (all.length + 0.5) / (having + 0.5))] as const;
    }),
  );
  const total = [...weight.values()].reduce((sum, each) => sum + each, 0);
  const candidates: Candidate[] = all
    .map((sentence, at) => {
      const own = analysed[at] ?? new Set();
      const covered = [...weight].reduce((sum, [forms, value]) => (has(own, forms) ? sum + value : sum), 0);
      // Other languages have two terms for a word.
      const fewest = (languages[sentence.passage - 1] === undefined ? 1 : 2) * LEAST_TERMS;
      const isSentence =
        own.size >= fewest &&
        sentence.text.length <= LONGEST_SENTENCE &&
        !isKeywords(sentence.text) &&
        !isHowToCite(sentence.text);
      return { ...sentence, words: total === 0 || !isSentence ? 0 : covered / total };
    })
    .filter(({ words }) => words > 0)
    .sort((a, b) => b.words - a.words || a.passage - b.passage || a.start - b.start)
    .slice(0, MOST_CANDIDATES);
  const near = await nearness(
    question,
    candidates.map(({ text }) => text),
  );
  const reports = findingWeight(question, ENOUGH_REPORTS);
  const scored = candidates.map((candidate, at) => {
    const meaning = near?.[at] ?? candidate.words;
    const score = (candidate.words + meaning) * (reports?.(candidate.text) ?? 1);
    return { candidate, fit: Math.max(candidate.words, meaning), score };
  });
  const best = Math.max(0, ...scored.map(({ score }) => score));
  const sentences = scored
    .filter(({ score }) => score >= NEAR_BEST * best)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ candidate, fit }) => ({
      text: candidate.text,
      fit,
      quotes: [quoteAt(passages, candidate.passage, candidate)],
    }));
  return fitOfAnswer(sentences) >= least ? sentences : [];
}
