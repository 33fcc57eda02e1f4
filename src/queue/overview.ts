import { parseJson } from '../base/index.ts';
import type { HostReport } from '../hosts/index.ts';
import { nameKey } from '../hosts/index.ts';
import type { HostJobs, Job, QueueStats } from './types.ts';
import { isDeadHere } from './worker-identity.ts';

// What commands print with --json and the HTTP interface answers. Times are ISO 8601.

/** ISO 8601, or null for an unknown or infinite time. */
export function isoTime(at: number | null | undefined): string | null {
  return at === null || at === undefined || !Number.isFinite(at) ? null : new Date(at).toISOString();
}

export function jobJson(job: Job) {
  return {
    id: job.id,
    artifact_id: job.artifactId,
    artifact: parsed(job.artifactJson),
    state: job.state,
    attempts: job.attempts,
    last_error: job.lastError,
    result: job.result === null ? null : parsed(job.result),
    deaths: job.deaths,
    deaths_alone: job.deathsAlone,
    quarantined_since: isoTime(job.quarantinedSince),
    resolver_hint: job.resolverHint,
    host: job.host,
    priority: job.priority,
    created_at: isoTime(job.createdAt),
    updated_at: isoTime(job.updatedAt),
    available_at: isoTime(job.availableAt),
    lease_expires_at: isoTime(job.leaseExpiresAt),
    worker_id: job.workerId,
  };
}

/** Jobs enqueued by other programs may hold a payload that is not JSON. */
function parsed(json: string): unknown {
  const value = parseJson(json);
  return value === undefined ? json : value;
}

type WorkerReport = QueueStats['workers'][number];

/** Heartbeats that a live worker may miss. */
const MISSED = 3;

function isAlive({ workerId, updatedAt, heartbeatMs }: WorkerReport, now: number): boolean {
  return !isDeadHere(workerId) && now - updatedAt < MISSED * heartbeatMs;
}

