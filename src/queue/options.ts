import type { DeathLimits, Outlook } from './types.ts';

/**
 * In hand at so many deaths beside others, a job runs alone from then on: one death says little, since most jobs in the
 * hands of a process that dies have not killed it.
 */
const SHARED_DEATHS = 2;

/** So many times the limit of deaths alone is the most that is let off while other processes die too. */
const LENIENCE = 3;

/** The limits of a queue whose jobs are given up after so many deaths alone. */
export function deathLimits(maxDeaths: number): DeathLimits {
  return { shared: SHARED_DEATHS, alone: maxDeaths, most: LENIENCE * maxDeaths };
}

/** How an orchestrator works; the configuration says the same in seconds. */
export interface OrchestratorOptions {
  /** Jobs that run at once. */
  readonly maxWorkers: number;
  /** Downloads in flight per resolver; one that is not named has no cap of its own. */
  readonly maxPerResolver: Readonly<Record<string, number>>;
  /** Downloads in flight at one host. */
  readonly maxPerHost: number;
  /** Jobs that may wait for a busy host without holding a worker. */
  readonly maxParked: number;
  /** Jobs that are leased ahead for a busy host; 1 unless said otherwise. */
  readonly readyPerHost?: number | undefined;
  /** Jobs of a host that is held for longer than this are not waited for. */
  readonly patienceMs?: number;
  /** What is done with such jobs when nothing else can run: try them, because they may be had elsewhere, or wait. */
  readonly heldLanes?: 'try' | 'wait';
  /** A job whose holder was not heard of for this long is taken over. */
  readonly leaseMs: number;
  /** How often leases of running jobs are extended. */
  readonly heartbeatMs: number;
  /** A job that failed this often ends in state error. */
  readonly maxAttempts: number;
  /** A job whose process died this often while it ran alone is given up. */
  readonly maxDeaths: number;
  /** Delay before the second attempt; it doubles with each further one. */
  readonly retryBackoffMs: number;
  /** Up to this much is added to each delay by chance. */
  readonly retryJitterMs: number;
  /** No retry is delayed longer than this, jitter aside. */
  readonly retryMaxDelayMs: number;
  /** A job that runs longer is aborted and counts as failed; 0 means no limit. */
  readonly jobTimeoutMs: number;
  /** How long running jobs may finish when told to stop. */
  readonly shutdownGraceMs: number;
}

/** What an orchestrator does that is told nothing else; the configuration has the same defaults. */
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

/** When to end: never by oneself; when nothing is left, also nothing delayed or paused; when nothing can run now. */
export type DrainMode = 'never' | 'empty' | 'due';

/** Nothing is left to wait for: what is paused is waited for as what is delayed is. `nothingCanRun`: of what is ready, now. */
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
