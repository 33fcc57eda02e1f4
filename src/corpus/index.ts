export type * from '../library/index.ts';
export {
  CITATION_STYLES,
  figuresOf,
  stageManifestFolder,
  SearchSession,
  sentenceOf,
  textOf,
  WORK_FACETS,
  WORK_ORDERS,
} from '../library/index.ts';
export type {
  CorpusEvent,
  CorpusStageName,
  Estimate,
  RunProgress,
  RunRequest,
  ParseRequest,
  ParseStage,
  RefreshDiff,
  RefreshRequest,
  RunAccount,
  RunAsked,
  RunFile,
  SearchEvent,
  StageCall,
  UnreadableEntry,
} from '../run/index.ts';
export { copyCorpus } from './copy-corpus.ts';
export {
  corpusLayer,
  defaultStageOptions,
  entryNames,
  eventStream,
  Run,
  isEmptyDiff,
  modelClient,
  modelPrices,
  modelSettings,
  PARSE_STAGES,
  stageSettings,
  ZOTERO_PARTS,
} from '../run/index.ts';
export { Corpus, openCorpus, openDatabaseCorpus } from './corpus.ts';
export type { CorpusOptions, GivenNote, NotesRequest } from './corpus.ts';
export type { Note } from '../database/index.ts';
export type { CorpusGraph, GraphRequest, NodeDecision } from './corpus-graph.ts';
export { EXPORT_FORMATS } from './export/export-corpus.ts';
export type { ExportFormat, ExportRequest } from './export/export-corpus.ts';
export { fleetDatabase } from '../journal/index.ts';
export { copyNotice } from './fleet-part.ts';
export { findSearchPlace } from './open-search.ts';
