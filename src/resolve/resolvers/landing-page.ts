import { arxivIdAt, lead, pmcidAt } from '../leads.ts';
import type { Resolver } from '../plan.ts';

/**
 * Pages at OpenAlex's open locations. Pages behind the DOI are left to the `doi` resolver; arXiv and PubMed Central
 * have their own resolvers.
 */
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
