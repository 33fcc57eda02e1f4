export { accountOf, COUNTS, outcomesOf, runCountsOf } from './account.ts';
export type { Account, RunCounts } from './account.ts';
export { chooseWorks, parseWorkFilter, worksOfSet } from './chosen-works.ts';
export { CorpusWorks } from './corpus-works.ts';
export { decodeCursor, encodeCursor } from './cursor.ts';
export type { DocumentLine, DocumentsRequest, DocumentStep } from './document-table.ts';
export { DocumentTable } from './document-table.ts';
export type { HostFigures, HostSlice } from './hosts.ts';
export { hostFigures, hostSlices, newHolds, timeScale } from './hosts.ts';
export { prismaSvg } from './prisma.ts';
export type { PrismaCounts } from './prisma.ts';
export type { AttemptAtHost, Sources } from './sources.ts';
export { attemptsAtHosts, sourcesOf } from './sources.ts';
export type { StageTimes } from './stages.ts';
export { stageTimes } from './stages.ts';
export type { WorkFacet, WorkFilter } from './works/work-filter.ts';
export { parseYears, wordsOf, WORK_FACETS } from './works/work-filter.ts';
export type { SettledWork, WorkLine, WorkOrder, WorkOutcome, WorksRequest, WorkTable } from './works/work-table.ts';
export { sentenceOf, WORK_ORDERS } from './works/work-table.ts';
export { EXPORT_FORMATS, exportGraph } from './graph/export-graph.ts';
export type { ExportFormat } from './graph/export-graph.ts';
export { Graph, openGraph } from './graph/graph.ts';
export { nearDocuments } from './graph/near-documents.ts';
export { workLabel } from './graph/types.ts';
export type { GraphNode, Neighbour, ShownEvidence, Weighted } from './graph/types.ts';
export { isFailure, isRefusal } from '../store/index.ts';
export { CITATION_STYLES, documentLinks, Library, manifestFolder } from './library/library.ts';
export type {
  CitationStyle,
  LibraryAccount,
  LibraryOutcome,
  LibraryWork,
  MissingReason,
  WorksPage,
} from './library/library.ts';
export type { Figure, LibraryDocument, OutlineEntry, TextPart, TextPiece } from './library/read-document.ts';
export type { CitedDocument, CitedHit, CitedWork } from './search/cited-hit.ts';
export { KeptOpen, fileStamp } from './search/kept-open.ts';
export { LiveSearch, SearchSession } from './search/search-session.ts';
export type { PassageFilter } from './search/search-filter.ts';
export type { SearchRequest } from './search/search-session.ts';
export { CorpusView } from './view/corpus-view.ts';
export type { RunEvent, StepCount } from './view/corpus-view.ts';
export type { ShownBlock, ShownDocument } from './view/shown-document.ts';
