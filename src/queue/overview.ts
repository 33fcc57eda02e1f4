import type { HostReport } from '../hosts/index.ts';
import { nameKey } from '../hosts/index.ts';
import type { JobState, QueueStats, WorkerInfo, HostJobs } from './types.ts';
import { isDeadHere } from './worker-identity.ts';

/** A process that runs jobs, as an operator sees it. */
export interface WorkerOverview extends WorkerInfo {
  readonly workerId: string;
  /** It reported recently, and is not known to have died on this machine. */
  readonly alive: boolean;
  readonly heardAt: number;
  /** Jobs leased to it, and when the first of these leases expires. */
  readonly holds: number;
  readonly leaseEndsAt: number | null;
}

/** Numbers shown in several places, each with one definition. */
interface QueueCounts {
  /** Jobs that are queued, due or delayed. */
  readonly waiting: number;
  /** Leased jobs whose lease has not expired, those that wait for a host included. */
  readonly running: number;
  /** Running jobs that wait for a host without a worker, as their processes last reported. */
  readonly waitingForHost: number;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
  /** Waiting jobs whose last attempt failed. */
  readonly retrying: number;
  /** Live processes, and how many jobs they run at once. */
  readonly processes: number;
  readonly workers: number;
}

/** The state of a queue: counts, rate, time left, processes, slow hosts. */
export interface QueueOverview {
  readonly stats: QueueStats;
  readonly counts: QueueCounts;
  /** Error codes of failed jobs: the sum is at most `counts.failed`. `retries` likewise for `counts.retrying`. */
  readonly failures: readonly { readonly code: string; readonly jobs: number }[];
  readonly retries: readonly { readonly code: string; readonly jobs: number }[];
  /** Jobs that end per second; null if unknown. */
  readonly perSecond: number | null;
  /** How long the remaining jobs take at that rate; null if it is unknown or no worker is active. */
  readonly leftMs: number | null;
  readonly workers: readonly WorkerOverview[];
  /** Hosts that asked for a pause or a lower rate. */
  readonly slowed: readonly HostOverview[];
  readonly oldestDue: { readonly artifactId: string; readonly since: number } | null;
}

const MISSED = 3;

/** Statistics for operators; `perSecond` is measured by watching the queue, else as its workers report. */
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
    slowed: hostRows(alive, stats).filter(({ slowed, hold }) => slowed || (hold !== null && hold.reason !== 'paused')),
    oldestDue:
      stats.oldestQueuedId === null ? null : { artifactId: stats.oldestQueuedId, since: stats.oldestQueuedAt ?? 0 },
  };
}

