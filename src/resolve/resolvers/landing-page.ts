import type { Resolver } from '../plan.ts';
import { plan } from '../plan.ts';

/** Pages that OpenAlex lists at open locations; a page behind the DOI of a listed file is left to the `doi` resolver. */
export const landingPage: Resolver = {
  name: 'landing_page',
  async *plans(work, { services }) {
    for (const { isOpen, landingUrl, pdfUrl, license, version, hostType } of work.locations) {
      if (!isOpen || landingUrl === null) continue;
      if (pdfUrl !== null && (services.isAt('doi', landingUrl) || /^https?:\/\/(dx\.)?doi\.org\//i.test(landingUrl)))
        continue;
      yield* plan('landing_page', landingUrl, { expect: 'landing', license, version, hostType });
    }
  },
};
