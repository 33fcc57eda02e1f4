export type { Candidate, FoundBy, ReadPassage, TableRowText } from './candidates.ts';
export { candidatesOf } from './candidates.ts';
export { openReader } from './open-reader.ts';
export type { Reader } from './reader.ts';
export { rulesReader } from './rules.ts';
export type { Nearness } from './rules.ts';
export { isForeign } from './trained.ts';
