import type { Resolver } from '../plan.ts';
import { plan } from '../plan.ts';

/** Files that OpenAlex lists at open locations, the best one first, and URLs that came with the work. */
export const openalex: Resolver = {
  name: 'openalex',
  async *plans(work) {
    for (const { isOpen, pdfUrl, license, version, hostType } of work.locations) {
      if (isOpen) yield* plan('openalex', pdfUrl, { expect: 'pdf', license, version, hostType });
    }
    for (const url of work.urls) yield* plan('openalex', url);
  },
};
