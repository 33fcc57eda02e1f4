import type { HostReport } from '../hosts/index.ts';
import { nameKey } from '../hosts/index.ts';
import type { HostJobs, QueueStats } from './types.ts';
import { overviewOf } from './overview.ts';

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
  /** Requests waiting for a slot. */
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
export function hostOverview(stats: QueueStats, { jobs, shared, rulesOf }: HostSources): HostOverview[] {
  const { workers } = overviewOf(stats);
  const reported = workers
    .filter(({ alive }) => alive)
    .flatMap(({ hosts, heardAt }) => hosts.map((report) => ({ report, at: heardAt })));
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
      inFlight: common?.inFlight ?? total(own.map(({ inFlight }) => inFlight)),
      waiting: total(own.map(({ waiting }) => waiting)),
      nextAt: nextAt > stats.at && Number.isFinite(nextAt) ? nextAt : null,
      hold: paused.has(key) ? { until: null, reason: 'paused' } : latestHold(reports, stats.at),
      done: total(own.map(({ done }) => done)),
      failed: sumOf(own.map(({ failed }) => failed)),
      budgetLeft: least(reports.flatMap(({ report }) => report.budgetLeft ?? [])),
      jobs: jobsByHost.get(key) ?? null,
    };
  });
  return rows.toSorted((a, b) => rank(b) - rank(a) || busy(b) - busy(a) || (a.key < b.key ? -1 : 1));
}

type At = { readonly report: HostReport; readonly at: number };

/** The strictest reported limits. */
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

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
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
