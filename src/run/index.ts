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
