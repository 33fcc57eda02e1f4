export { runStage } from './runner.ts';
export { ListSource } from './plan/list-source.ts';
export { StageError } from './stage-error.ts';
export { cpuWorkers, STAGE_BOUNDS, STAGE_DEFAULTS, stageOptions } from './options.ts';
export { stageExitCode, stageOptionsFromFlags } from './flags.ts';
export type { StageFlags } from './flags.ts';
export { diagnosticsLine, planText, progressLine, summaryText } from './record/render.ts';
export { attemptsPath, manifestPath, RowsByItem } from './record/manifest.ts';
export { fingerprintPath } from './commit/fingerprint.ts';
export { inShard } from './plan/shard.ts';
export type { ItemRecord, ManifestSink } from './record/manifest-sink.ts';
export type { Progress, ReplaceReason, StageEvent } from './events.ts';
export type {
  ErrorCategory,
  ItemEnd,
  ItemFingerprint,
  ItemOutcome,
  ItemSource,
  PlanBucket,
  Policy,
  Scheduling,
  StageContext,
  StageErrorInfo,
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
