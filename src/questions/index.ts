import { askQuestion, checkQuotesQuestion, shownAnswer } from './ask.ts';
import { GRAPH_QUERIES, graphQuestion } from './graph.ts';
import { noteQuestion, notesQuestion } from './notes.ts';
import type { Question } from './question.ts';
import { screeningQuestion } from './screening.ts';
import { searchQuestion } from './search.ts';
import { setQuestion, setsQuestion } from './sets.ts';
import { tableQuestion } from './table.ts';
import { citeQuestion, figuresQuestion, readQuestion, relatedQuestion } from './work.ts';
import { accountQuestion, worksQuestion } from './works.ts';

/** Every question that only reads. */
export const QUESTIONS: readonly Question[] = [
  searchQuestion, askQuestion, checkQuotesQuestion, tableQuestion, readQuestion, worksQuestion, citeQuestion, accountQuestion,
  relatedQuestion, graphQuestion, figuresQuestion, screeningQuestion, notesQuestion,
]; // prettier-ignore

export type { Answered, AskedRun, Question } from './question.ts';
export { askQuestion, GRAPH_QUERIES, graphQuestion, noteQuestion, setQuestion, setsQuestion, shownAnswer };
export { askedRun, worksChoice } from './question.ts';
export { decidedQuestion, decideQuestion, SCREENING_CHANGES } from './screening.ts';
