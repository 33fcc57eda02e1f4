import { AppError } from '../base/index.ts';
import { stageOptions } from './options.ts';
import { parseShard } from './plan/shard.ts';
import type { StageOptions, StageOutcome } from './types.ts';

/** Options of a stage as a command line gives them: numbers may still be text. */
export interface StageFlags {
  readonly workers?: number | string;
  readonly policy?: string;
  readonly scheduling?: string;
  readonly maxQueue?: number | string;
  readonly errorBudget?: number | string;
  readonly timeoutS?: number | string;
  readonly retries?: number | string;
  readonly retryBackoffS?: number | string;
  readonly diagnosticsIntervalS?: number | string;
  readonly memoryLimitMb?: number | string;
  readonly recycleAfterItems?: number | string;
  readonly recycleOverMb?: number | string;
  readonly resume?: boolean;
  readonly force?: boolean;
  readonly verifyHash?: boolean;
  readonly dryRun?: boolean;
  readonly limit?: number | string;
  readonly shard?: string;
  readonly manifestDir?: string;
}

/** Turns a command line's options into a stage's; `stageDefaults` is what this stage prefers where nothing was said. */
export function stageOptionsFromFlags(flags: StageFlags, stageDefaults: Partial<StageOptions> = {}): StageOptions {
  const { timeoutS, shard, workers, maxQueue, errorBudget, retries, retryBackoffS, diagnosticsIntervalS, ...rest } =
    flags;
  const { limit, memoryLimitMb, recycleAfterItems, recycleOverMb, policy, scheduling, ...plain } = rest;
  const numbers = {
    workers: toNumber('--workers', workers),
    maxQueue: toNumber('--max-queue', maxQueue),
    errorBudget: toNumber('--error-budget', errorBudget),
    perItemTimeoutS: toNumber('--timeout-s', timeoutS),
    retries: toNumber('--retries', retries),
    retryBackoffS: toNumber('--retry-backoff-s', retryBackoffS),
    diagnosticsIntervalS: toNumber('--diagnostics-interval-s', diagnosticsIntervalS),
    limit: toNumber('--limit', limit),
    memoryLimitMb: toNumber('--memory-limit-mb', memoryLimitMb),
    recycleAfterItems: toNumber('--recycle-after-items', recycleAfterItems),
    recycleOverMb: toNumber('--recycle-over-mb', recycleOverMb),
  };
  const words = { policy, scheduling } as Partial<StageOptions>;
  const said = Object.fromEntries(
    Object.entries({
      ...plain,
      ...numbers,
      ...words,
      shard: shard === undefined ? undefined : parseShard(shard),
    }).filter(([, value]) => value !== undefined),
  ) as Partial<StageOptions>;
  return stageOptions({ ...stageDefaults, ...said });
}

/** 0 when all is well, 1 when an item failed or the run was cut short, 130 when a person or the system stopped it. */
export function stageExitCode(outcome: Pick<StageOutcome, 'failed' | 'cancelled' | 'stopReason'>): 0 | 1 | 130 {
  if (outcome.cancelled && outcome.stopReason?.startsWith('SIG')) return 130;
  return outcome.failed > 0 || outcome.cancelled ? 1 : 0;
}

function toNumber(flag: string, value: number | string | undefined): number | undefined {
  if (value === undefined || typeof value === 'number') return value;
  const number = value.trim() === '' ? Number.NaN : Number(value);
  if (!Number.isFinite(number)) throw new AppError('USAGE_NUMBER', `${flag} expects a number, not "${value}"`);
  return number;
}
