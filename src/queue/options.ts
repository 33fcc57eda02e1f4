import type { DeathLimits, Outlook } from './types.ts';

/**
 * Deaths beside other jobs before a job must run alone: one death says little, since most jobs of a dying process are
 * innocent.
 */
const SHARED_DEATHS = 2;

/** A job is given up after this many times the limit of deaths alone, however many processes die. */
const LENIENCE = 3;

export function deathLimits(maxDeaths: number): DeathLimits {
  return { shared: SHARED_DEATHS, alone: maxDeaths, most: LENIENCE * maxDeaths };
}

/** Options of an orchestrator; the configuration has the same keys in seconds. */
export interface OrchestratorOptions {
  readonly maxWorkers: number;
  /** Concurrent downloads per resolver; unlimited if not named. */
  readonly maxPerResolver: Readonly<Record<string, number>>;
  readonly maxPerHost: number;
  /** Jobs that may wait for a busy host without holding a worker. */
  readonly maxParked: number;
  /** Jobs leased for a busy host beyond its cap, so that one starts the moment another ends; 1 by default. */
  readonly readyPerHost?: number | undefined;
  /** Jobs of a host held longer than this are not waited for. */
  readonly patienceMs?: number;
  /**
   * What to do with such jobs when nothing else can run: try them, because their handler may know other URLs, or wait.
   */
  readonly heldLanes?: 'try' | 'wait';
  /** A job whose lease was not extended for this long is taken over. */
  readonly leaseMs: number;
  /** How often leases of running jobs are extended. */
  readonly heartbeatMs: number;
  readonly maxAttempts: number;
  /** A job whose process died this often while it ran alone ends in state error. */
  readonly maxDeaths: number;
  /** Delay before the second attempt; doubles with each further attempt. */
  readonly retryBackoffMs: number;
  /** Up to this much is added to each delay at random. */
  readonly retryJitterMs: number;
  readonly retryMaxDelayMs: number;
  /** A job that runs longer is aborted and counts as failed; 0 means no limit. */
  readonly jobTimeoutMs: number;
  /** How long running jobs may finish after a stop. */
  readonly shutdownGraceMs: number;
  /** Finished jobs that stay in the queue; older ones are removed and only counted. 0, the default, removes none. */
  readonly keepFinished?: number;
}

export const ORCHESTRATOR_DEFAULTS: OrchestratorOptions = {
  maxWorkers: 8,
  maxPerResolver: {},
  maxPerHost: 4,
  maxParked: 256,
  readyPerHost: 1,
  leaseMs: 600_000,
  heartbeatMs: 30_000,
  maxAttempts: 3,
  maxDeaths: 3,
  retryBackoffMs: 60_000,
  retryJitterMs: 15_000,
  retryMaxDelayMs: 3_600_000,
  jobTimeoutMs: 3_600_000,
  shutdownGraceMs: 30_000,
};

/** When to end: only when stopped; when no job is left, delayed and paused ones included; when nothing can run now. */
export type DrainMode = 'never' | 'empty' | 'due';

/** Whether there is nothing left to wait for; `nothingCanRun`: none of the ready jobs may run now. */
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
