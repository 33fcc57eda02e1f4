import { z } from 'zod';

import type { Work } from '../../works/index.ts';
import { maybe, parseLicense } from '../../works/index.ts';
import { problemsOf } from '../lookups.ts';
import type { Resolver } from '../plan.ts';
import { plan } from '../plan.ts';

export const semanticScholarPaper = z.object({
  openAccessPdf: maybe(z.object({ url: maybe(z.string()), status: maybe(z.string()), license: maybe(z.string()) })),
});

/** Semantic Scholar's open PDF, which may as well be a page: what comes is looked at. */
export const semanticScholar: Resolver = {
  name: 'semantic_scholar',
  async *plans(work, { lookups, signal }) {
    const id = paperId(work);
    if (id === undefined) return;
    const found = await lookups.json(
      {
        service: 'semantic_scholar',
        path: `graph/v1/paper/${encodeURIComponent(id)}`,
        parameters: { fields: 'externalIds,isOpenAccess,openAccessPdf' },
      },
      semanticScholarPaper,
      signal,
    );
    yield* problemsOf('semantic_scholar', found);
    if (found.kind !== 'found') return;
    const { openAccessPdf: file } = found.value;
    if (file && file.status !== 'CLOSED')
      yield* plan('semantic_scholar', file.url, { license: parseLicense(file.license) });
  },
};

function paperId({ ids }: Work): string | undefined {
  if (ids.doi !== null) return `DOI:${ids.doi}`;
  if (ids.arxiv !== null) return `ARXIV:${ids.arxiv.id}`;
  if (ids.pmcid !== null) return `PMCID:${ids.pmcid.slice(3)}`;
  return ids.pmid === null ? undefined : `PMID:${ids.pmid}`;
}
