import { arxivIdAt, lead, pmcidAt } from '../leads.ts';
import type { Resolver } from '../plan.ts';

/**
 * Pages that OpenAlex lists at open locations. A page behind the DOI of a listed file is left to the `doi` resolver; arXiv's
 * and PubMed Central's pages lead to files that their own resolvers have.
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
