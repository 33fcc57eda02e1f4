import { z } from 'zod';

import type { Work } from '../../works/index.ts';
import { lenient, maybe, parseArxivId, parseLicense, pmcidFromField, text } from '../../works/index.ts';
import { arxivFile, arxivIdAt, europePmcFile, lead } from '../plan.ts';
import { answerOf, sameAsOf } from '../lookups.ts';
import type { Resolver } from '../plan.ts';
import { compareWork } from '../same-work.ts';

const id = maybe(z.union([z.string(), z.number()]));

const semanticScholarPaper = z.object({
  title: text,
  externalIds: maybe(z.object({ DOI: id, ArXiv: id, PubMedCentral: id })),
  openAccessPdf: maybe(z.object({ url: text, status: lenient(z.string()), license: lenient(z.string()) })),
});

/** Semantic Scholar's open PDF, which may be a page, then the locations of its other ids. */
export const semanticScholar: Resolver = {
  name: 'semantic_scholar',
  async *plans(work, context) {
    const { services } = context;
    const paper = paperId(work);
    if (paper === undefined) return;
    const parameters = { fields: 'title,externalIds,isOpenAccess,openAccessPdf' };
    const question = { path: `graph/v1/paper/${encodeURIComponent(paper)}`, parameters };
    const found = yield* answerOf('semantic_scholar', context, question, semanticScholarPaper);
    if (!found) return;
    const { openAccessPdf: file, externalIds: ids, title } = found;
    // A record merges preprint and article, so its DOI may be the other's: the title decides.
    const doi = textOf(ids?.DOI);
    const sameAs = yield* sameAsOf('semantic_scholar', compareWork(work, { doi, title }));
    if (sameAs === undefined) return;
    const details = { license: parseLicense(file?.license), sameAs };
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
