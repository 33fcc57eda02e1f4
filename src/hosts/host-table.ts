import type { Rules } from './host.ts';

const MANY_HOSTS = 10_000;

/** What decides, besides the host, which limits apply to a request. */
export interface Asked {
  /** A pool named by the request, besides the pool of its host. */
  readonly pool?: string | undefined;
  readonly resolver?: string | null | undefined;
  /** Whether robots.txt and its Crawl-delay apply. */
  readonly obeysRobots?: boolean;
}

/** The limits of a request, by key: its host, its services, a Crawl-delay and its resolver. */
export class HostTable {
  readonly #pools: ReadonlyMap<string, Pool>;
  readonly #poolByHost: ReadonlyMap<string, Pool>;
  readonly #poolBySuffix: readonly (readonly [string, Pool])[];
  readonly #perHost: { readonly perSecond: number; readonly concurrency: number };
  readonly #perResolver: ReadonlyMap<string, number>;
  readonly #crawlDelays = new Map<string, number>();
  /** Safety margin below every rate, because requests bunch up in the network. */
  readonly margin: number;

  constructor(options: {
    /** For hosts that belong to no pool. */
    readonly perHost: { readonly perSecond: number; readonly concurrency: number };
    readonly pools?: readonly Pool[];
    readonly perResolver?: Readonly<Record<string, number>>;
    readonly margin?: number;
  }) {
    this.#perHost = options.perHost;
    const { pools = [] } = options;
    this.#pools = new Map(pools.map((pool) => [pool.name, pool]));
    const patterns = pools.flatMap((pool) => pool.hosts.map((host) => [host.toLowerCase(), pool] as const));
    this.#poolByHost = new Map(patterns);
    this.#poolBySuffix = patterns.flatMap(([host, pool]) => (host.startsWith('*.') ? [[host.slice(1), pool]] : []));
    this.#perResolver = new Map(Object.entries(options.perResolver ?? {}));
    this.margin = options.margin ?? 0;
  }

  /** The host first, then its services, its Crawl-delay and the resolver. */
  keysOf(host: string, asked: Asked = {}): string[] {
    const keys = [host, ...this.poolsOf(host, asked.pool).map(({ name }) => `pool/${name}`)];
    if (asked.obeysRobots === true && this.#crawlDelays.has(host)) keys.push(`crawl/${host}`);
    if (typeof asked.resolver === 'string' && this.#perResolver.has(asked.resolver)) {
      keys.push(resolverKey(asked.resolver));
    }
    return keys;
  }

  /** The pool that a request names, and the pool of its host. */
  poolsOf(host: string, named = ''): readonly Pool[] {
    const byHost = this.#poolByHost.get(host) ?? this.#poolBySuffix.find(([suffix]) => host.endsWith(suffix))?.[1];
    return [...new Set([this.#pools.get(named), byHost])].filter((pool) => pool !== undefined);
  }

  rulesOf(key: string): Rules {
    const [kind, name] = split(key);
    const plain = { burst: 1, from: 'request', pauseMs: 0, slows: 'cap' } as const;
    switch (kind) {
      case 'pool': {
        const pool = this.#pools.get(name);
        if (!pool) return { ...plain, cap: Infinity, perSecond: Infinity };
        const { perSecond, burst = 1, concurrency, strict = false, pauseMs = 0 } = pool;
        return strict
          ? { cap: 1, perSecond, burst: 1, from: 'answer', pauseMs, slows: 'cap' }
          : { cap: concurrency, perSecond, burst, from: 'request', pauseMs, slows: 'cap' };
      }
      case 'crawl':
        return { ...plain, cap: 1, perSecond: 1000 / (this.#crawlDelays.get(name) ?? 1), from: 'answer' };
      case 'resolver':
        return { ...plain, cap: Math.max(1, this.#perResolver.get(name) ?? Infinity), perSecond: Infinity };
      case 'host': {
        // A host of a service gets the service's concurrency and rate.
        const pools = this.poolsOf(name);
        if (pools.length === 0) {
          const { perSecond, concurrency } = this.#perHost;
          return { ...plain, cap: Math.max(1, concurrency), perSecond, slows: 'rate' };
        }
        const cap = Math.max(...pools.map(({ strict, concurrency }) => (strict ? 1 : concurrency)));
        return { ...plain, cap, perSecond: Infinity };
      }
    }
  }

  /** The services among the keys whose limits are taken from their headers. */
  learns(keys: readonly string[]): readonly string[] {
    return keys.filter((key) => {
      const [kind, name] = split(key);
      return kind === 'pool' && this.#pools.get(name)?.learns === true;
    });
  }

  setCrawlDelay(host: string, delayMs: number): void {
    if (this.#crawlDelays.size >= MANY_HOSTS) {
      const [oldest] = this.#crawlDelays.keys();
      if (oldest !== undefined) this.#crawlDelays.delete(oldest);
    }
    this.#crawlDelays.set(host, delayMs);
  }
}

export function resolverKey(resolver: string): string {
  return `resolver/${resolver}`;
}

export function nameKey(key: string): {
  readonly kind: 'host' | 'service' | 'crawl-delay' | 'resolver';
  readonly name: string;
} {
  const [kind, name] = split(key);
  return { kind: kind === 'pool' ? 'service' : kind === 'crawl' ? 'crawl-delay' : kind, name };
}

type KeyKind = 'host' | 'pool' | 'crawl' | 'resolver';

/** No host name contains a slash. */
function split(key: string): [KeyKind, string] {
  const found = /^(pool|crawl|resolver)\//.exec(key);
  return found ? [found[1] as KeyKind, key.slice(found[0].length)] : ['host', key];
}

export function isServiceKey(key: string): boolean {
  return key.includes('/');
}

/** A service: limits that several hosts, or parts of one, share. */
export interface Pool extends Pick<Rules, 'perSecond'>, Partial<Pick<Rules, 'burst' | 'pauseMs'>> {
  readonly name: string;
  /** Host keys, or `*.` and a suffix; empty for a pool that requests name explicitly. */
  readonly hosts: readonly string[];
  readonly concurrency: number;
  /** Measure the pause from the headers of the previous response, not from its request: for limits without slack. */
  readonly strict?: boolean;
  /** Apply the limits that the service states in its `x-rate-limit-*` headers. */
  readonly learns?: boolean;
}
