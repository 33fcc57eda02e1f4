import type { Clock, Limiter, Random } from '../base/index.ts';
import { KeyedLimiter, systemClock } from '../base/index.ts';
import type { CacheStore } from './cache-store.ts';
import { withCache } from './cache.ts';
import type { CircuitOptions } from './circuit.ts';
import { Circuit } from './circuit.ts';
import { withCoalescing } from './coalesce.ts';
import type { HttpEvent } from './event.ts';
import type { GuardOptions } from './guard.ts';
import { Guard, withGuard } from './guard.ts';
import type { Hold } from './holds.ts';
import { Holds } from './holds.ts';
import type { HttpLimits } from './limits.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import type { ResolveHost } from './name-resolver.ts';
import { NameResolver } from './name-resolver.ts';
import { Pace } from './pace.ts';
import type { Pool } from './pools.ts';
import { Pools } from './pools.ts';
import { withRedirects } from './redirects.ts';
import type { RetryOptions } from './retry.ts';
import { withRetry } from './retry.ts';
import type { RobotsOptions } from './robots.ts';
import { Robots } from './robots.ts';
import type { Send } from './send.ts';
import { compose } from './send.ts';
import { Transport } from './transport.ts';
import { PRODUCT_TOKEN, userAgent } from './user-agent.ts';

const DAY_MS = 24 * 3_600_000;

/** Every setting has a default; what is named here is what differs from it. */
export interface HttpClientOptions {
  readonly contact?: string | undefined;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Shared with whoever else decides what may run: holds of hosts are then seen by all. */
  readonly limiter?: Limiter;
  readonly limits?: Partial<HttpLimits>;
  readonly guard?: GuardOptions;
  readonly resolveHost?: ResolveHost;
  readonly ca?: string;
  readonly pools?: readonly Pool[];
  readonly perHost?: { readonly perSecond?: number; readonly concurrency?: number };
  readonly margin?: number;
  /** Longest line that is joined; as long as `retry.parkAfterMs` unless said otherwise. */
  readonly longestLineMs?: number;
  readonly retry?: Partial<RetryOptions>;
  readonly circuit?: Partial<CircuitOptions>;
  /** False for a web of one's own; every other web has a right to be asked. */
  readonly obeyRobots?: boolean;
  readonly robots?: Partial<Omit<RobotsOptions, 'productToken'>>;
  readonly cache?: CacheStore;
  readonly report?: (event: HttpEvent) => void;
}

/** A polite client; dispose of it to close its connections. */
export interface HttpClient extends AsyncDisposable {
  readonly send: Send;
  readonly userAgent: string;
  /** Hosts and pools that are being left alone, and until when. */
  holds(): ReadonlyMap<string, Hold>;
}

/** Puts the client together; the order of the wrappers is the order in which a request meets them. */
export function createHttpClient(options: HttpClientOptions = {}): HttpClient {
  const clock = options.clock ?? systemClock;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const perHost = { perSecond: 1, concurrency: 2, ...options.perHost };
  const retry: RetryOptions = {
    retries: 3,
    baseMs: 1_000,
    maxDelayMs: 60_000,
    parkAfterMs: 60_000,
    giveUpAfterMs: 7 * DAY_MS,
    ...options.retry,
  };
  const limiter = options.limiter ?? new KeyedLimiter({ clock, defaultLimit: perHost.concurrency });
  const holds = new Holds(clock, limiter);
  const guard = new Guard(options.guard);
  const agent = userAgent(options.contact);
  // Names are looked up in real time, whatever the clock of the web that is asked.
  const names = new NameResolver({ clock: systemClock });
  const transport = new Transport({
    clock,
    limits,
    guard,
    userAgent: agent,
    resolveHost: options.resolveHost ?? names.resolve,
    ca: options.ca,
  });
  const pace = new Pace({
    clock,
    limiter,
    holds,
    perHost,
    pools: new Pools(options.pools ?? []),
    margin: options.margin ?? 0.05,
    parkAfterMs: retry.parkAfterMs,
    giveUpAfterMs: retry.giveUpAfterMs,
    longestLineMs: options.longestLineMs ?? retry.parkAfterMs,
    backoff: { baseMs: retry.baseMs, capMs: retry.maxDelayMs },
    random: options.random,
    report: options.report,
  });
  const circuit = new Circuit(
    clock,
    { failures: 5, openMs: 30_000, longestOpenMs: 15 * 60_000, ...options.circuit },
    (host, until) => {
      holds.hold(host, until, 'host-held');
      options.report?.({ kind: 'host-held', host, until });
    },
  );
  const paced = pace.around(transport);
  const robots = new Robots({
    clock,
    holds,
    productToken: PRODUCT_TOKEN,
    maxAgeMs: DAY_MS,
    unreachableMs: 10 * 60_000,
    maxBytes: 500 * 1024,
    longestDelayMs: 300_000,
    ...options.robots,
    send: compose(paced, withRedirects(limits), withGuard(guard), circuit.wrap),
    giveUpAfterMs: retry.giveUpAfterMs,
    onCrawlDelay: (url, delayMs) => pace.setCrawlDelay(url, delayMs),
    report: options.report,
  });
  const send = compose(
    paced,
    withRedirects(limits),
    withGuard(guard),
    withCoalescing(),
    ...(options.cache ? [withCache(options.cache, clock)] : []),
    ...(options.obeyRobots === false ? [] : [robots.wrap]),
    withRetry({ ...retry, clock, holds, random: options.random }),
    circuit.wrap,
  );
  return {
    send,
    userAgent: agent,
    holds: () => holds.list(),
    async [Symbol.asyncDispose]() {
      names[Symbol.dispose]();
      await transport[Symbol.asyncDispose]();
    },
  };
}
