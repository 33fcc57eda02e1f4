import { hash } from 'node:crypto';
import { availableParallelism } from 'node:os';

import { AppError } from '../base/index.ts';

const CHOICES = { policy: ['io', 'cpu', 'gpu'], scheduling: ['fifo', 'sjf', 'lpt'] } as const;

/** io and gpu run asynchronously in this thread; cpu runs in child processes. */
type Policy = (typeof CHOICES.policy)[number];

/** fifo: as planned; sjf: cheapest first, for early results; lpt: most expensive first, for the earliest end. */
export type Scheduling = (typeof CHOICES.scheduling)[number];

const integer = (value: number, least: number, most: number) => ({ value, least, most, isInteger: true });
const real = (value: number, least: number, most: number) => ({ value, least, most, isInteger: false });

/** The options that are numbers: default, minimum and maximum. */
export const STAGE_NUMBERS = {
  workers: integer(4, 1, 1024),
  /** Wall-clock timeout of an item; 0 means none. */
  perItemTimeoutS: real(0, 0, 604_800),
  /** CPU time of an item; by the clock it may take ten times as long. 0 means no limit; see `grantCpu`. */
  perItemCpuS: real(0, 0, 604_800),
  /** How long an aborted io item may take to stop before it is abandoned. */
  abortGraceS: real(2, 0, 3_600),
  retries: integer(0, 0, 100),
  retryBackoffS: real(1, 0, 3_600),
  /** The run stops after more final failures than this; 0 means never. */
  errorBudget: integer(0, 0, 1_000_000_000),
  /** Maximum number of items waiting for a worker; 0 means the runner's own limit. */
  maxQueue: integer(0, 0, 1_000_000),
  diagnosticsIntervalS: real(30, 0, 86_400),
  /** Maximum number of items; 0 means all. */
  limit: integer(0, 0, 1_000_000_000),
  /** A cpu worker that needs more memory is killed, and its item fails; 0 means no limit. */
  memoryLimitMb: integer(0, 0, 1_048_576),
  /**
   * Size of the young generation of a cpu worker's heap; a small one keeps the process smaller. 0 means V8's default.
   */
  youngGenerationMb: integer(0, 0, 3_072),
  /** A cpu worker is replaced after this many items; 0 means never. */
  recycleAfterItems: integer(0, 0, 1_000_000_000),
  /** Added to the nice value of worker processes. */
  niceness: integer(0, 0, 19),
};

type Numbers = { readonly [K in keyof typeof STAGE_NUMBERS]: number };

const OTHER_DEFAULTS = {
  policy: 'io' as Policy,
  scheduling: 'fifo' as Scheduling,
  resume: true,
  force: false,
  /** Hash every input and output again instead of comparing size, time and inode. */
  verifyHash: false,
  dryRun: false,
  /** This runner's part of the plan, counted from 1. */
  shard: { index: 1, count: 1 } as { readonly index: number; readonly count: number },
  /** Sync outputs and rows to disk before an item counts as done. */
  durable: true,
  manifestDir: 'Data/Manifests',
  /** Drain on the first SIGINT, SIGTERM or SIGHUP while the stage runs, abort on the second. */
  handleSignals: true,
};

/** How a stage runs; `STAGE_NUMBERS` and the defaults beside it say what each option means. */
export interface StageOptions extends Numbers, Readonly<typeof OTHER_DEFAULTS> {}

export const STAGE_DEFAULTS: StageOptions = {
  ...OTHER_DEFAULTS,
  ...(Object.fromEntries(Object.entries(STAGE_NUMBERS).map(([name, { value }]) => [name, value])) as Numbers),
};

/** Throws if an option is out of range. */
export function stageOptions(given: Partial<StageOptions> = {}): StageOptions {
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const options: StageOptions = { ...STAGE_DEFAULTS, ...set };
  for (const [name, { least, most, isInteger }] of Object.entries(STAGE_NUMBERS)) {
    const value: unknown = options[name as keyof Numbers];
    if (typeof value === 'number' && value >= least && value <= most && (!isInteger || Number.isInteger(value)))
      continue;
    throw new AppError('CONFIG_STAGE_OPTION', `${name} is ${String(value)}`, {
      hint: `expected ${isInteger ? 'an integer' : 'a number'} from ${least} to ${most}`,
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

/** By its id alone, so that an item stays in its shard when the plan grows. */
export function inShard(itemId: string, shard: StageOptions['shard']): boolean {
  if (shard.count === 1) return true;
  return hash('sha256', itemId, 'buffer').readUInt32BE(0) % shard.count === shard.index - 1;
}

/** Wall-clock limit of an item as a multiple of its CPU time limit: it may wait for the processor, but not forever. */
export const WALL_PER_CPU = 10;

export function cpuWorkers(): number {
  return availableParallelism();
}
