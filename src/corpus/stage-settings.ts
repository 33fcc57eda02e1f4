import type { Config } from '../config/index.ts';
import type { StageFlags, StageOptions } from '../stage/index.ts';
import { stageOptionsFromFlags } from '../stage/index.ts';
import { manifestFolder } from './parse-settings.ts';

/** What of a command's options concerns the runner. */
const FLAGS = [
  'workers',
  'policy',
  'isolation',
  'scheduling',
  'maxQueue',
  'errorBudget',
  'timeoutS',
  'retries',
  'retryBackoffS',
  'diagnosticsIntervalS',
  'resume',
  'force',
  'verifyHash',
  'dryRun',
  'limit',
  'shard',
] as const satisfies readonly (keyof StageFlags)[];

/** How a stage runs: what it prefers itself, over that what the configuration says, over that what the command line says. */
export function stageSettings(flags: StageFlags, config: Config, preferred: Partial<StageOptions>): StageOptions {
  const { stage } = config;
  const configured = {
    policy: stage.policy,
    isolation: stage.isolation,
    scheduling: stage.scheduling,
    workers: stage.workers,
    maxQueue: stage.max_queue,
    perItemTimeoutS: stage.timeout_s,
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
  const given = Object.fromEntries(FLAGS.map((name) => [name, flags[name]])) as StageFlags;
  return stageOptionsFromFlags(given, { ...preferred, ...(said as Partial<StageOptions>) });
}
