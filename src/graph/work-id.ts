import type { WorkIds } from '../works/index.ts';

/** The id of a work's node by what names it best; undefined when nothing does. */
export function workNodeId(ids: WorkIds): string | undefined {
  if (ids.doi !== null) return `work:doi:${ids.doi.toLowerCase()}`;
  if (ids.openalex !== null) return `work:openalex:${ids.openalex}`;
  if (ids.arxiv !== null) return `work:arxiv:${ids.arxiv.id}`;
  if (ids.pmid !== null) return `work:pmid:${ids.pmid}`;
  if (ids.pmcid !== null) return `work:pmcid:${ids.pmcid}`;
  if (ids.hal !== null) return `work:hal:${ids.hal}`;
  return ids.zenodo === null ? undefined : `work:zenodo:${ids.zenodo}`;
}

/** The further ids of a work, each as the node it would be if nothing else were known. */
export function otherWorkNodeIds(ids: WorkIds): string[] {
  const named = [
    ids.openalex === null ? null : `work:openalex:${ids.openalex}`,
    ids.arxiv === null ? null : `work:arxiv:${ids.arxiv.id}`,
    ids.pmid === null ? null : `work:pmid:${ids.pmid}`,
  ];
  return named.filter((id) => id !== null && id !== workNodeId(ids)) as string[];
}
