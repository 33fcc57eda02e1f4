import { AppError, editDistance } from '../base/index.ts';
import type { Pool } from '../hosts/index.ts';
import type { Credential } from '../http/index.ts';
import { Secret } from '../http/index.ts';

export interface ServiceFacts {
  readonly baseUrl: string;
  readonly limits: Omit<Pool, 'name' | 'hosts'> & {
    /** Pool of shared limits; defaults to its own name. */
    readonly pool?: string;
    readonly keyed?: { readonly perSecond: number; readonly burst?: number };
    readonly hosts?: readonly string[];
    /** Not bound to a host: requests name the pool. */
    readonly named?: boolean;
  };
  readonly key?: {
    readonly keyName: string;
    readonly place: 'query' | 'header';
    readonly parameter: string;
    readonly prefix?: string;
  };
  /** The service that issues short-lived tokens. */
  readonly renewedAt?: string;
  /** How long a response counts as fresh if the service does not say; a day by default. */
  readonly cacheForMs?: number;
}

const HOUR = 3_600_000;

/**
 * Documented limits as of 2026, rounded down. For limits per hour or minute, `burst` and rate together stay within it.
 */
const SERVICE_TABLE = {
  openalex: {
    baseUrl: 'https://api.openalex.org/',
    limits: { perSecond: 8, burst: 2, concurrency: 4 },
    key: { keyName: 'openalex', place: 'query', parameter: 'api_key' },
    cacheForMs: HOUR,
  },
  // Four concurrent requests are allowed; `Backoff` is respected too.
  zotero: {
    baseUrl: 'https://api.zotero.org/',
    limits: { perSecond: 2, concurrency: 1 },
    key: { keyName: 'zotero', place: 'header', parameter: 'Zotero-API-Key' },
    cacheForMs: 0,
  },
  openalex_content: {
    baseUrl: 'https://content.openalex.org/',
    limits: { perSecond: 2, concurrency: 2 },
    key: { keyName: 'openalex', place: 'query', parameter: 'api_key' },
    cacheForMs: HOUR,
  },
  // 100,000 requests a day (unpaywall.org/products/api), rounded down.
  unpaywall: {
    baseUrl: 'https://api.unpaywall.org/',
    limits: { perSecond: 95_000 / 86_400, burst: 20, concurrency: 2 },
  },
  crossref: { baseUrl: 'https://api.crossref.org/', limits: { perSecond: 5, concurrency: 1, learns: true } },
  doi: { baseUrl: 'https://doi.org/', limits: { perSecond: 2, concurrency: 2, hosts: ['dx.doi.org'] } },
  // One request in three seconds and one connection, over all arXiv hosts.
  arxiv: {
    baseUrl: 'https://export.arxiv.org/',
    limits: {
      perSecond: 1 / 3,
      concurrency: 1,
      strict: true,
      hosts: ['arxiv.org', 'www.arxiv.org', 'oaipmh.arxiv.org'],
    },
  },
  europe_pmc: {
    baseUrl: 'https://www.ebi.ac.uk/europepmc/webservices/rest/',
    limits: { perSecond: 5, concurrency: 2 },
  },
  europe_pmc_site: { baseUrl: 'https://europepmc.org/', limits: { perSecond: 1, concurrency: 2 } },
  pmc: { baseUrl: 'https://pmc-oa-opendata.s3.amazonaws.com/', limits: { perSecond: 10, burst: 2, concurrency: 4 } },
  ncbi: {
    baseUrl: 'https://pmc.ncbi.nlm.nih.gov/',
    limits: {
      perSecond: 3,
      concurrency: 2,
      keyed: { perSecond: 10 },
      hosts: ['eutils.ncbi.nlm.nih.gov', 'www.ncbi.nlm.nih.gov'],
    },
    key: { keyName: 'ncbi', place: 'query', parameter: 'api_key' },
  },
  semantic_scholar: {
    baseUrl: 'https://api.semanticscholar.org/',
    limits: { perSecond: 1 / 3, concurrency: 1, keyed: { perSecond: 1 }, strict: true },
    key: { keyName: 'semantic_scholar', place: 'header', parameter: 'x-api-key' },
  },
  core: {
    baseUrl: 'https://api.core.ac.uk/',
    limits: { perSecond: 1 / 6, concurrency: 1 },
    key: { keyName: 'core', place: 'header', parameter: 'authorization', prefix: 'Bearer ' },
  },
  doaj: { baseUrl: 'https://doaj.org/', limits: { perSecond: 2, concurrency: 2 } },
  hal: { baseUrl: 'https://api.archives-ouvertes.fr/', limits: { perSecond: 1, concurrency: 1 } },
  zenodo: { baseUrl: 'https://zenodo.org/', limits: { perSecond: 1, concurrency: 2 } },
  zenodo_search: {
    baseUrl: 'https://zenodo.org/',
    limits: { perSecond: 25 / 60, burst: 3, concurrency: 1, named: true },
  },
  figshare: { baseUrl: 'https://api.figshare.com/', limits: { perSecond: 1, concurrency: 1 } },
  // A hundred an hour; with a token 10,000 a day (osf.io, api/base/settings), rounded down.
  osf: {
    baseUrl: 'https://api.osf.io/',
    limits: { perSecond: 75 / 3600, burst: 20, concurrency: 2, keyed: { perSecond: 9_500 / 86_400, burst: 400 } },
    key: { keyName: 'osf', place: 'header', parameter: 'authorization', prefix: 'Bearer ' },
  },
  openaire: {
    baseUrl: 'https://api.openaire.eu/',
    limits: { perSecond: 42 / 3600, burst: 15, concurrency: 1, keyed: { perSecond: 1, burst: 5 } },
    key: { keyName: 'openaire', place: 'header', parameter: 'authorization', prefix: 'Bearer ' },
    renewedAt: 'openaire_token',
  },
  // Access tokens last an hour, refresh tokens a month (graph.openaire.eu/docs/apis/authentication).
  openaire_token: {
    baseUrl: 'https://services.openaire.eu/uoa-user-management/api/users/',
    limits: { perSecond: 1 / 60, burst: 3, concurrency: 1 },
    key: { keyName: 'openaire_refresh', place: 'query', parameter: 'refreshToken' },
    cacheForMs: 0,
  },
  // 1,000 requests per address in five minutes for identified clients (support.datacite.org/docs/rate-limit).
  datacite: { baseUrl: 'https://api.datacite.org/', limits: { perSecond: 3, concurrency: 2 } },
  // The free plan: 100 requests a minute and 500 a day (dev.springernature.com), rounded down.
  springer_nature: {
    baseUrl: 'https://api.springernature.com/',
    limits: { perSecond: 400 / 86_400, burst: 80, concurrency: 1 },
    key: { keyName: 'springer_nature', place: 'query', parameter: 'api_key' },
  },
  // Three files a second and sixty in ten minutes (Wiley's text-mining terms), rounded down.
  wiley_tdm: {
    baseUrl: 'https://api.wiley.com/',
    limits: { perSecond: 50 / 600, burst: 10, concurrency: 1 },
    key: { keyName: 'wiley', place: 'header', parameter: 'wiley-tdm-client-token' },
  },
  // Ten requests a second and 50,000 a week (dev.elsevier.com/api_key_settings.html), rounded down.
  elsevier_tdm: {
    baseUrl: 'https://api.elsevier.com/',
    limits: { perSecond: 48_000 / 604_800, burst: 1_000, concurrency: 2 },
    key: { keyName: 'elsevier', place: 'header', parameter: 'x-els-apikey' },
  },
  biorxiv: { baseUrl: 'https://api.biorxiv.org/', limits: { perSecond: 1, concurrency: 1 } },
  biorxiv_site: {
    baseUrl: 'https://www.biorxiv.org/',
    limits: { pool: 'biorxiv_sites', perSecond: 1 / 5, concurrency: 1, strict: true, pauseMs: 60_000 },
  },
  medrxiv_site: {
    baseUrl: 'https://www.medrxiv.org/',
    limits: { pool: 'biorxiv_sites', perSecond: 1 / 5, concurrency: 1, strict: true, pauseMs: 60_000 },
  },
  wayback_availability: { baseUrl: 'https://archive.org/', limits: { perSecond: 1, concurrency: 1, pauseMs: 60_000 } },
  wayback: { baseUrl: 'https://web.archive.org/', limits: { perSecond: 4, concurrency: 2, pauseMs: 60_000 } },
  wayback_cdx: {
    baseUrl: 'https://web.archive.org/',
    limits: { perSecond: 24 / 60, burst: 2, concurrency: 1, named: true, pauseMs: 60_000 },
  },
} as const satisfies Readonly<Record<string, ServiceFacts>>;

