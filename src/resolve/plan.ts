import type { Credential, Headers } from '../http/index.ts';
import type { HostType, License, Version, Work, ArxivId } from '../works/index.ts';
import { formatArxivId, NO_IDS, normalizeDoi, parseArxivId, pmcidFromField } from '../works/index.ts';
import type { SameAs } from './same-work.ts';
import type { Services } from './services.ts';

/** What a source says is at a URL: 'landing' a page that leads to the text, 'any' unknown. */
export type Expectation = 'pdf' | 'xml' | 'html' | 'landing' | 'any';

/** A checksum that a source states for its file. */
export interface Checksum {
  /** How it was computed. */
  readonly algorithm: 'md5' | 'sha1' | 'sha256';
  /** In lower case. */
  readonly hex: string;
}

export function checksumOf(algorithm: 'md5' | 'sha256', text: string | null | undefined): Checksum | null {
  const hex = (algorithm === 'md5' ? /^(?:md5:)?([0-9a-f]{32})$/i : /^([0-9a-f]{64})$/i).exec(text ?? '')?.[1];
  return hex === undefined ? null : { algorithm, hex: hex.toLowerCase() };
}

/** One URL to try, and what its source says about it. */
export interface Plan {
  /** The resolver that names it. */
  readonly resolver: string;
  /** What to request. */
  readonly url: string;
  /** What the source says is there; `any` by default. */
  readonly expect: Expectation;
  /** The source promises a file; if a page comes instead it is still read, but counts as a broken promise. */
  readonly isPromised: boolean;
  /** The licence of this copy; null if the source states none. */
  readonly license: License | null;
  /** Published, accepted or submitted; null if the source does not say. */
  readonly version: Version | null;
  /** Publisher or repository; null if the source does not say. */
  readonly hostType: HostType | null;
  /** `terms` if the URL belongs to an API with its own terms; `obey` by default. */
  readonly robots: 'obey' | 'terms';
  /** Keys for the request; by default none. */
  readonly credentials: readonly Credential[];
  /** Headers for the request; by default none. */
  readonly headers: Headers;
  /** The checksum that the source states for the file; null if it states none. */
  readonly checksum: Checksum | null;
  /** The DOI of this copy, if it is another version of the work. */
  readonly sameAs: SameAs | null;
  /** The file may be mined but not redistributed: a publisher's text-mining terms, or a reservation (TDMRep). */
  readonly terms: 'text-mining' | null;
}

/** What holds of a URL of which its source says no more. */
const UNSTATED: Omit<Plan, 'resolver' | 'url'> = {
  expect: 'any',
  isPromised: false,
  license: null,
  version: null,
  hostType: null,
  robots: 'obey',
  credentials: [],
  headers: {},
  checksum: null,
  sameAs: null,
  terms: null,
};

/** What a resolver yields. */
export type Finding =
  /** A URL worth trying. */
  | { readonly kind: 'plan'; readonly plan: Plan }
  /** What kept the resolver from knowing more. */
  | {
      readonly kind: 'problem';
      readonly resolver: string;
      readonly message: string;
      /** When to retry; null if that is pointless. */
      readonly at: number | null;
      /** Skipped for lack of a key, which is not a failure. */
      readonly wantsKey?: true;
      /** The service answered about something else, so retrying is pointless. */
      readonly hasAnswered?: true;
    };

/** A plan with defaults; none if the URL cannot be fetched. */
export function plan(resolver: string, url: string | URL | null | undefined, details: Details = {}): Finding[] {
  // Some services return URLs with HTML entities.
  const parsed = URL.parse(
    String(url ?? '')
      .trim()
      .replaceAll('&amp;', '&'),
  );
  if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return [];
  return [{ kind: 'plan', plan: { ...UNSTATED, ...details, resolver, url: parsed.href } }];
}

type Details = Partial<Readonly<typeof UNSTATED>>;

/**
 * A plan for a URL that a service names. arXiv is requested at its host for programs; PubMed Central's site, which
 * forbids automated retrieval, is replaced by Europe PMC; a DOI link is a page.
 */
