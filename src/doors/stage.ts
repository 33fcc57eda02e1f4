// import … from 'docstokg/stage': runs the items of a stage once each, resumably.
export { runStage, stageExitCode, StageError, summaryText } from '../stage/index.ts';
export type {
  ItemEnd,
  ItemOutcome,
  ItemSource,
  StageErrorInfo,
  StageOptions,
  StageOutcome,
  StagePlan,
  StageWorker,
  TakenItem,
  WorkerContext,
  WorkerModule,
  WorkItem,
} from '../stage/index.ts';
