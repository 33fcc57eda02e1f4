import type { ErrorInfo } from '../base/index.ts';
import type { HostReport } from '../hosts/index.ts';

/**
 * ```
 *            enqueue                lease                      finish
 *   (nothing) ───────► queued ───────────────► in_progress ───────────► done | skipped | error
 *                        ▲  ▲                      │   │
 *                        │  └──── requeue ─────────┘   │ lease expired: the attempt is refunded, the death is counted
 *                        └─────────────────────────────┘ (too many deaths while it ran alone: error)
 * ```
 */
export const JOB_STATES = ['queued', 'in_progress', 'done', 'skipped', 'error'] as const;
/** Where a job stands. */
export type JobState = (typeof JOB_STATES)[number];

/**
 * Whether a job may share a process with others:
 *
 * ```
 *   trusted ──held at several deaths──▶ quarantined: runs alone ──finishes, or fails by itself──▶ trusted
 *                                          └──its process dies again and again──▶ error
 * ```
 */
export type Standing = 'trusted' | 'quarantined';

export interface DeathLimits {
  /** Deaths beside other jobs, at most one of which is to blame, before it is quarantined. */
  readonly shared: number;
  /** Deaths alone before it ends in `error`, if no other process died recently. */
  readonly alone: number;
  /** Deaths alone before it ends in `error` in any case: one more is allowed for each process that died without it. */
  readonly most: number;
}

/** How long the death of a process is remembered: if all processes die, their jobs are not the cause. */
export const DEATHS_REMEMBERED_MS = 3_600_000;

export interface NewJob {
  /** Unique: enqueueing the same id again is a no-op. */
  readonly artifactId: string;
  readonly artifactJson: string;
  readonly resolverHint?: string | undefined;
  /** The host it will download from, if known. */
  readonly host?: string | undefined;
  /** Higher runs first. */
  readonly priority?: number;
}

/** A stored job. Moments are epoch milliseconds. */
export interface Job {
  /** Its number in the store. */
  readonly id: number;
  /** The key it was enqueued under. */
  readonly artifactId: string;
  /** What was enqueued, as JSON. */
  readonly artifactJson: string;
  /** Where it stands. */
  readonly state: JobState;
  /** Times it was leased. */
  readonly attempts: number;
  /** Times its process died while it ran. */
  readonly deaths: number;
  /** Times its process died while it ran alone, in quarantine. */
  readonly deathsAlone: number;
  /** Since when it is quarantined and runs alone; null while it is trusted. */
  readonly quarantinedSince: number | null;
  /** Higher ones are leased first. */
  readonly priority: number;
  /** The resolver whose limits it needs; null if none. */
  readonly resolverHint: string | null;
  /** The host it will request; null if unknown. */
  readonly host: string | null;
  /** `CODE: message`. */
  readonly lastError: string | null;
  /** What a successful handler returned, as JSON. */
  readonly result: string | null;
  /** When it was enqueued, in epoch milliseconds. */
  readonly createdAt: number;
  /** When it was last changed, in epoch milliseconds. */
  readonly updatedAt: number;
  /** Not leased before this time; null if it may be now. */
  readonly availableAt: number | null;
  /** When its lease ends unless it is renewed; null if it has none. */
  readonly leaseExpiresAt: number | null;
  /** The process that holds it; null if none does. */
  readonly workerId: string | null;
}

/** Proves to every store written to that the job is held: only the token of its last lease is valid. */
export interface Lease {
  readonly id: number;
  readonly token: number;
}

/** A job in the hands of a worker. */
export interface LeasedJob extends Lease, Pick<Job, 'artifactId' | 'artifactJson' | 'resolverHint' | 'host'> {
  /** Counted when leased: 1 for the first. */
  readonly attempt: number;
  /** A quarantined job must run alone in its process. */
  readonly standing: Standing;
}

export type Settlement =
  | {
      readonly kind: 'finish';
      readonly state: 'done' | 'skipped' | 'error';
      readonly error?: ErrorInfo | undefined;
      /** JSON. */
      readonly result?: string | undefined;
    }
  | {
      readonly kind: 'requeue';
      readonly delayMs: number;
      readonly error?: ErrorInfo | undefined;
      /** The attempt does not count: it was not the job's fault. */
      readonly refund: boolean;
      /** The host that the job turned out to download from. */
      readonly host?: string | undefined;
    };

/** Jobs that wait for the same host and resolver. */
export interface Lane {
  readonly host: string | null;
  readonly resolver: string | null;
}

/** A lane with jobs that may run now; `jobs` stops counting at `LANE_COUNT_LIMIT`. */
export interface LaneBacklog extends Lane {
  readonly jobs: number;
  readonly priority: number;
}

/** Scheduling needs no exact counts above this. */
export const LANE_COUNT_LIMIT = 1000;

export type LanePick = Lane & { readonly limit: number };

export type SettledLease = Lease & { readonly settlement: Settlement };

export interface ExchangeRequest {
  readonly workerId: string;
  readonly settlements: readonly SettledLease[];
  readonly picks: readonly LanePick[];
  /** Which jobs of these lanes; `trusted` by default. */
  readonly standing?: Standing;
  readonly now: number;
  readonly leaseMs: number;
}

export interface Exchange {
  /** False for each lease that was lost: its settlement changed nothing. */
  readonly accepted: readonly boolean[];
  readonly leased: readonly LeasedJob[];
}

export interface Backlog {
  readonly lanes: LaneBacklog[];
  /** Lanes of quarantined jobs, fewest deaths alone first, so that kills from outside are spread over all of them. */
  readonly quarantined: LaneBacklog[];
  /** Jobs that ended in `error` now, because of too many deaths. */
  readonly exhausted: number;
}

