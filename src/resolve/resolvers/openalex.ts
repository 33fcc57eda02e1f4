import type { WorkLocation } from '../../works/index.ts';
import { arxivIdAt, lead, pmcidAt } from '../leads.ts';
import type { Resolver } from '../plan.ts';

/**
 * Files at OpenAlex's open locations, repositories first, and URLs given with the work. Files at arXiv and PubMed
 * Central are left to their resolvers.
 */
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
