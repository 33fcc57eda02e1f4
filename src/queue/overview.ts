import type { HostReport } from '../hosts/index.ts';
import type { QueueStats, WorkerInfo } from './types.ts';
import { isDeadHere } from './worker-identity.ts';

/** A process that runs jobs, as an operator sees it. */
export interface WorkerOverview extends WorkerInfo {
  readonly workerId: string;
  /** Whether it was heard of lately; one of this machine that has died is gone at once. */
  readonly alive: boolean;
  readonly heardAt: number;
  /** Jobs in its hands, and when the first of them comes back if nobody prolongs its lease. */
  readonly holds: number;
  readonly leaseEndsAt: number | null;
}

/** A host that is asked less than its rules allow, or not at all, and by whom that was told. */
export interface SlowedHost extends Pick<HostReport, 'cap' | 'perSecond'> {
  readonly host: string;
  readonly hold: { readonly until: number | null; readonly reason: string } | null;
}

/** What goes on in a queue: how fast, how long it will take, who works and who is gone, which hosts are slow. */
export interface QueueOverview {
  readonly stats: QueueStats;
  /** Jobs that end per second; null where nobody can say. */
  readonly perSecond: number | null;
  /** How long what is left will take at that rate. */
  readonly leftMs: number | null;
  readonly workers: readonly WorkerOverview[];
  readonly slowed: readonly SlowedHost[];
  readonly oldestDue: { readonly artifactId: string; readonly since: number } | null;
}

/** A worker that was to tell again and did not for this many times is gone. */
const MISSED = 3;

/** Reads a queue's statistics as an operator would; `perSecond` is told by whoever has watched it, else by its workers. */
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
  const rate = perSecond ?? (alive.length > 0 ? alive.reduce((sum, each) => sum + each.perSecond, 0) : null);
  const left = stats.states.queued + stats.states.in_progress;
  return {
    stats,
    perSecond: rate,
    leftMs: left === 0 ? 0 : rate !== null && rate > 0 ? (left / rate) * 1000 : null,
    workers,
    slowed: slowedOf(alive, stats.at),
    oldestDue:
      stats.oldestQueuedId === null ? null : { artifactId: stats.oldestQueuedId, since: stats.oldestQueuedAt ?? 0 },
  };
}

/** One line per host, whichever process told it last longest. */
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