export interface Outlook {
  readonly ready: number;
  readonly delayed: number;
  readonly inProgress: number;
  /** The next moment at which a delayed job becomes due or a lease expires. */
  readonly nextAt: number | null;
}

export interface Pause {
  readonly scope: 'all' | 'host' | 'resolver';
  readonly name: string;
  readonly since: number;
}

export interface WorkerInfo {
  readonly pid: number;
  readonly hostname: string;
  readonly startedAt: number;
  readonly maxWorkers: number;
  readonly running: number;
  /** Jobs that wait for a host without a worker. */
  readonly parked: number;
  readonly heartbeatMs: number;
  /** Jobs ended per second over the last minute. */
  readonly perSecond: number;
  /** The hosts that matter most. */
  readonly hosts: readonly HostReport[];
}

export type StoreChange = 'jobs' | 'control';

/** Stores jobs; decides nothing. A store shared by machines may use its server's clock instead of `now`. */
export interface QueueStore extends AsyncDisposable {
  /** True for each new job. Resolves when all of them are as durable as the store promises. */
  enqueue(jobs: readonly NewJob[], now: number): Promise<boolean[]>;
  /** Makes due jobs and those with an expired lease ready; an expired lease is a death of its holder. */
  backlog(now: number, limits: DeathLimits): Promise<Backlog>;
  /**
   * Settles leases and leases ready jobs, in one write: by priority, then age; quarantined jobs by fewest deaths alone
   * first. A quarantined job that finishes, or is requeued by its own failure, is trusted again.
   */
  exchange(request: ExchangeRequest): Promise<Exchange>;
  /** Extends leases in one write; returns those that were lost. */
  extend(leases: readonly Lease[], now: number, leaseMs: number): Promise<Lease[]>;
  /** Ends the leases of workers known to be dead, as if they expired now. */
  expire(workerIds: readonly string[], now: number): Promise<number>;
  /** Requeues the jobs leased to a worker except those it knows it holds: their settlement was lost with the server. */
  release(workerId: string, held: readonly number[], now: number): Promise<number>;
  /** Stores what a worker reports about itself; null when it leaves. */
  announce(workerId: string, info: WorkerInfo | null, now: number): Promise<void>;
  /** When there will be something to do. */
  outlook(now: number): Promise<Outlook>;
  /** Calls back when jobs were enqueued or an operator intervened, in any process. */
  watch(changed: (change: StoreChange) => void): Disposable;
  /** What operators do: look, pause, retry, remove. */
  readonly admin: QueueAdmin;
}

/** Absent fields match all. */
export interface JobFilter {
  readonly states?: readonly JobState[];
  readonly resolver?: string | undefined;
  readonly host?: string | undefined;
  readonly errorCode?: string | undefined;
  /** Only jobs with at most this many attempts. */
  readonly maxAttempts?: number | undefined;
  /** Only jobs not changed since. */
  readonly updatedBefore?: number | undefined;
}

export interface HostJobs {
  readonly host: string;
  readonly due: number;
  readonly delayed: number;
  readonly inProgress: number;
  readonly done: number;
  readonly skipped: number;
  readonly error: number;
  /** The last errors of jobs that are neither done nor running, by code. */
  readonly codes: Readonly<Record<string, number>>;
  /** When the first delayed job may run. */
  readonly nextAvailableAt: number | null;
}

interface JobPage {
  readonly limit: number;
  readonly after?: number;
  readonly upTo?: number;
}

export interface QueueStats {
  /** By the store's clock, like its other times. */
  readonly at: number;
  readonly states: Readonly<Record<JobState, number>>;
  readonly total: number;
  readonly due: number;
  readonly delayed: number;
  /** Jobs whose lease has not expired. */
  readonly running: number;
  readonly oldestQueuedAt: number | null;
  readonly oldestQueuedId: string | null;
  /** The highest id of a job; 0 if there was none. */
  readonly newestId: number;
  readonly nextAvailableAt: number | null;
  /** Unfinished jobs that may only run alone. */
  readonly quarantined: number;
  readonly byResolver: readonly { readonly resolver: string | null; readonly state: JobState; readonly jobs: number }[];
  /** Last errors by code and state: `error` has failed, `queued` will be retried. */
  readonly byErrorCode: readonly { readonly code: string; readonly state: JobState; readonly jobs: number }[];
  readonly leases: readonly { readonly workerId: string; readonly jobs: number; readonly expiresAt: number }[];
  readonly workers: readonly (WorkerInfo & { readonly workerId: string; readonly updatedAt: number })[];
  readonly pauses: readonly Pause[];
}

export const RETIRED_AT_ONCE = 10_000;

export interface QueueAdmin {
  stats(now: number): Promise<QueueStats>;
  /** By host, most remaining jobs first; reads every job. */
  hosts(now: number): Promise<HostJobs[]>;
  /** In order of id, after `after` and up to `upTo`. */
  list(filter: JobFilter, page: JobPage): Promise<Job[]>;
  find(id: number | string): Promise<Job | undefined>;
  /** Requeues finished jobs with all their attempts. */
  requeue(filter: JobFilter, now: number, options: { readonly dryRun: boolean }): Promise<number>;
  /** Ends an unfinished job as `skipped`; its holder loses the lease. */
  cancel(id: number, now: number): Promise<boolean>;
  prune(filter: JobFilter, options: { readonly dryRun: boolean }): Promise<number>;
  /** Forgets up to `RETIRED_AT_ONCE` of the oldest finished jobs beyond `keep`; stats still count them. */
  retire(keep: number): Promise<number>;
  pauses(): Promise<Pause[]>;
  pause(scope: Pause['scope'], name: string, now: number): Promise<boolean>;
  resume(scope: Pause['scope'], name: string): Promise<boolean>;
}
