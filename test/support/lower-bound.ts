import { hostKey } from '../../src/base/index.ts';
import { HostTable } from '../../src/hosts/index.ts';
import { baseUrlsBelow, Services } from '../../src/resolve/index.ts';
import type { Simulation } from '../../sim/index.ts';
import { clientSettings } from '../../sim/index.ts';

/** The limit that held a harvest up most, and how long it takes at least under it. */
export interface LowerBound {
  readonly key: string;
  readonly requests: number;
  readonly seconds: number;
  /** When it was first and last asked, in simulated seconds from the first request of all. */
  readonly first: number;
  readonly last: number;
  /** Pauses longer than the limit asks for: when they began, after what answer, and how much longer they were. */
  readonly pauses: readonly { readonly at: number; readonly seconds: number; readonly after: number }[];
}

/** What a service or host allows. */
interface Allowed {
  readonly key: string;
  readonly perSecond: number;
  readonly burst: number;
}

/** A request: simulated seconds from the first of all, and what was answered. */
interface Asked {
  readonly at: number;
  readonly status: number;
}

/** What a client keeps to at a host that publishes no limit. */
const STRANGER = { perSecond: 1, burst: 1 };
/** Parts of a service with a limit of their own. */
const NAMED: readonly (readonly [RegExp, string])[] = [
  [/^\/api\/records\/?\?/, 'zenodo_search'],
  [/^\/cdx\//, 'wayback_cdx'],
];

/**
 * No client can be done sooner than the slowest limit lets its requests through: for each limit the time that the answered
 * requests need at least, and of these the longest. Limits are the world's and those that the services document, which
 * are our defaults; what a host allows is what both allow.
 */
export function lowerBound(simulation: Simulation): LowerBound {
  return lowerBounds(simulation)[0] as LowerBound;
}

/** The same for every limit, the one that takes longest first. */
export function lowerBounds(simulation: Simulation): LowerBound[] {
  const { keys } = clientSettings(simulation);
  const pools = new Services({ baseUrls: baseUrlsBelow('sim.test', 'http'), keys }).pools();
  const table = new HostTable({ perHost: { perSecond: Infinity, concurrency: Infinity }, pools });
  const counts = new Map<string, Allowed & { readonly asked: Asked[] }>();
  const entries = simulation.log.since(0);
  const start = entries[0]?.at ?? 0;
  const count = (allowed: Allowed, asked: Asked): void => {
    const before = counts.get(allowed.key);
    if (before) before.asked.push(asked);
    else counts.set(allowed.key, { ...allowed, asked: [asked] });
  };
  for (const { url, status, at } of entries) {
    const { hostname, pathname, search } = new URL(url);
    if (pathname === '/robots.txt' || status === 429) continue;
    const asked = { at: (at - start) / 1000, status };
    const named = NAMED.find(([pattern]) => pattern.test(pathname + search))?.[1];
    const found = table.poolsOf(hostKey(url), named);
    for (const { name, perSecond, burst } of found) count({ key: name, perSecond, burst: burst ?? 1 }, asked);
    if (found.length === 0) count({ key: hostname, ...siteLimit(simulation, hostname) }, asked);
  }
  return [...counts.values()]
    .map(({ key, perSecond, burst, asked }) => ({
      key,
      requests: asked.length,
      seconds: Math.max(0, asked.length - burst) / perSecond,
      first: asked[0]?.at ?? 0,
      last: asked.at(-1)?.at ?? 0,
      pauses: asked.slice(1).flatMap((next, before) => {
        const { at, status } = asked[before] ?? next;
        const seconds = next.at - at - 1 / perSecond;
        return seconds > 0.1 / perSecond ? [{ at, seconds, after: status }] : [];
      }),
    }))
    .toSorted((a, b) => b.seconds - a.seconds);
}

function siteLimit(simulation: Simulation, hostname: string): { readonly perSecond: number; readonly burst: number } {
  const site = simulation.world.host(hostname);
  const crawl = site?.robots === 'crawl-delay' ? 1 / 2 : Infinity;
  return { perSecond: Math.min(STRANGER.perSecond, site?.rate?.perSecond ?? Infinity, crawl), burst: 1 };
}

/** Simulated seconds from the first request to the last. */
export function makespanSeconds(simulation: Simulation): number {
  const moments = simulation.log.since(0).map(({ at }) => at);
  return moments.length === 0 ? 0 : ((moments.at(-1) ?? 0) - (moments[0] ?? 0)) / 1000;
}
