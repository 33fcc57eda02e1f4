export { askCorpus, citedWorks } from './ask.ts';
export type { Answer, AskEvent } from './ask.ts';
export { checkClaim, checkQuote, numberMissing, quoteAt } from './check-answer.ts';
export type { AnswerQuote, AnswerSentence, DropReason } from './check-answer.ts';
export { checkSupport } from './check-support.ts';
export { dropReasonOf } from '../model/index.ts';
export { answerSentences, readCandidates } from './extract-answer.ts';
export { askSettings, delimited, openWriter } from './writer.ts';
