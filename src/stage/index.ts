export { runStage } from './runner.ts';
export { StageError } from './stage-error.ts';
export { cpuWorkers, inShard, parseShard, STAGE_DEFAULTS, STAGE_NUMBERS, stageOptions } from './options.ts';
export { stageExitCode } from './exit-code.ts';
export type { Scheduling, StageOptions } from './options.ts';
export { diagnosticsLine, planText, progressLine, summaryText } from './record/render.ts';
export { attemptsPath, manifestPath, RowsByItem } from './record/manifest.ts';
export { fingerprintPath, hashOfInputs } from './commit/fingerprint.ts';
export type * from './types.ts';
