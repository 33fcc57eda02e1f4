import type { ArxivId } from './arxiv-id.ts';
import { parseArxivId } from './arxiv-id.ts';
import { findDoi, normalizeDoi } from './doi.ts';
import {
  normalizeHalId,
  normalizeOpenAlexId,
  normalizePmcid,
  normalizePmid,
  normalizeZenodoId,
} from './catalogue-ids.ts';

/** All ids of a work, each in canonical form. */
export interface WorkIds {
  readonly openalex: string | null;
  readonly doi: string | null;
  readonly arxiv: ArxivId | null;
  readonly pmid: string | null;
  readonly pmcid: string | null;
  readonly hal: string | null;
  readonly zenodo: string | null;
}

export const NO_IDS: WorkIds = {
  openalex: null,
  doi: null,
  arxiv: null,
  pmid: null,
  pmcid: null,
  hal: null,
  zenodo: null,
};

/** Recognises an id of any kind; undefined if the text is not an id. */
export function identify(text: string): WorkIds | undefined {
  const openalex = normalizeOpenAlexId(text);
  if (openalex !== undefined) return { ...NO_IDS, openalex };
  // An arXiv or Zenodo DOI is both.
  const arxiv = parseArxivId(text);
  const zenodo = normalizeZenodoId(text);
  const doi = normalizeDoi(text);
  if (arxiv || zenodo !== undefined || doi !== undefined) {
    return { ...NO_IDS, arxiv: arxiv ?? null, zenodo: zenodo ?? null, doi: doi ?? null };
  }
  const pmcid = normalizePmcid(text);
  if (pmcid !== undefined) return { ...NO_IDS, pmcid };
  const pmid = normalizePmid(text);
  if (pmid !== undefined) return { ...NO_IDS, pmid };
  // Only PMIDs are numbers this long; shorter ones are probably mistakes.
  if (/^\s*[1-9]\d{4,7}\s*$/.test(text)) return { ...NO_IDS, pmid: text.trim() };
  const hal = normalizeHalId(text);
  if (hal !== undefined) return { ...NO_IDS, hal };
  const inUrl = /^https?:\/\//i.test(text.trim()) ? findDoi(text) : undefined;
  return inUrl === undefined ? undefined : { ...NO_IDS, doi: inUrl };
}

/** Merges two sets of ids; the first wins where they differ. */
export function mergeIds(first: WorkIds, second: WorkIds): WorkIds {
  return {
    openalex: first.openalex ?? second.openalex,
    doi: first.doi ?? second.doi,
    arxiv: first.arxiv ?? second.arxiv,
    pmid: first.pmid ?? second.pmid,
    pmcid: first.pmcid ?? second.pmcid,
    hal: first.hal ?? second.hal,
    zenodo: first.zenodo ?? second.zenodo,
  };
}

/** The id a work is queued and filed under; undefined if it has none. */
export function keyOf(ids: WorkIds): string | undefined {
  if (ids.openalex !== null) return ids.openalex;
  if (ids.doi !== null) return `doi:${ids.doi}`;
  if (ids.arxiv !== null) return `arxiv:${ids.arxiv.id}`;
  if (ids.pmcid !== null) return `pmcid:${ids.pmcid}`;
  if (ids.pmid !== null) return `pmid:${ids.pmid}`;
  if (ids.hal !== null) return `hal:${ids.hal}`;
  return ids.zenodo === null ? undefined : `zenodo:${ids.zenodo}`;
}
