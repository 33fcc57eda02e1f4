/** A service: its URL, limits and key. */
export interface ServiceFacts {
  readonly baseUrl: string;
  readonly limits: {
    /** Pool of shared limits; defaults to its own name. */
    readonly pool?: string;
    readonly perSecond: number;
    readonly burst?: number;
    readonly concurrency: number;
    /** Limits with a key. */
    readonly keyed?: { readonly perSecond: number; readonly burst?: number; readonly concurrency?: number };
    /** Other hosts of the same pool. */
    readonly hosts?: readonly string[];
    /** Not bound to a host: requests name the pool. */
    readonly named?: boolean;
    readonly strict?: boolean;
    readonly learns?: boolean;
    readonly pauseMs?: number;
  };
  readonly key?: {
    /** Name of the key in the settings. */
    readonly keyName: string;
    readonly place: 'query' | 'header';
    readonly parameter: string;
    readonly prefix?: string;
  };
  /** The service that issues short-lived tokens. */
  readonly renewedAt?: string;
  /** How long a response counts as fresh if the service does not say. */
  readonly cacheForMs: number;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Documented limits as of 2026, rounded down. For limits per hour or minute, `burst` and rate together stay within it. */
export const SERVICE_TABLE = {
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
    cacheForMs: DAY,
  },
  crossref: {
    baseUrl: 'https://api.crossref.org/',
    limits: { perSecond: 5, concurrency: 1, learns: true },
    cacheForMs: DAY,
  },
  doi: {
    baseUrl: 'https://doi.org/',
    limits: { perSecond: 2, concurrency: 2, hosts: ['dx.doi.org'] },
    cacheForMs: DAY,
  },
  // One request in three seconds and one connection, over all arXiv hosts.
  arxiv: {
    baseUrl: 'https://export.arxiv.org/',
    limits: {
      perSecond: 1 / 3,
      concurrency: 1,
      strict: true,
      hosts: ['arxiv.org', 'www.arxiv.org', 'oaipmh.arxiv.org'],
    },
    cacheForMs: DAY,
  },
  europe_pmc: {
    baseUrl: 'https://www.ebi.ac.uk/europepmc/webservices/rest/',
    limits: { perSecond: 5, concurrency: 2 },
    cacheForMs: DAY,
  },
  europe_pmc_site: {
    baseUrl: 'https://europepmc.org/',
    limits: { perSecond: 1, concurrency: 2 },
    cacheForMs: DAY,
  },
  pmc: {
    baseUrl: 'https://pmc-oa-opendata.s3.amazonaws.com/',
    limits: { perSecond: 10, burst: 2, concurrency: 4 },
    cacheForMs: DAY,
  },
  ncbi: {
    baseUrl: 'https://pmc.ncbi.nlm.nih.gov/',
    limits: {
      perSecond: 3,
      concurrency: 2,
      keyed: { perSecond: 10 },
      hosts: ['eutils.ncbi.nlm.nih.gov', 'www.ncbi.nlm.nih.gov'],
    },
    key: { keyName: 'ncbi', place: 'query', parameter: 'api_key' },
    cacheForMs: DAY,
  },
  semantic_scholar: {
    baseUrl: 'https://api.semanticscholar.org/',
    limits: { perSecond: 1 / 3, concurrency: 1, keyed: { perSecond: 1 }, strict: true },
    key: { keyName: 'semantic_scholar', place: 'header', parameter: 'x-api-key' },
    cacheForMs: DAY,
  },
  core: {
    baseUrl: 'https://api.core.ac.uk/',
    limits: { perSecond: 1 / 6, concurrency: 1 },
    key: { keyName: 'core', place: 'header', parameter: 'authorization', prefix: 'Bearer ' },
    cacheForMs: DAY,
  },
  doaj: { baseUrl: 'https://doaj.org/', limits: { perSecond: 2, concurrency: 2 }, cacheForMs: DAY },
  hal: { baseUrl: 'https://api.archives-ouvertes.fr/', limits: { perSecond: 1, concurrency: 1 }, cacheForMs: DAY },
  zenodo: { baseUrl: 'https://zenodo.org/', limits: { perSecond: 1, concurrency: 2 }, cacheForMs: DAY },
  zenodo_search: {
    baseUrl: 'https://zenodo.org/',
    limits: { perSecond: 25 / 60, burst: 3, concurrency: 1, named: true },
    cacheForMs: DAY,
  },
  figshare: { baseUrl: 'https://api.figshare.com/', limits: { perSecond: 1, concurrency: 1 }, cacheForMs: DAY },
  // A hundred an hour; with a token 10,000 a day (osf.io, api/base/settings), rounded down.
  osf: {
    baseUrl: 'https://api.osf.io/',
    limits: { perSecond: 75 / 3600, burst: 20, concurrency: 2, keyed: { perSecond: 9_500 / 86_400, burst: 400 } },
    key: { keyName: 'osf', place: 'header', parameter: 'authorization', prefix: 'Bearer ' },
    cacheForMs: DAY,
  },
  openaire: {
    baseUrl: 'https://api.openaire.eu/',
    limits: { perSecond: 42 / 3600, burst: 15, concurrency: 1, keyed: { perSecond: 1, burst: 5 } },
    key: { keyName: 'openaire', place: 'header', parameter: 'authorization', prefix: 'Bearer ' },
    renewedAt: 'openaire_token',
    cacheForMs: DAY,
  },
  // Access tokens last an hour, refresh tokens a month (graph.openaire.eu/docs/apis/authentication).
  openaire_token: {
    baseUrl: 'https://services.openaire.eu/uoa-user-management/api/users/',
    limits: { perSecond: 1 / 60, burst: 3, concurrency: 1 },
    key: { keyName: 'openaire_refresh', place: 'query', parameter: 'refreshToken' },
    cacheForMs: 0,
  },
  // 1,000 requests per address in five minutes for identified clients (support.datacite.org/docs/rate-limit).
  datacite: { baseUrl: 'https://api.datacite.org/', limits: { perSecond: 3, concurrency: 2 }, cacheForMs: DAY },
  // The free plan: 100 requests a minute and 500 a day (dev.springernature.com), rounded down.
  springer_nature: {
    baseUrl: 'https://api.springernature.com/',
    limits: { perSecond: 400 / 86_400, burst: 80, concurrency: 1 },
    key: { keyName: 'springer_nature', place: 'query', parameter: 'api_key' },
    cacheForMs: DAY,
  },
  // Three files a second and sixty in ten minutes (Wiley's text-mining terms), rounded down.
  wiley_tdm: {
    baseUrl: 'https://api.wiley.com/',
    limits: { perSecond: 50 / 600, burst: 10, concurrency: 1 },
    key: { keyName: 'wiley', place: 'header', parameter: 'wiley-tdm-client-token' },
    cacheForMs: DAY,
  },
  // Ten requests a second and 50,000 a week (dev.elsevier.com/api_key_settings.html), rounded down.
  elsevier_tdm: {
    baseUrl: 'https://api.elsevier.com/',
    limits: { perSecond: 48_000 / 604_800, burst: 1_000, concurrency: 2 },
    key: { keyName: 'elsevier', place: 'header', parameter: 'x-els-apikey' },
    cacheForMs: DAY,
  },
  biorxiv: { baseUrl: 'https://api.biorxiv.org/', limits: { perSecond: 1, concurrency: 1 }, cacheForMs: DAY },
  biorxiv_site: {
    baseUrl: 'https://www.biorxiv.org/',
    limits: { pool: 'biorxiv_sites', perSecond: 1 / 5, concurrency: 1, strict: true, pauseMs: 60_000 },
    cacheForMs: DAY,
  },
  medrxiv_site: {
    baseUrl: 'https://www.medrxiv.org/',
    limits: { pool: 'biorxiv_sites', perSecond: 1 / 5, concurrency: 1, strict: true, pauseMs: 60_000 },
    cacheForMs: DAY,
  },
  wayback_availability: {
    baseUrl: 'https://archive.org/',
    limits: { perSecond: 1, concurrency: 1, pauseMs: 60_000 },
    cacheForMs: DAY,
  },
  wayback: {
    baseUrl: 'https://web.archive.org/',
    limits: { perSecond: 4, concurrency: 2, pauseMs: 60_000 },
    cacheForMs: DAY,
  },
  wayback_cdx: {
    baseUrl: 'https://web.archive.org/',
    limits: { perSecond: 24 / 60, burst: 2, concurrency: 1, named: true, pauseMs: 60_000 },
    cacheForMs: DAY,
  },
} as const satisfies Readonly<Record<string, ServiceFacts>>;
