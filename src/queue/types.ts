import type { ErrorInfo } from '../base/index.ts';
import type { HostReport } from '../hosts/index.ts';

/**
 * ```
 *            enqueue                lease                      finish
 *   (nothing) ───────► queued ───────────────► in_progress ───────────► done | skipped | error
 *                        ▲  ▲                      │   │
 *                        │  └──── requeue ─────────┘   │ lease ran out: the attempt is given back, the death is counted
 *                        └─────────────────────────────┘ (too many deaths alone: error)
 * ```
 */
export const JOB_STATES = ['queued', 'in_progress', 'done', 'skipped', 'error'] as const;
export type JobState = (typeof JOB_STATES)[number];

/**
 * How far a job is trusted to share a process with others:
 *
 * ```
 *   trusted ──in hand at several deaths──▶ suspect: runs alone ──finishes, or fails by itself──▶ trusted
 *                                             └──its process dies again and again──▶ error
 * ```
 */
export type Standing = 'trusted' | 'suspect';

/** How many deaths of its holders a job may be in hand at. */
export interface DeathLimits {
  /** Beside others, of which at most one is to blame: then it is suspect. */
  readonly shared: number;
  /** Alone: then it is given up, where no process died without it of late. */
  readonly alone: number;
  /** Alone, whatever else died: one more is allowed for each process that died without it, up to this. */
  readonly most: number;
}

/** For so long it is remembered that a process died: what kills them all is not the job that is in hand. */
export const DEATHS_REMEMBERED_MS = 3_600_000;

/** A job as it is put in. */
export interface NewJob {
  /** Unique: the same id again is a no-op. */
  readonly artifactId: string;
  readonly artifactJson: string;
  readonly resolverHint?: string | undefined;
  /** The host it will download from, if that is known already. */
  readonly host?: string | undefined;
  /** Higher runs first. */
  readonly priority?: number;
}

/** A job as it is stored. Moments are epoch milliseconds. */
export interface Job {
  readonly id: number;
  readonly artifactId: string;
  readonly artifactJson: string;
  readonly state: JobState;
  readonly attempts: number;
  /** How often its lease ran out: those who held it died or hung. */
  readonly deaths: number;
  /** How many of these deaths it was alone with. */
  readonly deathsAlone: number;
  /** Since when it is suspect and runs alone; null for those that are trusted. */
  readonly suspectSince: number | null;
  readonly priority: number;
  readonly resolverHint: string | null;
  readonly host: string | null;
  /** `CODE: message`. */
  readonly lastError: string | null;
  /** What a job that went well left behind, as JSON. */
  readonly result: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly availableAt: number | null;
  readonly leaseExpiresAt: number | null;
  readonly workerId: string | null;
}

/** Proof that a job is in one's hands: of all tokens ever given for a job, only the last is good. */
export interface Lease {
  readonly id: number;
  readonly token: number;
  /** The job's own, so that it need not be read again to be counted. */
  readonly resolverHint: string | null;
}

export interface LeasedJob extends Lease {
  readonly artifactId: string;
  readonly artifactJson: string;
  /** Counted when leased: 1 for the first. */
  readonly attempt: number;
  readonly host: string | null;
  /** A suspect must be alone in its process; one that is leased ahead waits there, and is not blamed should that die. */
  readonly standing: Standing;
  readonly ahead: boolean;
}

/** What becomes of a leased job. */
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
      /** The attempt is given back: it was not the job's fault. */
      readonly refund: boolean;
      /** Where the job turned out to download from. */
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

/** A thousand jobs of look-ahead is all the scheduling needs; counting further would make it cost more than it gives. */
export const LANE_COUNT_LIMIT = 1000;

/** A lease and what becomes of its job. */
export type SettledLease = Lease & { readonly settlement: Settlement };

/** Jobs that a worker is done with, and those that it wants next. */
export interface ExchangeRequest {
  readonly workerId: string;
  readonly settlements: readonly SettledLease[];
  /** From which lanes to lease, how many of each to begin at once, and how many more to have at hand. */
  readonly picks: readonly (Lane & { readonly limit: number; readonly ahead?: number })[];
  /** Which jobs of these lanes: those that are trusted unless said otherwise. */
  readonly standing?: Standing;
  readonly now: number;
  readonly leaseMs: number;
}

export interface Exchange {
  /** False for each lease that was lost: its settlement changed nothing. */
  readonly accepted: readonly boolean[];
  readonly leased: readonly LeasedJob[];
}

/** What may run now. */
export interface Backlog {
  /** Of jobs that are trusted. */
  readonly lanes: LaneBacklog[];
  /** Of suspects, those lanes first that hold the ones that died alone least often: a kill from outside then hits one after another. */
  readonly suspects: LaneBacklog[];
  /** Jobs that were given up now. */
  readonly exhausted: number;
}

/** What lies ahead: enough to know whether a drained queue is empty and when to look again. */
export interface Outlook {
  readonly ready: number;
  readonly delayed: number;
  readonly inProgress: number;
  /** The next moment at which a delayed job becomes due or a lease runs out. */
  readonly nextAt: number | null;
}

export interface Pause {
  readonly scope: 'all' | 'host' | 'resolver';
  readonly name: string;
  readonly since: number;
}

/** What a process that runs jobs tells about itself, for operators to see. */
export interface WorkerInfo {
  readonly pid: number;
  readonly hostname: string;
  readonly startedAt: number;
  readonly maxWorkers: number;
  readonly running: number;
  readonly parked: number;
  /** It tells again within so long, or something is wrong; jobs that ended per second of the last minute. */
  readonly heartbeatMs: number;
  readonly perSecond: number;
  /** What it knows of the hosts that matter most. */
  readonly hosts: readonly HostReport[];
}

