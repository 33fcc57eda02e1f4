import { formatArxivId } from '../../works/index.ts';
import type { Resolver } from '../plan.ts';
import { plan } from '../plan.ts';

/** arXiv's PDF at the host it keeps for programs. What OpenAlex says of the licence is taken along. */
export const arxiv: Resolver = {
  name: 'arxiv',
  async *plans(work, { services }) {
    const { arxiv: id } = work.ids;
    if (id === null) return;
    const known = work.locations.find(({ landingUrl, pdfUrl }) =>
      [landingUrl, pdfUrl].some((url) => url !== null && url.includes(id.id) && /arxiv\.org/i.test(url)),
    );
    yield* plan('arxiv', services.url('arxiv', `pdf/${formatArxivId(id)}`), {
      expect: 'pdf',
      license: known?.license ?? null,
      version: 'submittedVersion',
      hostType: 'preprint',
      robots: 'terms',
    });
  },
};
