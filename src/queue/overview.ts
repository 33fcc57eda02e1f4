import type { HostReport } from '../hosts/index.ts';
import type { JobState, QueueStats, WorkerInfo } from './types.ts';
import { isDeadHere } from './worker-identity.ts';

/** A process that runs jobs, as an operator sees it. */
export interface WorkerOverview extends WorkerInfo {
  readonly workerId: string;
  /** It reported lately, and is not known to have died on this machine. */
  readonly alive: boolean;
  /** When it last reported. */
  readonly heardAt: number;
  /** Jobs leased to it, and when the first of these leases expires unless it is extended. */
  readonly holds: number;
  readonly leaseEndsAt: number | null;
}

/** A host that is held, or asked less than its rules allow. */
export interface SlowedHost extends Pick<HostReport, 'cap' | 'perSecond'> {
  readonly host: string;
  readonly hold: { readonly until: number | null; readonly reason: string } | null;
}

/** The numbers that every place shows; each has this one definition. */
interface QueueCounts {
  /** Jobs that are queued, due or delayed. */
  readonly waiting: number;
  /** Leased jobs whose lease has not expired, those that wait for a host included. */
  readonly running: number;
  /** Of the running ones: those that wait for a host without a worker, as their processes last reported. */
  readonly waitingForHost: number;
  readonly done: number;
  readonly skipped: number;
  /** Jobs that ended in `error`. */
  readonly failed: number;
  /** Of the waiting ones: those whose last attempt failed. */
  readonly retrying: number;
  /** Processes that are alive, and how many jobs these run at once. */
  readonly processes: number;
  readonly workers: number;
}

/** The state of a queue: counts, rate, time left, processes, slow hosts. */
export interface QueueOverview {
  readonly stats: QueueStats;
  readonly counts: QueueCounts;
  /** Why jobs failed, by code: the sum is at most `counts.failed`. The same for `counts.retrying`. */
  readonly failures: readonly { readonly code: string; readonly jobs: number }[];
  readonly retries: readonly { readonly code: string; readonly jobs: number }[];
  /** Jobs that end per second; null if unknown. */
  readonly perSecond: number | null;
  /** How long the remaining jobs take at that rate; null if it is unknown or no worker is active. */
  readonly leftMs: number | null;
  readonly workers: readonly WorkerOverview[];
  readonly slowed: readonly SlowedHost[];
  readonly oldestDue: { readonly artifactId: string; readonly since: number } | null;
}

/** A worker that missed so many reports is gone. */
const MISSED = 3;

/** Statistics as an operator reads them; `perSecond` comes from watching the queue, else from its workers. */
export function overviewOf(
  stats: QueueStats,
  { perSecond, isDead = isDeadHere }: { perSecond?: number | null; isDead?: (workerId: string) => boolean } = {},
): QueueOverview {
  const workers = stats.workers.map((worker): WorkerOverview => {
    const { updatedAt, ...info } = worker;
    const lease = stats.leases.find(({ workerId }) => workerId === worker.workerId);
    return {
      ...info,
      alive: !isDead(worker.workerId) && stats.at - updatedAt < MISSED * worker.heartbeatMs,
      heardAt: updatedAt,
      holds: lease?.jobs ?? 0,
      leaseEndsAt: lease?.expiresAt ?? null,
    };
  });
  const alive = workers.filter((worker) => worker.alive);
  const { queued, done, skipped, error } = stats.states;
  const retries = codesOf(stats, 'queued');
  const rate = perSecond ?? (alive.length > 0 ? sum(alive.map((each) => each.perSecond)) : null);
  const left = queued + stats.states.in_progress;
  return {
    stats,
    counts: {
      waiting: queued,
      running: stats.running,
      waitingForHost: Math.min(stats.running, sum(alive.map(({ parked }) => parked))),
      done,
      skipped,
      failed: error,
      retrying: sum(retries.map(({ jobs }) => jobs)),
      processes: alive.length,
      workers: sum(alive.map(({ maxWorkers }) => maxWorkers)),
    },
    failures: codesOf(stats, 'error'),
    retries,
    perSecond: rate,
    leftMs: left === 0 ? 0 : alive.length > 0 && rate !== null && rate > 0 ? (left / rate) * 1000 : null,
    workers,
    slowed: slowedOf(alive, stats.at),
    oldestDue:
      stats.oldestQueuedId === null ? null : { artifactId: stats.oldestQueuedId, since: stats.oldestQueuedAt ?? 0 },
  };
}

/** Codes of the jobs in a state, most frequent first. */
function codesOf({ byErrorCode }: QueueStats, state: JobState): { readonly code: string; readonly jobs: number }[] {
  return byErrorCode
    .filter((each) => each.state === state)
    .map(({ code, jobs }) => ({ code, jobs }))
    .toSorted((a, b) => b.jobs - a.jobs);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** One entry per host: the longest hold that a process reported. */
function slowedOf(workers: readonly WorkerOverview[], now: number): SlowedHost[] {
  const found = new Map<string, SlowedHost>();
  for (const { hosts, heardAt } of workers) {
    for (const { key, cap, perSecond, hold, slowed } of hosts) {
      const until = hold === null ? null : hold.forMs === null ? null : heardAt + hold.forMs;
      const isHeld = hold !== null && hold.reason !== 'paused' && (until === null || until > now);
      if (!slowed && !isHeld) continue;
      const known = found.get(key);
      if (known && (known.hold?.until ?? 0) >= (until ?? 0)) continue;
      found.set(key, { host: key, cap, perSecond, hold: isHeld ? { until, reason: hold.reason } : null });
    }
  }
  return [...found.values()].toSorted((a, b) => (b.hold?.until ?? 0) - (a.hold?.until ?? 0));
}
