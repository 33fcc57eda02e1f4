import type { Clock } from '../../base/index.ts';
import type { JobState, QueueStats, WorkQueue } from '../../queue/index.ts';
import { secondsLeft, Series } from './series.ts';

/** Whoever was not heard of for so long is gone: several heartbeats. */
const GONE_MS = 120_000;

/** A process that runs jobs. Moments are ISO 8601. */
interface WorkerLine {
  readonly worker_id: string;
  readonly process: string;
  readonly started_at: string;
  readonly heard_at: string;
  readonly alive: boolean;
  readonly workers: number;
  readonly running: number;
  readonly parked: number;
  readonly leases: number;
  readonly lease_expires_at: string | null;
}

/** How a queue stands. */
export interface QueueFigures {
  readonly states: Readonly<Record<JobState, number>>;
  readonly total: number;
  readonly due: number;
  readonly delayed: number;
  readonly oldest_queued_at: string | null;
  readonly next_available_at: string | null;
  readonly per_minute: number | null;
  readonly seconds_left: number | null;
  readonly failures: readonly { readonly code: string; readonly state: JobState; readonly jobs: number }[];
  readonly resolvers: readonly { readonly resolver: string | null; readonly state: JobState; readonly jobs: number }[];
  readonly workers: readonly WorkerLine[];
  readonly leases_of_others: readonly {
    readonly worker_id: string;
    readonly jobs: number;
    readonly expires_at: string | null;
  }[];
  readonly pauses: readonly {
    readonly scope: 'all' | 'host' | 'resolver';
    readonly name: string;
    readonly since: string;
  }[];
}

/** A queue that is looked at. */
export class QueueWatch {
  readonly queue: WorkQueue;
  readonly series = new Series<JobState | 'ended'>();
  readonly #clock: Clock;
  #stats: QueueStats | undefined;
  #figures: QueueFigures | undefined;

  constructor(queue: WorkQueue, clock: Clock) {
    this.queue = queue;
    this.#clock = clock;
  }

  async look(): Promise<void> {
    const now = this.#clock.now();
    const stats = await this.queue.store.admin.stats(now);
    const { done, skipped, error } = stats.states;
    this.series.add({ ...stats.states, ended: done + skipped + error, at: now });
    this.#stats = stats;
    this.#figures = figuresOf(stats, this.series.perMinute('ended'), now);
  }

  /** What the store itself said last. */
  get stats(): QueueStats | undefined {
    return this.#stats;
  }

  async figures(): Promise<QueueFigures> {
    if (!this.#figures) await this.look();
    return this.#figures as QueueFigures;
  }
}

function figuresOf(stats: QueueStats, perMinute: number | null, now: number): QueueFigures {
  const known = new Set(stats.workers.map(({ workerId }) => workerId));
  const leases = new Map(stats.leases.map((lease) => [lease.workerId, lease]));
  return {
    states: stats.states,
    total: stats.total,
    due: stats.due,
    delayed: stats.delayed,
    oldest_queued_at: moment(stats.oldestQueuedAt),
    next_available_at: moment(stats.nextAvailableAt),
    per_minute: perMinute === null ? null : Math.round(perMinute * 10) / 10,
    seconds_left: secondsLeft(stats.states.queued + stats.states.in_progress, perMinute),
    failures: stats.byErrorCode.toSorted((a, b) => b.jobs - a.jobs),
    resolvers: stats.byResolver,
    workers: stats.workers.map((worker) => ({
      worker_id: worker.workerId,
      process: `${worker.hostname}:${worker.pid}`,
      started_at: new Date(worker.startedAt).toISOString(),
      heard_at: new Date(worker.updatedAt).toISOString(),
      alive: now - worker.updatedAt < GONE_MS,
      workers: worker.maxWorkers,
      running: worker.running,
      parked: worker.parked,
      leases: leases.get(worker.workerId)?.jobs ?? 0,
      lease_expires_at: moment(leases.get(worker.workerId)?.expiresAt ?? null),
    })),
    leases_of_others: stats.leases
      .filter(({ workerId }) => !known.has(workerId))
      .map(({ workerId, jobs, expiresAt }) => ({ worker_id: workerId, jobs, expires_at: moment(expiresAt) })),
    pauses: stats.pauses.map(({ scope, name, since }) => ({ scope, name, since: new Date(since).toISOString() })),
  };
}

/** A moment as it is told. */
export function moment(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