/** Field names follow the source documents. Without a measured `perSecond`, that of live workers counts. */
export function queueJson(stats: QueueStats, perSecond: number | null = null) {
  const { at, states, leases, byErrorCode } = stats;
  const alive = stats.workers.filter((worker) => isAlive(worker, at));
  const rate = perSecond ?? (alive.length > 0 ? sum(alive.map((each) => each.perSecond)) : null);
  const left = states.queued + states.in_progress;
  return {
    ...states,
    total: stats.total,
    due: stats.due,
    delayed: stats.delayed,
    quarantined: stats.quarantined,
    per_second: rate,
    // Unknown while no worker is active, whatever the rate was before.
    left_seconds: left === 0 ? 0 : alive.length > 0 && rate !== null && rate > 0 ? left / rate : null,
    oldest_queued_at: isoTime(stats.oldestQueuedAt),
    oldest_queued_id: stats.oldestQueuedId,
    next_available_at: isoTime(stats.nextAvailableAt),
    counts: {
      /** Leased jobs whose lease has not expired, those that wait for a host included. */
      running: stats.running,
      /** Those that wait for a host without a worker, as their processes last reported. */
      waiting_for_host: Math.min(stats.running, sum(alive.map(({ parked }) => parked))),
      /** Queued jobs whose last attempt failed. */
      retrying: sum(byErrorCode.map(({ state, jobs }) => (state === 'queued' ? jobs : 0))),
      /** Live processes, and how many jobs they run at once. */
      processes: alive.length,
      workers: sum(alive.map(({ maxWorkers }) => maxWorkers)),
    },
    by_resolver: [...stats.byResolver],
    by_error_code: [...byErrorCode],
    leases: leases.map(({ workerId, jobs, expiresAt }) => ({
      worker_id: workerId,
      jobs,
      expires_at: isoTime(expiresAt),
    })),
    workers: stats.workers.map((worker) => {
      const lease = leases.find(({ workerId }) => workerId === worker.workerId);
      return {
        worker_id: worker.workerId,
        alive: alive.includes(worker),
        pid: worker.pid,
        hostname: worker.hostname,
        holds: lease?.jobs ?? 0,
        lease_ends_at: isoTime(lease?.expiresAt),
        maxWorkers: worker.maxWorkers,
        running: worker.running,
        parked: worker.parked,
        per_second: worker.perSecond,
        started_at: isoTime(worker.startedAt),
        updated_at: isoTime(worker.updatedAt),
      };
    }),
    slowed_hosts: hostOverview(stats)
      .filter(({ line }) => line.slowed || (line.held_why !== null && line.held_why !== 'paused'))
      .map(({ key, line: { cap, per_second, held_until, held_why } }) => {
        return { host: key, cap, per_second, held_until, held_why };
      }),
    pauses: stats.pauses.map(({ scope, name, since }) => ({ scope, name, since: isoTime(since) })),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export interface HostSources {
  readonly jobs: readonly HostJobs[];
  /** From the fleet's database. */
  readonly shared: readonly HostReport[];
  /** Limits of a host that no process has reported. */
  readonly rulesOf: (key: string) => Pick<HostReport, 'cap' | 'perSecond'>;
}

const NO_SOURCES: HostSources = { jobs: [], shared: [], rulesOf: () => ({ cap: null, perSecond: null }) };

/** What is known of one host, service or resolver. */
export interface HostOverview {
  readonly key: string;
  /** For people: the key without its kind. */
  readonly name: string;
  readonly line: HostState;
  /** Successful requests of live processes. */
  readonly done: number;
  /** Failed requests of live processes, by reason. */
  readonly failed: Readonly<Record<string, number>>;
  /** Queued jobs that will probably send requests to it; null if there are none. */
  readonly jobs: HostJobs | null;
}

/** The limits of a host and what happens there now. Times are ISO 8601. */
interface HostState {
  readonly kind: 'host' | 'service' | 'crawl-delay' | 'resolver';
  /** The most requests at a time; null means unlimited. */
  readonly cap: number | null;
  /** The most requests per second; null means unlimited. */
  readonly per_second: number | null;
  /** It has lower limits than usual, because it asked for them or failed. */
  readonly slowed: boolean;
  readonly in_flight: number;
  readonly waiting: number;
  /** When the next request may be sent; null if it may be sent now. */
  readonly next_at: string | null;
  /** Until when it gets no requests; null if it is not held, or held without end. */
  readonly held_until: string | null;
  readonly held_why: string | null;
  /** What is left of a budget for the day; null without one. */
  readonly budget_left: number | null;
}

/** One row per host, service or resolver, held ones first, then slowed ones. */
export function hostOverview(stats: QueueStats, { jobs, shared, rulesOf }: HostSources = NO_SOURCES): HostOverview[] {
  const alive = stats.workers.filter((worker) => isAlive(worker, stats.at));
  const reported = alive.flatMap(({ hosts, updatedAt }) => hosts.map((report) => ({ report, at: updatedAt })));
  const sharedByKey = new Map(shared.map((report) => [report.key, report]));
  const reportedByKey = Map.groupBy(reported, ({ report }) => report.key);
  const jobsByHost = new Map(jobs.map((each) => [each.host, each]));
  const paused = new Set(
    stats.pauses.flatMap(({ scope, name }) =>
      scope === 'host' ? name : scope === 'resolver' ? `resolver/${name}` : [],
    ),
  );
  const keys = new Set([...reportedByKey.keys(), ...sharedByKey.keys(), ...paused, ...jobsByHost.keys()]);
  const rows = Array.from(keys, (key) => {
    const common = sharedByKey.get(key);
    const own = (reportedByKey.get(key) ?? []).map(({ report }) => report);
    const reports = [...(reportedByKey.get(key) ?? []), ...(common ? [{ report: common, at: stats.at }] : [])];
    const limits = reports.length === 0 ? [rulesOf(key)] : reports.map(({ report }) => report);
    const nextAt = Math.min(...reports.map(({ report, at }) => at + report.nextInMs));
    const hold = paused.has(key) ? { until: null, reason: 'paused' } : latestHold(reports, stats.at);
    const { kind, name } = nameKey(key);
    return {
      key,
      name,
      line: {
        kind,
        cap: least(limits.flatMap(({ cap }) => cap ?? [])),
        per_second: least(limits.flatMap(({ perSecond }) => perSecond ?? [])),
        slowed: reports.some(({ report }) => report.slowed),
        // The fleet's count is current; reports of workers are slightly older.
        in_flight: common?.inFlight ?? sum(own.map(({ inFlight }) => inFlight)),
        waiting: sum(own.map(({ waiting }) => waiting)),
        next_at: nextAt > stats.at ? isoTime(nextAt) : null,
        held_until: isoTime(hold?.until),
        held_why: hold?.reason ?? null,
        budget_left: least(reports.flatMap(({ report }) => report.budgetLeft ?? [])),
      },
      done: sum(own.map(({ done }) => done)),
      failed: sumOf(own.map(({ failed }) => failed)),
      jobs: jobsByHost.get(key) ?? null,
    };
  });
  const rank = ({ line }: (typeof rows)[number]): number => (line.held_why === null ? 0 : 2) + (line.slowed ? 1 : 0);
  const busy = ({ line, done, jobs: queued }: (typeof rows)[number]): number =>
    (line.in_flight + line.waiting) * 1_000 +
    done +
    (queued === null ? 0 : queued.due + queued.delayed + queued.inProgress);
  return rows.toSorted((a, b) => rank(b) - rank(a) || busy(b) - busy(a) || (a.key < b.key ? -1 : 1));
}

function latestHold(
  reports: readonly { readonly report: HostReport; readonly at: number }[],
  now: number,
): { readonly until: number; readonly reason: string } | undefined {
  const holds = reports.flatMap(({ report: { hold }, at }) =>
    // Pauses come from the queue, which knows when they end.
    hold === null || hold.reason === 'paused' ? [] : { until: at + (hold.forMs ?? Infinity), reason: hold.reason },
  );
  return holds.filter(({ until }) => until > now).toSorted((a, b) => b.until - a.until)[0];
}

function sumOf(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const [why, times] of counts.flatMap((each) => Object.entries(each)))
    sums.set(why, (sums.get(why) ?? 0) + times);
  return Object.fromEntries([...sums].toSorted(([, a], [, b]) => b - a));
}

function least(values: readonly number[]): number | null {
  return values.length > 0 ? Math.min(...values) : null;
}

const WINDOW_MS = 60_000;

/** The growth rate of a count over the last minute. */
export class RateMeter {
  #samples: { readonly at: number; readonly count: number }[] = [];

  note(count: number, at: number): void {
    // A count that decreased was reset.
    if (count < (this.#samples.at(-1)?.count ?? 0)) this.#samples = [];
    this.#samples.push({ at, count });
    // One older than the window stays, so that the window is always full.
    while ((this.#samples[1]?.at ?? at) <= at - WINDOW_MS) this.#samples.shift();
  }

  /** Null until the samples span half a second. */
  get perSecond(): number | null {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (!first || !last || last.at - first.at < 500) return null;
    return ((last.count - first.count) * 1000) / (last.at - first.at);
  }
}
