import type { answerHead } from '../shapes/index.ts';
import type * as z from 'zod';

// The page is built from this file too: import nothing here that a browser does not have.

/** Whether anything was found that answers, be it a contradiction or an uncertainty. */
export function isAnswered(
  answer: Pick<z.output<typeof answerHead>, 'sentences' | 'disagreements' | 'uncertain'>,
): boolean {
  return [answer.sentences, answer.disagreements, answer.uncertain].some(({ length }) => length > 0);
}
