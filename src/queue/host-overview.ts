import type { HostReport } from '../hosts/index.ts';
import { nameKey } from '../hosts/index.ts';
import type { HostJobs, QueueStats } from './types.ts';
import { overviewOf } from './overview.ts';

/** A host, service or resolver as an operator sees it: what it allows, what is under way, and what waits for it. */
export interface HostOverview {
  readonly key: string;
  readonly kind: 'host' | 'service' | 'crawl-delay' | 'resolver';
  readonly name: string;
  /** How many at once and how often, as it counts now; null where there is no limit. */
  readonly cap: number | null;
  readonly perSecond: number | null;
  /** Whether its rate is reduced because the host asked for it. */
  readonly slowed: boolean;
  readonly inFlight: number;
  /** Requests that wait for their turn. */
  readonly waiting: number;
  /** When the next one may start; null for now. */
  readonly nextAt: number | null;
  /** Not asked until then, and why; `until` is null until somebody resumes it. */
  readonly hold: { readonly until: number | null; readonly reason: string } | null;
  /** Requests of the processes that are alive: those that brought something, and the others by why. */
  readonly done: number;
  readonly failed: Readonly<Record<string, number>>;
  /** What a service says is left of its daily budget. */
  readonly budgetLeft: number | null;
  /** Jobs of the queue that will probably ask it; null where none will. */
  readonly jobs: HostJobs | null;
}

/** What is known of hosts besides the queue's own books. */
export interface HostSources {
  readonly jobs: readonly HostJobs[];
  /** What a fleet shares on its database, now. */
  readonly shared: readonly HostReport[];
  /** What a host allows that nobody has told of. */
  readonly rulesOf: (key: string) => Pick<HostReport, 'cap' | 'perSecond'>;
}

/** One row per host: what living workers tell, what the fleet shares, what operators paused, and what the queue holds. */
export function hostOverview(stats: QueueStats, { jobs, shared, rulesOf }: HostSources): HostOverview[] {
  const { workers } = overviewOf(stats);
  const told = workers
    .filter(({ alive }) => alive)
    .flatMap(({ hosts, heardAt }) => hosts.map((report) => ({ report, at: heardAt })));
  const sharedByKey = new Map(shared.map((report) => [report.key, report]));
  const toldByKey = Map.groupBy(told, ({ report }) => report.key);
  const jobsByHost = new Map(jobs.map((each) => [each.host, each]));
  const paused = new Set(
    stats.pauses.flatMap(({ scope, name }) =>
      scope === 'host' ? name : scope === 'resolver' ? `resolver/${name}` : [],
    ),
  );
  const keys = new Set([...toldByKey.keys(), ...sharedByKey.keys(), ...paused, ...jobsByHost.keys()]);
  const rows = Array.from(keys, (key): HostOverview => {
    const common = sharedByKey.get(key);
    const reports = [...(toldByKey.get(key) ?? []), ...(common ? [{ report: common, at: stats.at }] : [])];
    const own = (toldByKey.get(key) ?? []).map(({ report }) => report);
    const nextAt = Math.min(...reports.map(({ report, at }) => at + report.nextInMs));
    return {
      key,
      ...nameKey(key),
      ...limitsOf(
        reports.map(({ report }) => report),
        rulesOf(key),
      ),
      slowed: reports.some(({ report }) => report.slowed),
      // Places that the fleet's processes have now; what they told themselves is a moment old.
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

/** The strictest that anybody keeps to. */
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
    // A pause that was lifted since is told by the queue itself.
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