function codesOf({ byErrorCode }: QueueStats, state: JobState): { readonly code: string; readonly jobs: number }[] {
  return byErrorCode
    .filter((each) => each.state === state)
    .map(({ code, jobs }) => ({ code, jobs }))
    .toSorted((a, b) => b.jobs - a.jobs);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** A host, service or resolver for operators: its limits, requests in flight, and waiting jobs. */
export interface HostOverview {
  readonly key: string;
  readonly kind: 'host' | 'service' | 'crawl-delay' | 'resolver';
  readonly name: string;
  /** Current limits on concurrency and rate; null means unlimited. */
  readonly cap: number | null;
  readonly perSecond: number | null;
  /** Whether the rate was reduced at the host's request. */
  readonly slowed: boolean;
  readonly inFlight: number;
  readonly waiting: number;
  /** When the next request may start; null if now. */
  readonly nextAt: number | null;
  /** Until when no request is sent, and why; `until` is null if an operator has to resume it. */
  readonly hold: { readonly until: number | null; readonly reason: string } | null;
  /** Requests of live processes: successful ones, and failed ones by reason. */
  readonly done: number;
  readonly failed: Readonly<Record<string, number>>;
  /** Rest of the daily budget, as reported by the service. */
  readonly budgetLeft: number | null;
  /** Queued jobs that will probably send requests to it; null if there are none. */
  readonly jobs: HostJobs | null;
}

/** Information about hosts from outside the queue's tables. */
export interface HostSources {
  readonly jobs: readonly HostJobs[];
  /** Current state shared by the fleet in its database. */
  readonly shared: readonly HostReport[];
  /** Limits of a host that no process has reported. */
  readonly rulesOf: (key: string) => Pick<HostReport, 'cap' | 'perSecond'>;
}

/** One row per host, from the reports of live workers, the fleet's shared state, operators' pauses and queued jobs. */
export function hostOverview(stats: QueueStats, sources: HostSources): HostOverview[] {
  const alive = overviewOf(stats).workers.filter((worker) => worker.alive);
  return hostRows(alive, stats, sources);
}

const NO_SOURCES: HostSources = { jobs: [], shared: [], rulesOf: () => ({ cap: null, perSecond: null }) };

function hostRows(
  alive: readonly WorkerOverview[],
  stats: QueueStats,
  { jobs, shared, rulesOf }: HostSources = NO_SOURCES,
): HostOverview[] {
  const reported = alive.flatMap(({ hosts, heardAt }) => hosts.map((report) => ({ report, at: heardAt })));
  const sharedByKey = new Map(shared.map((report) => [report.key, report]));
  const reportedByKey = Map.groupBy(reported, ({ report }) => report.key);
  const jobsByHost = new Map(jobs.map((each) => [each.host, each]));
  const paused = new Set(
    stats.pauses.flatMap(({ scope, name }) =>
      scope === 'host' ? name : scope === 'resolver' ? `resolver/${name}` : [],
    ),
  );
  const keys = new Set([...reportedByKey.keys(), ...sharedByKey.keys(), ...paused, ...jobsByHost.keys()]);
  const rows = Array.from(keys, (key): HostOverview => {
    const common = sharedByKey.get(key);
    const reports = [...(reportedByKey.get(key) ?? []), ...(common ? [{ report: common, at: stats.at }] : [])];
    const own = (reportedByKey.get(key) ?? []).map(({ report }) => report);
    const nextAt = Math.min(...reports.map(({ report, at }) => at + report.nextInMs));
    return {
      key,
      ...nameKey(key),
      ...limitsOf(
        reports.map(({ report }) => report),
        rulesOf(key),
      ),
      slowed: reports.some(({ report }) => report.slowed),
      // The fleet's count is current; reports of workers are slightly older.
      inFlight: common?.inFlight ?? sum(own.map(({ inFlight }) => inFlight)),
      waiting: sum(own.map(({ waiting }) => waiting)),
      nextAt: nextAt > stats.at && Number.isFinite(nextAt) ? nextAt : null,
      hold: paused.has(key) ? { until: null, reason: 'paused' } : latestHold(reports, stats.at),
      done: sum(own.map(({ done }) => done)),
      failed: sumOf(own.map(({ failed }) => failed)),
      budgetLeft: least(reports.flatMap(({ report }) => report.budgetLeft ?? [])),
      jobs: jobsByHost.get(key) ?? null,
    };
  });
  return rows.toSorted((a, b) => rank(b) - rank(a) || busy(b) - busy(a) || (a.key < b.key ? -1 : 1));
}

type At = { readonly report: HostReport; readonly at: number };

function limitsOf(
  reports: readonly HostReport[],
  rules: Pick<HostReport, 'cap' | 'perSecond'>,
): Pick<HostReport, 'cap' | 'perSecond'> {
  if (reports.length === 0) return rules;
  return {
    cap: least(reports.flatMap(({ cap }) => cap ?? [])),
    perSecond: least(reports.flatMap(({ perSecond }) => perSecond ?? [])),
  };
}

function latestHold(reports: readonly At[], now: number): HostOverview['hold'] {
  const holds = reports.flatMap(({ report: { hold }, at }) =>
    // Pauses come from the queue, which knows when they end.
    hold === null || hold.reason === 'paused' ? [] : { until: at + (hold.forMs ?? Infinity), reason: hold.reason },
  );
  const latest = holds.toSorted((a, b) => b.until - a.until)[0];
  return latest && latest.until > now ? latest : null;
}

function sumOf(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum = new Map<string, number>();
  for (const each of counts) for (const [why, times] of Object.entries(each)) sum.set(why, (sum.get(why) ?? 0) + times);
  return Object.fromEntries([...sum].toSorted(([, a], [, b]) => b - a));
}

function least(values: readonly number[]): number | null {
  return values.length > 0 ? Math.min(...values) : null;
}

/** Held first, then slowed. */
function rank({ hold, slowed }: HostOverview): number {
  return (hold === null ? 0 : 2) + (slowed ? 1 : 0);
}

function busy({ inFlight, waiting, done, jobs }: HostOverview): number {
  return (inFlight + waiting) * 1_000 + done + (jobs === null ? 0 : jobs.due + jobs.delayed + jobs.inProgress);
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
