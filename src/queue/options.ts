import type { DeathLimits, Outlook } from './types.ts';

/** Deaths beside other jobs before a job must run alone: most jobs of a dying process are innocent. */
const SHARED_DEATHS = 2;

/** A job is given up after this many times the limit of deaths alone, however many processes die. */
const LENIENCE = 3;

export function deathLimits(maxDeaths: number): DeathLimits {
  return { shared: SHARED_DEATHS, alone: maxDeaths, most: LENIENCE * maxDeaths };
}

/** Options of an orchestrator, with their defaults; the configuration has the same keys in seconds. */
export interface OrchestratorOptions extends Readonly<typeof ORCHESTRATOR_DEFAULTS> {}

export const ORCHESTRATOR_DEFAULTS = {
  maxWorkers: 8,
  /** Concurrent downloads per resolver; unlimited if not named. */
  maxPerResolver: {} as Readonly<Record<string, number>>,
  maxPerHost: 4,
  /** Jobs that may wait for a busy host without holding a worker. */
  maxParked: 256,
  /** Jobs leased for a busy host beyond its cap, so that one starts the moment another ends. */
  readyPerHost: 1,
  /** Jobs of a host held longer than this are not waited for. */
  patienceMs: 60_000,
  /** When only such jobs are left: try them, because their handler may know other URLs, or wait. */
  heldLanes: 'wait' as 'try' | 'wait',
  /** A job whose lease was not extended for this long is taken over. */
  leaseMs: 600_000,
  heartbeatMs: 30_000,
  maxAttempts: 3,
  /** A job whose process died this often while it ran alone ends in state error. */
  maxDeaths: 3,
  /** Delay before the second attempt; doubles with each further attempt. */
  retryBackoffMs: 60_000,
  /** Up to this much is added to each delay at random. */
  retryJitterMs: 15_000,
  retryMaxDelayMs: 3_600_000,
  /** A job that runs longer is aborted and counts as failed; 0 means no limit. */
  jobTimeoutMs: 3_600_000,
  shutdownGraceMs: 30_000,
  /** Finished jobs that stay in the queue; older ones are removed and only counted. 0 removes none. */
  keepFinished: 0,
};

/** When to end: only when stopped; when no job is left, delayed and paused ones included; when nothing can run now. */
export type DrainMode = 'never' | 'empty' | 'due';

/** `nothingCanRun`: none of the ready jobs may run now. */
export function isDrained(drain: DrainMode, { ready, delayed, inProgress }: Outlook, nothingCanRun: boolean): boolean {
  switch (drain) {
    case 'never':
      return false;
    case 'empty':
      return ready + delayed + inProgress === 0;
    case 'due':
      return inProgress === 0 && (ready === 0 || nothingCanRun);
  }
}
