import { arxivFile, arxivIdAt } from '../leads.ts';
import type { Resolver } from '../plan.ts';

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
