import { doiPath } from '../../works/index.ts';
import { arxivFile, arxivIdAt } from '../leads.ts';
import type { Resolver } from '../plan.ts';
import { plan } from '../plan.ts';

/** arXiv's PDF at its host for programs, with OpenAlex's licence. */
export const arxiv: Resolver = {
  name: 'arxiv',
  async *plans(work, { services }) {
    const { arxiv: id } = work.ids;
    if (id === null) return;
    const known = work.locations.find(({ landingUrl, pdfUrl }) =>
      [landingUrl, pdfUrl].some((url) => url !== null && arxivIdAt(services, url)?.id === id.id),
    );
    yield* arxivFile(services, 'arxiv', id, { license: known?.license ?? null });
  },
};

/** The page behind the DOI. Skips arXiv DOIs, whose file the arXiv resolver has given. */
export const doi: Resolver = {
  name: 'doi',
  async *plans(work, { services }) {
    if (work.ids.doi === null || work.ids.doi.startsWith('10.48550/arxiv.')) return;
    yield* plan('doi', services.url('doi', doiPath(work.ids.doi)), { expect: 'landing', robots: 'terms' });
  },
};
