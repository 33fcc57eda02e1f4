import type { ArxivId, Work } from '../works/index.ts';
import { formatArxivId, NO_IDS, normalizeDoi, parseArxivId, pmcidFromField } from '../works/index.ts';
import type { Finding, Plan } from './plan.ts';
import { plan } from './plan.ts';
import type { SameAs } from './same-work.ts';
import type { Services } from './services.ts';

type Details = Partial<Omit<Plan, 'resolver' | 'url'>>;

/**
 * Turns a URL named by a service into a plan. arXiv is requested at its host for programs. PubMed Central's site,
 * which forbids automated retrieval, is replaced by Europe PMC, which has the same articles. A DOI link is a page.
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

/** arXiv's PDF at its host for programs. */
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

/** The id in an arXiv URL; undefined for others. */
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

/** Another resolver's findings, attributed to the resolver that led there, as copies with their own DOI. */
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
