import { questionTerms, sentenceTerms, stemmedLanguage, withoutAmountWords } from '../parse/index.ts';
import { findingWeight } from '../search/index.ts';
import type { Candidate } from './candidates.ts';
import type { Reader } from './reader.ts';

/** Semantic similarity of texts to a question, 0 to 1; undefined without a model. */
export type Nearness = (
  question: string,
  texts: readonly string[],
  signal?: AbortSignal,
) => Promise<readonly number[] | undefined>;

/** The highest threshold that refuses at most 1 in 20 answerable questions, by `npm run score:answers`. */
const LEAST = 0.6;
/** Semantic similarity is computed only for the candidates with the most words of the question. */
const MOST_COMPARED = 16;
const LEAST_TERMS = 4;
/** Words of reporting that give a sentence full weight if the question asks for a finding. */
const ENOUGH_REPORTS = 2;

/** Scores candidates by the question's terms in them, weighted by rarity, and by semantic similarity. */
export function rulesReader(nearness: Nearness): Reader {
  return {
    name: 'rules',
    least: LEAST,
    // Rarity is counted among all candidates: all of them are read.
    sure: Number.POSITIVE_INFINITY,
    score: async (question, candidates, signal) => {
      const words = wordScores(question, candidates);
      const best = [...words.keys()]
        .filter((at) => (words[at] ?? 0) > 0)
        .sort((a, b) => (words[b] ?? 0) - (words[a] ?? 0))
        .slice(0, MOST_COMPARED);
      const near = await nearness(
        question,
        best.map((at) => candidates[at]?.text ?? ''),
        signal,
      );
      const reports = findingWeight(question, ENOUGH_REPORTS);
      const scores = candidates.map(() => 0);
      for (const [order, at] of best.entries()) {
        const word = words[at] ?? 0;
        const meaning = near?.[order] ?? word;
        // The better of both says whether it answers; of two that do, the one with more of both is the better answer.
        const fit = Math.max(word, meaning) * (0.95 + 0.05 * (word + meaning));
        scores[at] = Math.min(1, fit) * (reports?.(candidates[at]?.text ?? '') ?? 1);
      }
      return scores;
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** The share of the question's terms in each candidate, weighted by their rarity among the candidates. */
function wordScores(question: string, candidates: readonly Candidate[]): number[] {
  const spoken = candidates.map(({ text }) => {
    const language = stemmedLanguage(text);
    return { language, own: new Set(sentenceTerms(text, language)) };
  });
  const languages = [...new Set(spoken.map(({ language }) => language))].filter((language) => language !== undefined);
  const terms = questionTerms(withoutAmountWords(question), languages);
  const has = (own: ReadonlySet<string>, forms: readonly string[]): boolean => forms.some((form) => own.has(form));
  // Forms of one word, in one or several languages.
  const weight = new Map(
    new Map(terms.map((forms) => [forms[0], forms])).values().map((forms) => {
      const having = spoken.filter(({ own }) => has(own, forms)).length;
      return [forms, Math.log(1 + (spoken.length + 0.5) / (having + 0.5))] as const;
    }),
  );
  const total = [...weight.values()].reduce((sum, each) => sum + each, 0);
  return spoken.map(({ language, own }) => {
    // Other languages have two terms for a word.
    if (total === 0 || own.size < (language === undefined ? 1 : 2) * LEAST_TERMS) return 0;
    return [...weight].reduce((sum, [forms, value]) => (has(own, forms) ? sum + value : sum), 0) / total;
  });
}
