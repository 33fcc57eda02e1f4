export { citedWorks } from './answer.ts';
export type { Answer, AnswerQuote, AnswerSentence, DropReason } from './answer.ts';
export { askCorpus } from './ask.ts';
export type { AnswerWriter, AskRequest } from './ask.ts';
