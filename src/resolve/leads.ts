import type { ArxivId, Work } from '../works/index.ts';
import { formatArxivId, NO_IDS, normalizeDoi, parseArxivId, pmcidFromField } from '../works/index.ts';
import type { Finding, Plan } from './plan.ts';
import { plan } from './plan.ts';
import type { SameAs } from './same-work.ts';
import type { Services } from './services.ts';

type Details = Partial<Omit<Plan, 'resolver' | 'url'>>;

/**
 * A URL that a service names, as the plan it should be. arXiv is asked at the host it keeps for programs, PubMed
 * Central's site never (it forbids systematic retrieval outside its named services, and answers with a proof of work):
 * Europe PMC has the same article. A link to a DOI is a page, whatever it was called.
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

/** arXiv's PDF at the host it keeps for programs. */
export function arxivFile(services: Services, resolver: string, id: ArxivId, details: Details = {}): Finding[] {
  return plan(resolver, services.url('arxiv', `pdf/${formatArxivId(id)}`), {
    ...details,
    expect: 'pdf',
    version: 'submittedVersion',
    hostType: 'preprint',
    robots: 'terms',
  });
}

/** Europe PMC's rendering of an article in PubMed Central. */
export function europePmcFile(services: Services, resolver: string, pmcid: string, details: Details = {}): Finding[] {
  return plan(resolver, services.url('europe_pmc_site', `articles/${pmcid}`, { pdf: 'render' }), {
    ...details,
    expect: 'pdf',
    hostType: 'aggregator',
  });
}

/** The id in an address at arXiv; undefined elsewhere. */
export function arxivIdAt(services: Services, url: string): ArxivId | undefined {
  if (!services.isOf('arxiv', url)) return undefined;
  const { pathname } = new URL(url);
  return parseArxivId(`https://arxiv.org${pathname}`);
}

/** The id in an address at PubMed Central's own site; null where there is none, undefined elsewhere. */
export function pmcidAt(services: Services, url: string): string | null | undefined {
  const parsed = URL.parse(url);
  if (!parsed || !services.isOf('ncbi', url)) return undefined;
  const { host, pathname } = parsed;
  if (!host.startsWith('pmc.') && !/^\/pmc\//i.test(pathname)) return undefined;
  const id = /\/articles\/(?:instance\/)?(?:pmid\/\d+|((?:PMC)?\d{1,10}))(?:[/.]|$)/i.exec(pathname)?.[1];
  return (id === undefined ? undefined : pmcidFromField(id)) ?? null;
}

/** The id in an address of Europe PMC's site, whose pages are built by scripts: undefined elsewhere. */
function renderedAt(services: Services, url: string): string | undefined {
  if (!services.isOf('europe_pmc_site', url)) return undefined;
  const { pathname, searchParams } = new URL(url);
  const id = /^\/(?:api\/fulltextRepo|backend\/ptpmcrender\.fcgi)/.test(pathname)
    ? (searchParams.get('pmcId') ?? searchParams.get('accid') ?? undefined)
    : /^\/(?:articles?|abstract)\/(?:pmc\/)?(pmc\d{1,10}|(?<=pmc\/)\d{1,10})(?:[/.]|$)/i.exec(pathname)?.[1];
  return id === undefined ? undefined : pmcidFromField(id);
}

/** The same work as it is known under a DOI of another version: what the resolvers of repositories are asked with. */
export function asVersion(work: Work, doi: string): Work {
  const canonical = normalizeDoi(doi) ?? doi;
  return {
    ...work,
    ids: { ...NO_IDS, doi: canonical, arxiv: parseArxivId(canonical) ?? null },
    locations: [],
    urls: [],
  };
}

/** Findings of another resolver, told under the name of the one that led to it, as copies that have a DOI of their own. */
export async function* told(
  resolver: string,
  findings: AsyncIterable<Finding>,
  sameAs: SameAs,
): AsyncGenerator<Finding> {
  for await (const finding of findings) {
    if (finding.kind === 'plan') yield { kind: 'plan', plan: { ...finding.plan, resolver, sameAs } };
    else yield { ...finding, resolver };
  }
}
