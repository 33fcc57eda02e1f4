import type { WorkLocation } from '../../works/index.ts';
import { arxivIdAt, lead, pmcidAt } from '../leads.ts';
import type { Resolver } from '../plan.ts';

/**
 * Files that OpenAlex lists at open locations, those in repositories first, and URLs that came with the work. Files at arXiv and in
 * PubMed Central are left to the resolvers for these, which know where programs are welcome.
 */
export const openalex: Resolver = {
  name: 'openalex',
  async *plans(work, { services }) {
    // Repositories are for programs too; publishers' sites wall many of them off.
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
