export { citedWorks } from './answer.ts';
export type { Answer } from './answer.ts';
export { askCorpus } from './ask.ts';
export type { AnswerWriter } from './ask.ts';
