import { availableParallelism } from 'node:os';

import { AppError } from '../base/index.ts';
import type { StageOptions } from './types.ts';

/** The seed's defaults, and ours where it is silent. */
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
  recycleOverMb: 0,
  warmSpare: true,
  niceness: 0,
  durable: true,
  manifestDir: 'Data/Manifests',
  handleSignals: true,
};

type NumberOption = {
  [K in keyof StageOptions]: StageOptions[K] extends number ? K : never;
}[keyof StageOptions];

/** Least and greatest value of each number, and whether it counts things. */
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
  recycleOverMb: { least: 0, most: 1_048_576, whole: true },
  niceness: { least: 0, most: 19, whole: true },
};

const CHOICES = {
  policy: ['io', 'cpu', 'gpu'],
  scheduling: ['fifo', 'sjf', 'lpt'],
} as const;

/** Options with every knob set, all within their bounds. */
export function stageOptions(given: Partial<StageOptions> = {}): StageOptions {
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const options: StageOptions = { ...STAGE_DEFAULTS, ...set };
  for (const [name, { least, most, whole }] of Object.entries(STAGE_BOUNDS)) {
    const value: unknown = options[name as NumberOption];
    if (typeof value === 'number' && value >= least && value <= most && (!whole || Number.isInteger(value))) continue;
    throw new AppError('CONFIG_STAGE_OPTION', `${name} is ${String(value)}`, {
      hint: `give a ${whole ? 'whole ' : ''}number from ${least} to ${most}`,
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

/** How many times its processor time an item may take by the clock: it may wait for others, but not forever. */
export const WALL_PER_CPU = 10;

/** As many cpu workers as can run at once on this machine. */
export function cpuWorkers(): number {
  return availableParallelism();
}
