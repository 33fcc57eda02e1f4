import { hash } from 'node:crypto';
import { availableParallelism } from 'node:os';

import { AppError } from '../base/index.ts';
import type { StageOptions, StageOutcome } from './types.ts';

export const STAGE_DEFAULTS: StageOptions = {
  policy: 'io',
  workers: 4,
  perItemTimeoutS: 0,
  perItemCpuS: 0,
  abortGraceS: 2,
  retries: 0,
  retryBackoffS: 1,
  errorBudget: 0,
  maxQueue: 0,
  scheduling: 'fifo',
  resume: true,
  force: false,
  verifyHash: false,
  dryRun: false,
  diagnosticsIntervalS: 30,
  limit: 0,
  shard: { index: 1, count: 1 },
  memoryLimitMb: 0,
  youngGenerationMb: 0,
  recycleAfterItems: 0,
  niceness: 0,
  durable: true,
  manifestDir: 'Data/Manifests',
  handleSignals: true,
};

type NumberOption = {
  [K in keyof StageOptions]: StageOptions[K] extends number ? K : never;
}[keyof StageOptions];

/** Range of each number, and whether it must be an integer. */
export const STAGE_BOUNDS: Readonly<
  Record<NumberOption, { readonly least: number; readonly most: number; readonly whole: boolean }>
> = {
  workers: { least: 1, most: 1024, whole: true },
  perItemTimeoutS: { least: 0, most: 604_800, whole: false },
  perItemCpuS: { least: 0, most: 604_800, whole: false },
  abortGraceS: { least: 0, most: 3_600, whole: false },
  retries: { least: 0, most: 100, whole: true },
  retryBackoffS: { least: 0, most: 3_600, whole: false },
  errorBudget: { least: 0, most: 1_000_000_000, whole: true },
  maxQueue: { least: 0, most: 1_000_000, whole: true },
  diagnosticsIntervalS: { least: 0, most: 86_400, whole: false },
  limit: { least: 0, most: 1_000_000_000, whole: true },
  memoryLimitMb: { least: 0, most: 1_048_576, whole: true },
  youngGenerationMb: { least: 0, most: 3_072, whole: true },
  recycleAfterItems: { least: 0, most: 1_000_000_000, whole: true },
  niceness: { least: 0, most: 19, whole: true },
};

const CHOICES = {
  policy: ['io', 'cpu', 'gpu'],
  scheduling: ['fifo', 'sjf', 'lpt'],
} as const;

/** The given options with defaults for the rest; throws if one is out of range. */
export function stageOptions(given: Partial<StageOptions> = {}): StageOptions {
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const options: StageOptions = { ...STAGE_DEFAULTS, ...set };
  for (const [name, { least, most, whole }] of Object.entries(STAGE_BOUNDS)) {
    const value: unknown = options[name as NumberOption];
    if (typeof value === 'number' && value >= least && value <= most && (!whole || Number.isInteger(value))) continue;
    throw new AppError('CONFIG_STAGE_OPTION', `${name} is ${String(value)}`, {
      hint: `expected ${whole ? 'an integer' : 'a number'} from ${least} to ${most}`,
    });
  }
  for (const [name, choices] of Object.entries(CHOICES)) {
    const value = options[name as keyof typeof CHOICES];
    if ((choices as readonly string[]).includes(value)) continue;
    throw new AppError('CONFIG_STAGE_OPTION', `${name} is "${value}"`, { hint: `one of ${choices.join(', ')}` });
  }
  const { index, count } = options.shard;
  if (!Number.isInteger(index) || !Number.isInteger(count) || index < 1 || index > count) {
    throw new AppError('CONFIG_STAGE_OPTION', `shard is ${index}/${count}`, { hint: 'use i/n with i from 1 to n' });
  }
  return options;
}

export function parseShard(text: string): StageOptions['shard'] {
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(text.trim());
  const index = Number(match?.[1] ?? 0);
  const count = Number(match?.[2] ?? 0);
  if (index < 1 || index > count) {
    throw new AppError('USAGE_SHARD', `"${text}" is not a shard`, {
      hint: 'use i/n with i from 1 to n, for example 2/4',
    });
  }
  return { index, count };
}

/** Whether an item belongs to the shard. By its id alone, so that it stays in its shard when the plan grows. */
export function inShard(itemId: string, shard: StageOptions['shard']): boolean {
  if (shard.count === 1) return true;
  return hash('sha256', itemId, 'buffer').readUInt32BE(0) % shard.count === shard.index - 1;
}

/** 0 on success, 1 if an item failed or the run was cut short, 130 after a signal. */
export function stageExitCode(outcome: Pick<StageOutcome, 'failed' | 'cancelled' | 'stopReason'>): 0 | 1 | 130 {
  if (outcome.cancelled && outcome.stopReason?.startsWith('SIG')) return 130;
  return outcome.failed > 0 || outcome.cancelled ? 1 : 0;
}

/** Wall-clock limit of an item as a multiple of its CPU time limit: it may wait for the processor, but not forever. */
export const WALL_PER_CPU = 10;

export function cpuWorkers(): number {
  return availableParallelism();
}
