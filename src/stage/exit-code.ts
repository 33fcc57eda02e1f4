import type { StageOutcome } from './types.ts';

/** 0 on success, 1 if an item failed or the run was cut short, 130 after a signal. */
export function stageExitCode(outcome: Pick<StageOutcome, 'failed' | 'cancelled' | 'stopReason'>): 0 | 1 | 130 {
  if (outcome.cancelled && outcome.stopReason?.startsWith('SIG')) return 130;
  return outcome.failed > 0 || outcome.cancelled ? 1 : 0;
}