/** What a store says when the outside changed something. */
export type StoreChange = 'jobs' | 'control';

/**
 * Where jobs are written down. A store never decides: time, delays, limits and policy come in as arguments. (A store
 * shared by several hosts may use its own server's clock in place of `now`, because theirs differ.)
 */
export interface QueueStore extends AsyncDisposable {
  /** True for each job that is new. Resolves when all of them are as durable as the store promises. */
  enqueue(jobs: readonly NewJob[], now: number): Promise<boolean[]>;
  /**
   * Puts delayed jobs that are due, and jobs whose lease ran out, back among those that may run, and answers the lanes.
   * A lease that ran out is a death of the job's holder: beyond `limits.shared` of them the job is suspect, and a suspect
   * whose lease ran out for the `limits.alone`-th time ends in `error`. One that was leased ahead is spared.
   */
  backlog(now: number, limits: DeathLimits): Promise<Backlog>;
  /**
   * Settles leases and takes jobs that may run, in one write. Of a lane jobs are taken by priority, then age, and suspects by
   * how seldom they died alone; each gets a new token and one more attempt. Beyond `limit` they are leased ahead, but for
   * those that were spared. A suspect or spared one that finishes, or is put back by its own failure, is trusted again.
   */
  exchange(request: ExchangeRequest): Promise<Exchange>;
  /** Prolongs leases in one write; answers those that were lost. */
  extend(leases: readonly Lease[], now: number, leaseMs: number): Promise<Lease[]>;
  /** Ends the leases of workers known to be dead, as if they had run out now. */
  expire(workerIds: readonly string[], now: number): Promise<number>;
  /** Puts back what is leased to a worker beyond the jobs it knows it holds: settled by a write that was lost with its server. */
  release(workerId: string, held: readonly number[], now: number): Promise<number>;
  /** Writes down what a worker tells about itself; null when it leaves. */
  announce(workerId: string, info: WorkerInfo | null, now: number): Promise<void>;
  outlook(now: number): Promise<Outlook>;
  /** Calls back when jobs came in or an operator intervened, from whatever process. */
  watch(changed: (change: StoreChange) => void): Disposable;
  readonly admin: QueueAdmin;
}

/** Which jobs an operator means; absent fields match all. */
export interface JobFilter {
  readonly states?: readonly JobState[];
  readonly resolver?: string | undefined;
  readonly host?: string | undefined;
  readonly errorCode?: string | undefined;
  /** Only jobs with fewer attempts than this. */
  readonly belowAttempts?: number | undefined;
  /** Only jobs not touched since. */
  readonly updatedBefore?: number | undefined;
}

/** Jobs of one host, as the queue knows it: where they will probably download from. */
export interface HostJobs {
  readonly host: string;
  readonly due: number;
  readonly delayed: number;
  readonly inProgress: number;
  readonly done: number;
  readonly skipped: number;
  readonly error: number;
  /** Why jobs that are not done are not, by code. */
  readonly codes: Readonly<Record<string, number>>;
  /** When the first of the delayed ones may run. */
  readonly nextAvailableAt: number | null;
}

/** A part of a list of jobs. */
export interface JobPage {
  readonly limit: number;
  readonly after?: number;
  readonly upTo?: number;
}

export interface QueueStats {
  /** By the clock of the store, which is the one that its other moments are of. */
  readonly at: number;
  readonly states: Readonly<Record<JobState, number>>;
  readonly total: number;
  readonly due: number;
  readonly delayed: number;
  readonly oldestQueuedAt: number | null;
  readonly oldestQueuedId: string | null;
  /** The highest number of a job; 0 where there was none. */
  readonly newestId: number;
  readonly nextAvailableAt: number | null;
  /** Jobs that have not ended and may only run alone. */
  readonly suspects: number;
  readonly byResolver: readonly { readonly resolver: string | null; readonly state: JobState; readonly jobs: number }[];
  readonly byErrorCode: readonly { readonly code: string; readonly state: JobState; readonly jobs: number }[];
  readonly leases: readonly { readonly workerId: string; readonly jobs: number; readonly expiresAt: number }[];
  readonly workers: readonly (WorkerInfo & { readonly workerId: string; readonly updatedAt: number })[];
  readonly pauses: readonly Pause[];
}

/** What operators ask of a queue. */
export interface QueueAdmin {
  stats(now: number): Promise<QueueStats>;
  /** By host, those with most to do first; looks at every job. */
  hosts(now: number): Promise<HostJobs[]>;
  /** In order of id, from `after` on; no job beyond `upTo` is looked at. */
  list(filter: JobFilter, page: JobPage): Promise<Job[]>;
  find(id: number | string): Promise<Job | undefined>;
  /** Puts finished jobs back in the queue with all their attempts; answers how many. */
  requeue(filter: JobFilter, now: number, options: { readonly dryRun: boolean }): Promise<number>;
  /** Ends a job that has not ended as `skipped`; whoever has it leased loses it. */
  cancel(id: number, now: number): Promise<boolean>;
  /** Removes finished jobs; answers how many. */
  prune(filter: JobFilter, options: { readonly dryRun: boolean }): Promise<number>;
  pauses(): Promise<Pause[]>;
  pause(scope: Pause['scope'], name: string, now: number): Promise<boolean>;
  resume(scope: Pause['scope'], name: string): Promise<boolean>;
}
