export type { Contribution, EdgeStatement, NodeStatement, OpenReference, TextPlace } from '../schema.ts';
export { nodeKey } from '../schema.ts';
export { citedWorkOf, readPrintedReference, referenceKeys, resolveReference, workKeys } from './link.ts';
export type { StoredAnswer, StoredAnswers } from '../lookup/look-up.ts';
export type { GraphSource } from '../build/graph-sources.ts';
