export type {
  FailedDocument,
  RunAccount,
  StageAccount,
  WorksAccount,
  CorpusEvent,
  MessageEvent,
  RunAsked,
  RunFile,
} from './run-file.ts';
export type * from '../ask/index.ts';
export { Corpus, corpusLayer, openCorpus } from './corpus.ts';
export type { CorpusOptions } from './corpus.ts';
export type { ClaimsEvent, CorpusGraph, GraphEvent, GraphRequest } from './corpus-graph.ts';
export type { CorpusStageName } from './corpus-run.ts';
export type { Estimate, GatherRequest, SkippedFile } from './gather-request.ts';
export { Gathering } from './gather.ts';
export type { GatherProgress } from './gather.ts';
export { modelClient, modelPrices, modelSettings, defaultStageOptions, stageSettings } from './prepare-stages.ts';
export {
  CITATION_STYLES,
  figuresOf,
  Library,
  manifestFolder,
  SearchSession,
  sentenceOf,
  textOf,
  WORK_FACETS,
  WORK_ORDERS,
} from '../ask/index.ts';
export { PARSE_STAGES } from './run-stages.ts';
export type { ParseRequest, ParseStage } from './run-stages.ts';
export { findSearchPlace } from './open-search.ts';
export type { SearchEvent } from './open-search.ts';
export { eventStream } from './corpus-run.ts';
export type { StageCall } from './prepare-stages.ts';
export { EXPORT_FORMATS } from './export/export-corpus.ts';
export type { ExportFormat, ExportRequest } from './export/export-corpus.ts';
export { entryNames } from '../harvest/index.ts';
export type { UnreadableEntry } from '../harvest/index.ts';
export { isEmptyDiff } from './refresh/refresh-corpus.ts';
export type { RefreshDiff, RefreshRequest } from './refresh/refresh-corpus.ts';