export type ServiceName = keyof typeof SERVICE_TABLE;

export const SERVICE_NAMES = Object.keys(SERVICE_TABLE) as readonly ServiceName[];

export interface ServiceOptions {
  readonly baseUrls?: Readonly<Partial<Record<ServiceName, string>>>;
  /** Keys by the name in the table. */
  readonly keys?: Readonly<Record<string, Secret | string | undefined>>;
}

export class Services {
  readonly #bases = new Map<ServiceName, URL>();
  readonly #keys: ReadonlyMap<string, Secret>;

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
      Object.entries(options.keys ?? {}).flatMap(([name, key]): [string, Secret][] =>
        key === undefined || key === '' ? [] : [[name, typeof key === 'string' ? new Secret(key) : key]],
      ),
    );
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

  cacheForMs(name: ServiceName): number {
    return factsOf(name).cacheForMs ?? 24 * HOUR;
  }

  /** Whether there is a key for a service, or for obtaining one. */
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

  isAt(name: ServiceName, url: string): boolean {
    return URL.parse(url)?.host === this.base(name).host;
  }

  /** Whether a URL is at any host of a service, original or replaced. */
  isOf(name: ServiceName, url: string): boolean {
    const host = URL.parse(url)?.host ?? '';
    const { baseUrl, limits } = factsOf(name);
    return [new URL(baseUrl).host, ...(limits.hosts ?? []), ...this.#hostsOf(name)].includes(host);
  }

  /** Replacing the URL of a service also replaces its other hosts. */
  #hostsOf(name: ServiceName): string[] {
    const { baseUrl, limits } = factsOf(name);
    const [original, base] = [new URL(baseUrl).host, this.base(name).host];
    const suffix = base.startsWith(original) ? base.slice(original.length) : '';
    return [base, ...[original, ...(limits.hosts ?? [])].map((host) => `${host}${suffix}`)];
  }

  pools(): Pool[] {
    const pools = new Map<string, Pool>();
    for (const [service, { limits }] of entries()) {
      const { pool: name = service, keyed, hosts: _others, named, ...rate } = limits;
      const hosts = [...(pools.get(name)?.hosts ?? []), ...(named ? [] : this.#hostsOf(service))];
      pools.set(name, {
        burst: 1,
        ...rate,
        ...(this.hasKey(service) && keyed),
        name,
        hosts: [...new Set(hosts)],
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
  const near = SERVICE_NAMES.toSorted((a, b) => editDistance(a, name) - editDistance(b, name))[0] ?? '';
  const guess = editDistance(near, name) <= 3 ? `did you mean ${near}? ` : '';
  throw new AppError('CONFIG_SERVICE_UNKNOWN', `services.base_urls: unknown service "${name.slice(0, 100)}"`, {
    hint: `${guess}there are ${SERVICE_NAMES.join(', ')}`,
  });
}
