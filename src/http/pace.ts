import type { Slot } from '../base/index.ts';
import { equalJitterDelay, hostKey, TokenBucket } from '../base/index.ts';
import { HostSpeeds } from './host-speeds.ts';
import type { PaceOptions } from './pace-options.ts';
import type { Pool } from './pools.ts';
import { parseRetryAfter } from './retry-after.ts';
import type { HttpRequest, LaterReason, ResponseHead, Send } from './send.ts';
import { trailOf } from './send.ts';
import { takeAll } from './take-all.ts';
import type { Transport } from './transport.ts';

type Turn =
  | { readonly kind: 'go'; readonly slot: Slot }
  | { readonly kind: 'later'; readonly at: number; readonly reason: LaterReason }
  | { readonly kind: 'refused'; readonly reason: 'retry-after-too-long'; readonly message: string };

/** One limit that applies to a request. */
interface Rate {
  readonly key: string;
  readonly bucket: TokenBucket;
  readonly intervalMs: number;
}

const MANY_HOSTS = 10_000;

/** Lets requests go at the speed each host and service allows, and remembers who asked us to wait. */
export class Pace {
  readonly #options: PaceOptions;
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #crawlDelays = new Map<string, number>();
  /** How many wait for their turn at each key. */
  readonly #lines = new Map<string, number>();
  readonly #learned = new Map<string, number>();
  /** How many may be at a host at once, where that is not the default. */
  readonly #caps = new Map<string, number>();
  /** Refusals in a row per key, for servers that say 429 without saying when. */
  readonly #refusals = new Map<string, number>();
  readonly #speeds: HostSpeeds;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#speeds = new HostSpeeds(options.perHost.perSecond);
    for (const pool of options.pools.all) options.limiter.setLimit(poolKey(pool), pool.strict ? 1 : pool.concurrency);
  }

  /** What robots.txt asks for: at least this long between two requests. */
  setCrawlDelay(url: URL, delayMs: number): void {
    const key = crawlKey(hostKey(url));
    this.#crawlDelays.set(key, delayMs);
    this.#cap(key, 1);
  }

  /** Lays pace around the wire. The slot is held for the request only, from its first byte out to its last byte in. */
  around(transport: Transport): Send {
    return async (request, signal) => {
      const pools = this.#options.pools.of(request.url, request.pool);
      const keys = this.#keysOf(request, pools);
      this.#size(request.url, pools);
      const { clock, report } = this.#options;
      const askedAt = clock.monotonic();
      const turn = await this.#turn(request, pools, keys, signal);
      if (turn.kind !== 'go') return { ...turn, trail: trailOf(request) };
      using _slot = turn.slot;
      const [host = ''] = keys;
      const sentAt = clock.monotonic();
      let answered = false;
      let outcome = 'aborted';
      let wireBytes = 0;
      const cap = this.#caps.get(host) ?? this.#options.perHost.concurrency;
      report?.({ kind: 'request-sent', host, waitedMs: sentAt - askedAt, cap });
      try {
        const result = await transport.send(request, signal, (head) => {
          answered = true;
          this.#observe(head, keys, pools);
        });
        outcome = 'response' in result ? String(result.response.status) : result.reason;
        wireBytes = 'response' in result ? result.response.wireBytes : (result.trail.response?.wireBytes ?? 0);
        return result;
      } finally {
        if (!answered) this.#space(keys, pools);
        report?.({ kind: 'request-done', host, outcome, wireBytes, ms: clock.monotonic() - sentAt });
      }
    };
  }

  /** The host, its pools, and for whoever obeys robots.txt the delay it asks for: an interface has terms of its own. */
  #keysOf(request: HttpRequest, pools: readonly Pool[]): string[] {
    const host = hostKey(request.url);
    const crawl = crawlKey(host);
    const isDelayed = request.robots !== 'terms' && this.#crawlDelays.has(crawl);
    return [host, ...pools.map(poolKey), ...(isDelayed ? [crawl] : [])];
  }

  /** A host of a pool may be asked as often at once as the pool may, not as a stranger. */
  #size(url: URL, pools: readonly Pool[]): void {
    const host = hostKey(url);
    const most = Math.max(0, ...pools.map(({ strict, concurrency }) => (strict ? 1 : concurrency)));
    if (most === 0 || this.#caps.has(host)) return;
    this.#cap(host, most);
  }

  #cap(host: string, most: number): void {
    this.#caps.set(host, most);
    this.#options.limiter.setLimit(host, most);
  }

  async #turn(
    request: HttpRequest,
    pools: readonly Pool[],
    keys: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<Turn> {
    const { clock, holds, parkAfterMs, giveUpAfterMs, longestLineMs } = this.#options;
    for (;;) {
      const now = clock.now();
      const hold = holds.latest(keys);
      if (hold && hold.at - now > giveUpAfterMs) {
        return { kind: 'refused', reason: 'retry-after-too-long', message: tooLong(hostKey(request.url), hold.at) };
      }
      if (hold && hold.at - now > parkAfterMs) return { kind: 'later', ...hold };
      const waitMs = this.#expectedWaitMs(keys, this.#ratesOf(request.url, pools), pools);
      if (waitMs > longestLineMs) return { kind: 'later', at: now + waitMs, reason: 'pool-exhausted' };
      using _line = this.#join(keys);
      const slot = await this.#slot(keys, signal);
      if (!slot) continue;
      const rates = this.#ratesOf(request.url, pools);
      const buckets = rates.map(({ bucket }) => bucket);
      try {
        await takeAll(buckets, signal);
      } catch (error) {
        slot[Symbol.dispose]();
        throw error;
      }
      // Somebody may have been told to wait, or to go slower, while we stood in line: that holds for us as well.
      const isAsBefore = rates.every(({ key, bucket }) => this.#buckets.get(key) === bucket);
      if (isAsBefore && holds.until(keys) === 0) return { kind: 'go', slot };
      slot[Symbol.dispose]();
      for (const bucket of buckets) bucket.refund(1);
    }
  }

  /** How long somebody who joins the line now would wait, those before them included. */
  #expectedWaitMs(keys: readonly string[], rates: readonly Rate[], pools: readonly Pool[]): number {
    const lineOf = (key: string): number => this.#lines.get(key) ?? 0;
    return Math.max(
      0,
      ...rates.map(({ key, bucket, intervalMs }) => (lineOf(key) + 1 - bucket.available) * intervalMs),
      ...pools.filter(({ strict }) => strict).map((pool) => lineOf(poolKey(pool)) * this.#intervalMs(pool.perSecond)),
      ...keys.map((key) => lineOf(key) * (this.#crawlDelays.get(key) ?? 0) * (1 + this.#options.margin)),
    );
  }

  #intervalMs(perSecond: number): number {
    return (1000 / perSecond) * (1 + this.#options.margin);
  }

  #join(keys: readonly string[]): Disposable {
    for (const key of keys) this.#lines.set(key, (this.#lines.get(key) ?? 0) + 1);
    return {
      [Symbol.dispose]: () => {
        for (const key of keys) {
          const left = (this.#lines.get(key) ?? 1) - 1;
          if (left > 0) this.#lines.set(key, left);
          else this.#lines.delete(key);
        }
      },
    };
  }

  /** A slot of every key; undefined when the wait has become too long and must be thought over. */
  async #slot(keys: readonly string[], signal: AbortSignal | undefined): Promise<Slot | undefined> {
    const { clock, holds, limiter, parkAfterMs } = this.#options;
    const free = limiter.tryAcquire(keys);
    if (free) return free;
    const tooLong = new AbortController();
    using _watch = holds.watch(keys, () => {
      if (holds.until(keys) - clock.now() > parkAfterMs) tooLong.abort();
    });
    try {
      return await limiter.acquire(keys, signal ? AbortSignal.any([signal, tooLong.signal]) : tooLong.signal);
    } catch (error) {
      if (tooLong.signal.aborted && !signal?.aborted) return undefined;
      throw error;
    }
  }

  #ratesOf(url: URL, pools: readonly Pool[]): Rate[] {
    const host = hostKey(url);
    const found = pools
      .filter(({ strict }) => !strict)
      .map((pool) => this.#rate(poolKey(pool), this.#learned.get(poolKey(pool)) ?? pool.perSecond, pool.burst));
    if (pools.length === 0) found.push(this.#rate(host, this.#speeds.perSecond(host), 1));
    return found.filter((rate) => rate !== undefined);
  }

  #rate(key: string, perSecond: number, burst = 1): Rate | undefined {
    if (perSecond === Infinity) return undefined;
    const intervalMs = this.#intervalMs(perSecond);
    let bucket = this.#buckets.get(key);
    if (!bucket) {
      if (this.#buckets.size > MANY_HOSTS) this.#forgetIdle();
      bucket = new TokenBucket({ clock: this.#options.clock, capacity: burst, refillPerSecond: 1000 / intervalMs });
      this.#buckets.set(key, bucket);
    }
    return { key, bucket, intervalMs };
  }

  #forgetIdle(): void {
    for (const [key, bucket] of this.#buckets) {
      if (bucket.available >= 1) this.#buckets.delete(key);
    }
  }

  /** Reads from the headers what the server thinks of our speed, before anybody else is let through. */
  #observe(head: ResponseHead, keys: readonly string[], pools: readonly Pool[]): void {
    const { clock, holds, backoff, random, report } = this.#options;
    this.#space(keys, pools);
    this.#learn(head, pools);
    const [host = ''] = keys;
    if (head.status !== 429 && head.status !== 503) {
      this.#refusals.delete(host);
      if (this.#speeds.answered(host)) this.#restart(host);
      return;
    }
    const now = clock.now();
    // Several refusals of one burst are one complaint: the first has closed the host.
    const isNews = holds.until([host]) <= now;
    if (head.status === 429 && pools.length === 0 && isNews && this.#speeds.refused(host)) this.#restart(host);
    let at = parseRetryAfter(head.headers, now);
    const said = at !== undefined;
    if (at === undefined && head.status === 429) {
      const refusals = (this.#refusals.get(host) ?? 0) + 1;
      this.#refusals.set(host, refusals);
      const pauseMs = Math.max(0, ...pools.map((pool) => pool.pauseMs ?? 0));
      at = now + Math.max(pauseMs, equalJitterDelay(refusals, { ...backoff, ...(random && { random }) }));
    }
    if (at === undefined) return;
    for (const key of keys) holds.hold(key, at, 'rate-limited');
    if (isNews && at - now > this.#options.giveUpAfterMs) {
      report?.({ kind: 'host-given-up', host, message: tooLong(host, at) });
    }
    report?.({ kind: 'wait-asked', host, until: at, said });
  }

  /** The host is asked at another speed from now on: a new bucket, and an empty one, since the last request counts as well. */
  #restart(host: string): void {
    this.#buckets.delete(host);
    this.#rate(host, this.#speeds.perSecond(host))?.bucket.consume(1);
  }

  /** Keeps strict pools, and hosts with a Crawl-delay, closed for a full interval from now. */
  #space(keys: readonly string[], pools: readonly Pool[]): void {
    const { clock, limiter, margin } = this.#options;
    const now = clock.now();
    for (const key of keys) {
      const delayMs = this.#crawlDelays.get(key);
      if (delayMs !== undefined) limiter.holdUntil(key, now + delayMs * (1 + margin));
    }
    for (const pool of pools) {
      if (pool.strict) limiter.holdUntil(poolKey(pool), now + this.#intervalMs(pool.perSecond));
    }
  }

  /** Some services (Crossref) say in their headers how fast and how many at once they will bear. */
  #learn(head: ResponseHead, pools: readonly Pool[]): void {
    const pool = pools.find(({ learns }) => learns);
    const limit = Number(head.headers['x-rate-limit-limit']);
    const seconds = Number(/^(\d+)s$/.exec(head.headers['x-rate-limit-interval'] ?? '')?.[1]);
    if (!pool || !(limit > 0) || !(seconds > 0)) return;
    const key = poolKey(pool);
    const perSecond = limit / seconds;
    if ((this.#learned.get(key) ?? pool.perSecond) !== perSecond) {
      this.#learned.set(key, perSecond);
      this.#buckets.delete(key);
      // It starts empty: what was sent a moment ago counts against the new rate as well.
      this.#rate(key, perSecond)?.bucket.consume(1);
    }
    const concurrency = Number(head.headers['x-concurrency-limit']);
    if (!(concurrency > 0)) return;
    this.#options.limiter.setLimit(key, concurrency);
    this.#cap(hostKey(head.url), concurrency);
  }
}

/** What is told of a host that asks for a longer wait than we are prepared for. */
export function tooLong(host: string, until: number): string {
  return `${host} asks to be left alone until ${new Date(until).toISOString()} (Retry-After), longer than we wait`;
}

function crawlKey(host: string): string {
  return `crawl:${host}`;
}

function poolKey(pool: Pool): string {
  return `pool:${pool.name}`;
}
