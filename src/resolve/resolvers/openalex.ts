import type { WorkLocation } from '../../works/index.ts';
import { arxivIdAt, lead, pmcidAt, plan } from '../plan.ts';
import { needsKey } from '../lookups.ts';
import type { Resolver } from '../resolver.ts';

/** Open files and URLs given with the work; arXiv and PubMed Central have their own resolvers. */
export const openalex: Resolver = {
  name: 'openalex',
  async *plans(work, { services }) {
    // Repositories serve programs; many publishers' sites block them.
    const inOrder = work.locations.toSorted((a, b) => Number(isElsewhere(b)) - Number(isElsewhere(a)));
    for (const { isOpen, pdfUrl, license, version, hostType } of inOrder) {
      if (!isOpen || pdfUrl === null) continue;
      if (pmcidAt(services, pdfUrl) !== undefined || (work.ids.arxiv !== null && arxivIdAt(services, pdfUrl))) continue;
      yield* lead(services, 'openalex', pdfUrl, { expect: 'pdf', license, version, hostType });
    }
    for (const url of work.urls) yield* lead(services, 'openalex', url);
  },
};

function isElsewhere({ hostType }: WorkLocation): boolean {
  return hostType !== null && hostType !== 'publisher';
}

/** Pages at open locations, except those of the `doi`, arXiv and PubMed Central resolvers. */
export const landingPage: Resolver = {
  name: 'landing_page',
  async *plans(work, { services }) {
    for (const { isOpen, landingUrl, pdfUrl, license, version, hostType } of work.locations) {
      if (!isOpen || landingUrl === null) continue;
      if (pdfUrl !== null && services.isOf('doi', landingUrl)) continue;
      if (pmcidAt(services, landingUrl) !== undefined || arxivIdAt(services, landingUrl)) continue;
      yield* lead(services, 'landing_page', landingUrl, { expect: 'landing', license, version, hostType });
    }
  },
};

/** A copy costs a hundred credits. The response redirects to a signed URL, which does not receive the key. */
export const openalexContent: Resolver = {
  name: 'openalex_content',
  async *plans(work, { services }) {
    const { openalex } = work.ids;
    if (openalex === null || (!work.content.pdf && !work.content.tei)) return;
    if (!services.hasKey('openalex_content')) {
      yield needsKey('openalex_content', 'needs an OpenAlex key');
      return;
    }
    const best = work.locations.find(({ isOpen }) => isOpen);
    const shared = {
      license: best?.license ?? null,
      version: best?.version ?? null,
      hostType: 'aggregator',
      robots: 'terms',
      credentials: services.credentials('openalex_content'),
    } as const;
    const file = (ending: string): URL => services.url('openalex_content', `works/${openalex}.${ending}`);
    if (work.content.pdf) yield* plan('openalex_content', file('pdf'), { ...shared, expect: 'pdf' });
    if (work.content.tei) yield* plan('openalex_content', file('grobid-xml'), { ...shared, expect: 'xml' });
  },
};
