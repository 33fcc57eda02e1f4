export { hasIndex } from './index-rows.ts';
export type { IndexEvent } from './refresh.ts';
export type { IndexedPassage, SearchFilter } from './opened-segments.ts';
export { refreshIndex } from './refresh.ts';
export { openIndex, readManifest, SEARCHED_BY } from './search-index.ts';
export type { Hit, SearchIndex, SearchMode, SearchOptions } from './search-index.ts';
export { findingWeight, sectionOf, SECTIONS } from './section.ts';
export type { Section } from './section.ts';
export { dot } from './segment/vectors.ts';
