import { doiPath } from '../../works/index.ts';
import type { Resolver } from '../plan.ts';
import { plan } from '../plan.ts';

/** The page the DOI itself leads to, whoever registered it. Those of arXiv lead to pages whose file arXiv has given already. */
export const doi: Resolver = {
  name: 'doi',
  async *plans(work, { services }) {
    if (work.ids.doi === null || work.ids.doi.startsWith('10.48550/arxiv.')) return;
    yield* plan('doi', services.url('doi', doiPath(work.ids.doi)), { expect: 'landing', robots: 'terms' });
  },
};