export function lead(
  services: Services,
  resolver: string,
  url: string | null | undefined,
  details: Details = {},
): Finding[] {
  const address = (url ?? '').trim();
  const id = arxivIdAt(services, address);
  if (id) return arxivFile(services, resolver, id, details);
  const pmcid = pmcidAt(services, address);
  if (pmcid !== undefined) return pmcid === null ? [] : europePmcFile(services, resolver, pmcid, details);
  const rendered = renderedAt(services, address);
  if (rendered !== undefined) return europePmcFile(services, resolver, rendered, details);
  if (services.isOf('doi', address)) return plan(resolver, address, { ...details, expect: 'landing', robots: 'terms' });
  return plan(resolver, address, details);
}

export function arxivFile(services: Services, resolver: string, id: ArxivId, details: Details = {}): Finding[] {
  return plan(resolver, services.url('arxiv', `pdf/${formatArxivId(id)}`), {
    ...details,
    expect: 'pdf',
    version: 'submittedVersion',
    hostType: 'preprint',
    robots: 'terms',
  });
}

/** Europe PMC's rendering of a PubMed Central article. */
export function europePmcFile(services: Services, resolver: string, pmcid: string, details: Details = {}): Finding[] {
  return plan(resolver, services.url('europe_pmc_site', `articles/${pmcid}`, { pdf: 'render' }), {
    ...details,
    expect: 'pdf',
    hostType: 'aggregator',
  });
}

export function arxivIdAt(services: Services, url: string): ArxivId | undefined {
  if (!services.isOf('arxiv', url)) return undefined;
  const { pathname } = new URL(url);
  return parseArxivId(`https://arxiv.org${pathname}`);
}

/** The id in a PubMed Central URL; null if there is none, undefined for other sites. */
export function pmcidAt(services: Services, url: string): string | null | undefined {
  const parsed = URL.parse(url);
  if (!parsed || !services.isOf('ncbi', url)) return undefined;
  const { host, pathname } = parsed;
  if (!host.startsWith('pmc.') && !/^\/pmc\//i.test(pathname)) return undefined;
  const id = /\/articles\/(?:instance\/)?(?:pmid\/\d+|((?:PMC)?\d{1,10}))(?:[/.]|$)/i.exec(pathname)?.[1];
  return (id === undefined ? undefined : pmcidFromField(id)) ?? null;
}

/** The id in a Europe PMC URL, whose pages need JavaScript; undefined for other sites. */
function renderedAt(services: Services, url: string): string | undefined {
  if (!services.isOf('europe_pmc_site', url)) return undefined;
  const { pathname, searchParams } = new URL(url);
  const id = /^\/(?:api\/fulltextRepo|backend\/ptpmcrender\.fcgi)/.test(pathname)
    ? (searchParams.get('pmcId') ?? searchParams.get('accid') ?? undefined)
    : /^\/(?:articles?|abstract)\/(?:pmc\/)?(pmc\d{1,10}|(?<=pmc\/)\d{1,10})(?:[/.]|$)/i.exec(pathname)?.[1];
  return id === undefined ? undefined : pmcidFromField(id);
}

/** The work under the DOI of another version, for the repositories' resolvers. */
export function asVersion(work: Work, doi: string): Work {
  const canonical = normalizeDoi(doi) ?? doi;
  return {
    ...work,
    ids: { ...NO_IDS, doi: canonical, arxiv: parseArxivId(canonical) ?? null },
    locations: [],
    urls: [],
  };
}

/** Attributes findings to the resolver that led there, as copies with their own DOI. */
export async function* attributedTo(
  resolver: string,
  findings: AsyncIterable<Finding>,
  sameAs: SameAs,
): AsyncGenerator<Finding> {
  for await (const finding of findings) {
    if (finding.kind === 'plan') yield { kind: 'plan', plan: { ...finding.plan, resolver, sameAs } };
    else yield { ...finding, resolver };
  }
}
