import type { Pool } from '../hosts/index.ts';
import type { Credential } from '../http/index.ts';
import { Secret } from '../http/index.ts';
import { AppError } from '../base/index.ts';
import type { ServiceFacts } from './service-table.ts';
import { SERVICE_TABLE } from './service-table.ts';

export type ServiceName = keyof typeof SERVICE_TABLE;

/** All services. */
export const SERVICE_NAMES = Object.keys(SERVICE_TABLE) as readonly ServiceName[];

export interface ServiceOptions {
  /** Replacement URLs of services, by name. */
  readonly baseUrls?: Readonly<Partial<Record<ServiceName, string>>>;
  /** Keys by the name in the table. */
  readonly keys?: Readonly<Record<string, Secret | string | undefined>>;
  /** Multiplies every rate, for a web of your own. */
  readonly rateScale?: number;
}

/** URLs, keys and limits of the services. */
export class Services {
  readonly #bases = new Map<ServiceName, URL>();
  readonly #keys: ReadonlyMap<string, Secret>;
  readonly #rateScale: number;

  constructor(options: ServiceOptions = {}) {
    for (const name of Object.keys(options.baseUrls ?? {})) checkName(name);
    for (const [name, facts] of entries()) {
      const text = options.baseUrls?.[name] ?? facts.baseUrl;
      const url = URL.parse(text.endsWith('/') ? text : `${text}/`);
      if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
        throw new AppError('SERVICE_URL', `"${text.slice(0, 200)}" is not a valid base URL for ${name}`, {
          hint: 'use an absolute http or https URL',
        });
      }
      this.#bases.set(name, url);
    }
    this.#keys = new Map(
      Object.entries(options.keys ?? {}).flatMap(([name, key]): [string, Secret][] => {
        if (key === undefined || key === '') return [];
        return [[name, typeof key === 'string' ? new Secret(key) : key]];
      }),
    );
    this.#rateScale = options.rateScale ?? 1;
  }

  base(name: ServiceName): URL {
    return this.#bases.get(name) as URL;
  }

  /** A service URL; `path` is used as it is, so encode its parts. */
  url(name: ServiceName, path: string, parameters: Readonly<Record<string, string>> = {}): URL {
    const url = new URL(this.base(name).href + path.replace(/^\//, ''));
    for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value);
    return url;
  }

  /** Whether there is a key for a service, or for getting one. */
  hasKey(name: ServiceName): boolean {
    const key = factsOf(name).key;
    return (key !== undefined && this.#keys.has(key.keyName)) || this.renewal(name) !== undefined;
  }

  /** The service that issues tokens for this one, if there is a key for it. */
  renewal(name: ServiceName): ServiceName | undefined {
    const at = factsOf(name).renewedAt as ServiceName | undefined;
    return at !== undefined && this.hasKey(at) ? at : undefined;
  }

  /** A service's keys, bound to its origin; an issued token replaces the one in the settings. */
  credentials(name: ServiceName, token?: Secret): readonly Credential[] {
    const { key } = factsOf(name);
    const secret = token ?? (key && this.#keys.get(key.keyName));
    if (!key || !secret) return [];
    const { place, parameter, prefix } = key;
    return [
      { origin: this.base(name).origin, place, name: parameter, secret, ...(prefix !== undefined && { prefix }) },
    ];
  }

  /** Whether a URL is at a service's host. */
  isAt(name: ServiceName, url: string): boolean {
    return URL.parse(url)?.host === this.base(name).host;
  }

  /** Whether a URL is at any host of a service, original or replaced. */
  isOf(name: ServiceName, url: string): boolean {
    const host = URL.parse(url)?.host ?? '';
    const { baseUrl, limits } = factsOf(name);
    const original = new URL(baseUrl).host;
    const { host: base } = this.base(name);
    const suffix = base.startsWith(original) ? base.slice(original.length) : '';
    return (
      [original, ...(limits.hosts ?? [])].some((each) => host === each || host === `${each}${suffix}`) || host === base
    );
  }

  /** Limits for the HTTP client. */
  pools(): Pool[] {
    const pools = new Map<string, Pool>();
    for (const [name, facts] of entries()) {
      const { limits } = facts;
      const rate = this.hasKey(name) && limits.keyed ? { ...limits, ...limits.keyed } : limits;
      const base = this.base(name);
      // Replacing a service's URL also replaces its other hosts.
      const original = new URL(facts.baseUrl).host;
      const suffix = base.host.startsWith(original) ? base.host.slice(original.length) : '';
      const hosts = limits.named ? [] : [base.host, ...(limits.hosts ?? []).map((host) => `${host}${suffix}`)];
      const poolName = limits.pool ?? name;
      const known = pools.get(poolName);
      pools.set(poolName, {
        name: poolName,
        hosts: [...new Set([...(known?.hosts ?? []), ...hosts])],
        perSecond: rate.perSecond * this.#rateScale,
        burst: rate.burst ?? 1,
        concurrency: rate.concurrency,
        ...(limits.strict && { strict: true }),
        ...(limits.learns && { learns: true }),
        ...(limits.pauseMs !== undefined && { pauseMs: limits.pauseMs }),
      });
    }
    return [...pools.values()];
  }
}

/** Base URLs of all services below one domain, for a test web or a proxy. */
export function baseUrlsBelow(domain: string, scheme: 'http' | 'https'): Record<ServiceName, string> {
  return Object.fromEntries(
    entries().map(([name, { baseUrl }]) => {
      const { host, pathname } = new URL(baseUrl);
      return [name, `${scheme}://${host}.${domain}${pathname}`];
    }),
  ) as Record<ServiceName, string>;
}

function entries(): [ServiceName, ServiceFacts][] {
  return Object.entries(SERVICE_TABLE) as [ServiceName, ServiceFacts][];
}

function factsOf(name: ServiceName): ServiceFacts {
  return SERVICE_TABLE[name];
}

function checkName(name: string): void {
  if (Object.hasOwn(SERVICE_TABLE, name)) return;
  const near = SERVICE_NAMES.toSorted((a, b) => distance(a, name) - distance(b, name))[0] ?? '';
  const guess = distance(near, name) <= 3 ? `did you mean ${near}? ` : '';
  throw new AppError('CONFIG_SERVICE_UNKNOWN', `services.base_urls: unknown service "${name.slice(0, 100)}"`, {
    hint: `${guess}there are ${SERVICE_NAMES.join(', ')}`,
  });
}

/** Edit distance of two names. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let above = 0; above < one.length; above += 1) {
    const next = [above + 1];
    for (let at = 0; at < other.length; at += 1) {
      const changed = (row[at] ?? 0) + (one[above] === other[at] ? 0 : 1);
      next.push(Math.min(changed, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? Infinity;
}
