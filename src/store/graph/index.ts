export type { GraphUpdate } from './graph-rows.ts';
export { GraphRows, hasGraph, updateGraph, updateGraphSoon } from './graph-rows.ts';
export { ReferenceAnswers } from './reference-answers.ts';
