export { runStage } from './runner.ts';
export { StageError } from './stage-error.ts';
export {
  cpuWorkers,
  inShard,
  parseShard,
  STAGE_BOUNDS,
  STAGE_DEFAULTS,
  stageExitCode,
  stageOptions,
} from './options.ts';
export { diagnosticsLine, planText, progressLine, summaryText } from './record/render.ts';
export { attemptsPath, manifestPath, RowsByItem } from './record/manifest.ts';
export { fingerprintPath } from './commit/fingerprint.ts';
export type {
  ErrorCategory,
  ItemEnd,
  ItemFingerprint,
  ItemOutcome,
  ItemRecord,
  ItemSource,
  ManifestSink,
  PlanBucket,
  Policy,
  Progress,
  ReplaceReason,
  Scheduling,
  StageContext,
  StageErrorInfo,
  StageEvent,
  StageHooks,
  StageOptions,
  StageOutcome,
  StagePlan,
  StageRuntime,
  StageWorker,
  TakenItem,
  WorkerContext,
  WorkerModule,
  WorkItem,
} from './types.ts';
