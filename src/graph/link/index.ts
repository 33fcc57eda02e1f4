export type { Contribution, EdgeStatement, NodeStatement, OpenReference, TextPlace } from '../contribution.ts';
export { nodeKey } from '../schema.ts';
export { citedWorkOf, readPrintedReference, referenceKeys, resolveReference, workKeys } from './link.ts';
export type { StoredAnswer, StoredAnswers } from '../lookup/answers.ts';
export type { GraphSource } from '../build/graph-sources.ts';
