export { buildIndex } from './build.ts';
export type { BuildOptions } from './build.ts';
export { passagesFromFiles } from './from-files.ts';
export type { DocumentFiles } from './from-files.ts';
export type { Fusion, Ranking } from './fusion.ts';
export type { IndexManifest } from './manifest.ts';
export type { IndexedPassage, Passage } from './passage.ts';
export { openIndex } from './search-index.ts';
export type { Hit, SearchIndex, SearchMode, SearchOptions } from './search-index.ts';
