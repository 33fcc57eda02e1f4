import { doiPath } from '../../works/index.ts';
import type { Resolver } from '../plan.ts';
import { plan } from '../plan.ts';

/** The page behind the DOI. Skips arXiv DOIs, whose file the arXiv resolver has given. */
export const doi: Resolver = {
  name: 'doi',
  async *plans(work, { services }) {
    if (work.ids.doi === null || work.ids.doi.startsWith('10.48550/arxiv.')) return;
    yield* plan('doi', services.url('doi', doiPath(work.ids.doi)), { expect: 'landing', robots: 'terms' });
  },
};
