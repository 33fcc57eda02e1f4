export { accountOfStages } from './account.ts';
export type { FailedDocument, RunAccount, StageAccount, WorksAccount } from './account.ts';
export { CorpusRun } from './corpus-run.ts';
export type {
  Arrive,
  CorpusOutcome,
  CorpusReport,
  CorpusRunOptions,
  CorpusStageName,
  CorpusStages,
} from './corpus-run.ts';
export type { ClosingStage, FlowingStage, PreparedStage } from './prepared-stage.ts';
export { readRunFile } from './run-file.ts';
export type { RunAsked, RunFile } from './run-file.ts';
export { RunFolder } from './run-folder.ts';
export { buildCorpus, indexFolder } from './build-corpus.ts';
export type { CorpusRequest, CorpusWatcher } from './build-corpus.ts';
export { documentLinks } from './document-links.ts';
export { chunkSettings, doctagsSettings, manifestFolder, openDense, openEmbedEngines } from './parse-settings.ts';
export { prepareChunk, prepareDoctags, prepareEmbed } from './prepare-stages.ts';
export { openQueryEngine } from './query-engine.ts';
export { findSearchPlace } from './search-place.ts';
export type { SearchPlace } from './search-place.ts';
export { openSharedPlan } from './shared-plan.ts';
