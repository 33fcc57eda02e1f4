import type { Config } from '../config/index.ts';
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
    Object.entries({ resume, force, dryRun, limit, shard }).filter(([, value]) => value !== undefined),
  ) as StageFlags;
  return stageOptionsFromFlags(given, { ...preferred, ...(said as Partial<StageOptions>) });
}
