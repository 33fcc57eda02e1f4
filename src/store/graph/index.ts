export type { GraphUpdate } from './graph-rows.ts';
export { GraphRows, hasGraph, isGraphUnfinished, updateGraph, updateGraphSoon } from './graph-rows.ts';
export { ReferenceAnswers } from './reference-answers.ts';
