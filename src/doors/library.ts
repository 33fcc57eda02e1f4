// import … from 'docstokg/library': what a corpus folder knows, for reading.
export { figuresOf, Graph, Library, openGraph, SearchSession, textOf } from '../library/index.ts';
export type {
  CitedHit,
  GraphNode,
  Neighbour,
  PassageFilter,
  SearchRequest,
  ShownEvidence,
  Weighted,
  WorkFilter,
  WorkLine,
  WorksRequest,
} from '../library/index.ts';
