import { AppError } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import { arrayTask } from '../config/index.ts';
import type { StageFlags, StageOptions } from '../stage/index.ts';
import { stageOptionsFromFlags } from '../stage/index.ts';
import { manifestFolder } from './parse-settings.ts';

/** What is said about one run of a stage, over its settings. */
export type StageCall = Pick<StageFlags, 'resume' | 'force' | 'dryRun' | 'limit' | 'shard'>;

/** How a stage runs: what it prefers itself, over that what the configuration says, over that what is said for this time. */
export function stageSettings(call: StageCall, config: Config, preferred: Partial<StageOptions>): StageOptions {
  const { stage } = config;
  const configured = {
    policy: stage.policy,
    scheduling: stage.scheduling,
    workers: stage.workers,
    maxQueue: stage.max_queue,
    perItemTimeoutS: stage.timeout_s,
    // A time that somebody set is the time by the clock, and all of it.
    perItemCpuS: stage.timeout_s === null ? null : 0,
    abortGraceS: stage.abort_grace_s,
    retries: stage.retries,
    retryBackoffS: stage.retry_backoff_s,
    errorBudget: stage.error_budget,
    resume: stage.resume,
    verifyHash: stage.verify_hash,
    diagnosticsIntervalS: stage.diagnostics_interval_s,
    recycleAfterItems: stage.recycle_after_items,
    recycleOverMb: stage.recycle_over_mb,
    warmSpare: stage.warm_spare,
    durable: stage.durable,
    manifestDir: manifestFolder(config),
  };
  const said = Object.fromEntries(Object.entries(configured).filter(([, value]) => value !== null));
  const { resume, force, dryRun, limit, shard } = call;
  const given = Object.fromEntries(
    Object.entries({ resume, force, dryRun, limit, shard: shard && shardOf(shard) }).filter(
      ([, value]) => value !== undefined,
    ),
  ) as StageFlags;
  return stageOptionsFromFlags(given, { ...preferred, ...(said as Partial<StageOptions>) });
}

/** `i/n` as it is; with `auto/n`, or `auto` where the batch system knows n, this process's task of an array job. */
export function shardOf(text: string, task = arrayTask()): string {
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
