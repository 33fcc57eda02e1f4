import { AppError } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import { arrayTask } from '../config/index.ts';
import type { StageOptions } from '../stage/index.ts';
import { parseShard, stageOptions } from '../stage/index.ts';
import { manifestFolder } from '../ask/index.ts';

/** Options of one run of a stage; they override the settings. */
export interface StageCall {
  readonly resume?: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly limit?: number;
  /** `i/n`, `auto/n` or `auto`. */
  readonly shard?: string;
}

/** The options of a stage: its own preferences, overridden by the configuration, overridden by the call. */
export function stageSettings(call: StageCall, config: Config, preferred: Partial<StageOptions>): StageOptions {
  const { stage } = config;
  const configured = {
    policy: stage.policy,
    scheduling: stage.scheduling,
    workers: stage.workers,
    maxQueue: stage.max_queue,
    perItemTimeoutS: stage.timeout_s,
    // A configured timeout is wall-clock time and replaces the CPU time limit.
    perItemCpuS: stage.timeout_s === null ? null : 0,
    retries: stage.retries,
    retryBackoffS: stage.retry_backoff_s,
    errorBudget: stage.error_budget,
    resume: stage.resume,
    verifyHash: stage.verify_hash,
    diagnosticsIntervalS: stage.diagnostics_interval_s,
    durable: stage.durable,
    manifestDir: manifestFolder(config),
  };
  const { resume, force, dryRun, limit, shard } = call;
  const called = { resume, force, dryRun, limit, shard: shard === undefined ? undefined : parseShard(shardOf(shard)) };
  const isSet = ([, value]: [string, unknown]): boolean => value !== null && value !== undefined;
  return stageOptions({
    ...preferred,
    ...Object.fromEntries(Object.entries(configured).filter(isSet)),
    ...Object.fromEntries(Object.entries(called).filter(isSet)),
  });
}

/** `i/n` as it is; with `auto/n`, or `auto` where the batch system knows n, this process's task of an array job. */
export function shardOf(text: string, task: ReturnType<typeof arrayTask> = arrayTask()): string {
  const [, count] = /^auto(?:\/(\d+))?$/.exec(text.trim()) ?? [];
  if (!text.trim().startsWith('auto')) return text;
  if (!task)
    throw new AppError('USAGE_SHARD', `--shard ${text}: this is not a task of an array job`, {
      hint: 'SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX or AWS_BATCH_JOB_ARRAY_INDEX is set in one; else give i/n',
    });
  const of = count ?? task.count;
  if (of === undefined)
    throw new AppError('USAGE_SHARD', `--shard ${text}: nothing says how many tasks there are`, {
      hint: 'give auto/n with the number of completions of the job',
    });
  return `${task.index}/${of}`;
}
