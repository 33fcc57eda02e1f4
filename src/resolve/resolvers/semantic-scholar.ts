import { z } from 'zod';

import type { Work } from '../../works/index.ts';
import { maybe, parseArxivId, parseLicense, pmcidFromField, lenient } from '../../works/index.ts';
import { arxivFile, arxivIdAt, europePmcFile, lead } from '../leads.ts';
import { problemsOf, wrongWork } from '../lookups.ts';
import type { Resolver } from '../plan.ts';
import { compareWork } from '../same-work.ts';

const id = maybe(z.union([z.string(), z.number()]));

const semanticScholarPaper = z.object({
  title: maybe(z.string()),
  externalIds: maybe(z.object({ DOI: id, ArXiv: id, PubMedCentral: id })),
  openAccessPdf: maybe(z.object({ url: maybe(z.string()), status: lenient(z.string()), license: lenient(z.string()) })),
});

/** Semantic Scholar's open PDF, which may be a page, then the locations of its other ids. */
export const semanticScholar: Resolver = {
  name: 'semantic_scholar',
  async *plans(work, { lookups, services, signal }) {
    const paper = paperId(work);
    if (paper === undefined) return;
    const found = await lookups.json(
      {
        service: 'semantic_scholar',
        path: `graph/v1/paper/${encodeURIComponent(paper)}`,
        parameters: { fields: 'title,externalIds,isOpenAccess,openAccessPdf' },
      },
      semanticScholarPaper,
      signal,
    );
    yield* problemsOf('semantic_scholar', found);
    if (found.kind !== 'found') return;
    const { openAccessPdf: file, externalIds: ids, title } = found.value;
    // A record merges preprint and article, so its DOI may be the other's: the title decides.
    const doi = textOf(ids?.DOI);
    const sameness = compareWork(work, { doi, title });
    yield* wrongWork('semantic_scholar', sameness);
    if (sameness.kind === 'other') return;
    const details = {
      license: parseLicense(file?.license),
      sameAs: sameness.kind === 'version' ? sameness.sameAs : null,
    } as const;
    // A paper closed at the publisher may be open at arXiv.
    if (file && (file.status !== 'CLOSED' || arxivIdAt(services, file.url ?? '')))
      yield* lead(services, 'semantic_scholar', file.url, details);
    const arxiv = parseArxivId(`arxiv:${textOf(ids?.ArXiv) ?? ''}`);
    if (arxiv) yield* arxivFile(services, 'semantic_scholar', arxiv);
    const pmcid = pmcidFromField(textOf(ids?.PubMedCentral) ?? '');
    if (pmcid !== undefined) yield* europePmcFile(services, 'semantic_scholar', pmcid);
  },
};

function paperId({ ids }: Work): string | undefined {
  if (ids.doi !== null) return `DOI:${ids.doi}`;
  if (ids.arxiv !== null) return `ARXIV:${ids.arxiv.id}`;
  if (ids.pmcid !== null) return `PMCID:${ids.pmcid.slice(3)}`;
  return ids.pmid === null ? undefined : `PMID:${ids.pmid}`;
}

function textOf(id: string | number | null | undefined): string | null {
  return id === null || id === undefined ? null : String(id);
}
