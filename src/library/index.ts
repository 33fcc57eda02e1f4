export {
  accountOf,
  outcomesOf,
  runCountsOf,
  hostFigures,
  hostSlices,
  prismaSvg,
  attemptsAtHosts,
  sourcesOf,
  stageTimes,
} from './account.ts';
export type { Account, RunCounts, HostFigures } from './account.ts';
export { chooseWorks, worksOfSet } from './choose-works.ts';
export { CorpusWorks, documentLink } from './corpus-works.ts';
export type { LibraryWork } from './corpus-works.ts';
export type { DocumentPlace } from './place-files.ts';
export { WORK_FACETS, sentenceOf, WORK_ORDERS } from './works/work-table.ts';
export type { WorkFacet, WorkFilter, WorkLine, WorksRequest } from './works/work-table.ts';
export { exportGraph, GRAPH_FORMATS } from './graph/export-graph.ts';
export type { GraphFormat } from './graph/export-graph.ts';
export { agreementOf } from './graph/effects.ts';
export type { WorkEffect } from './graph/effects.ts';
export { Graph, openGraph } from './graph/graph.ts';
export { workLabel } from './graph/types.ts';
export type { GraphNode, Neighbour, ShownEvidence, Weighted } from './graph/types.ts';
export { isFailure, isRefusal } from '../database/index.ts';
export { CITATION_STYLES, Library, stageManifestFolder } from './library.ts';
export { figuresOf, textOf } from './read-document.ts';
export type { TextPiece } from './read-document.ts';
export type { CitedDocument, CitedHit, CitedWork, PassageFilter, SearchRequest } from './search/search-session.ts';
export { keptOpen } from './search/kept-open.ts';
export type { KeptOpen } from './search/kept-open.ts';
export { nearnessBy, SearchSession } from './search/search-session.ts';
export { CorpusView } from './view/corpus-view.ts';
export { SourceFiles } from './view/source-files.ts';
export type { RunEvent, StepCount } from './view/corpus-view.ts';
