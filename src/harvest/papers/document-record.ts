import type { Sidecar } from '../../parse/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import {
  emptyRecord,
  NO_IDS,
  normalizeDoi,
  normalizePmcid,
  normalizePmid,
  parseArxivId,
  parseLicense,
  parsePersonName,
  withProvenance,
} from '../../works/index.ts';

const MOST_AUTHORS = 500;
const MOST_INSTITUTIONS = 20;

/** What a document says about itself: its record, and ids that may be its own, to be checked with the services. */
export interface StatedPaper {
  readonly sha256: string;
  /** Without a DOI if only the services can tell whether it is the document's. */
  readonly record: WorkRecord;
  /** DOIs to check, most likely first. */
  readonly dois: readonly string[];
  /** The DOI to use without a check, and the one to use if no service knows it. */
  readonly unchecked: { readonly unasked: string | null; readonly unknown: string | null };
}

/**
 * The record of a document from its content. Markup states the article's own DOI; a PDF's first page may name others, so
 * a DOI is used unchecked only if it is the only one.
 */
export function documentRecord(document: string, sidecar: Sidecar, at: string): StatedPaper {
  const { imprint } = sidecar;
  const doi = normalizeDoi(sidecar.doi ?? '') ?? null;
  const others = (imprint.otherDois ?? []).map(normalizeDoi).filter((each) => each !== undefined);
  const arxiv = parseArxivId(imprint.arxivId ?? '') ?? null;
  const ids = {
    ...NO_IDS,
    arxiv,
    pmid: normalizePmid(imprint.pmid ?? '') ?? /^[1-9]\d{0,8}$/.exec(imprint.pmid ?? '')?.[0] ?? null,
    pmcid: normalizePmcid(imprint.pmcid ?? '') ?? null,
  };
  const license = parseLicense(imprint.license);
  const people = new Map(sidecar.people?.map((person) => [person.name, person]));
  const record: WorkRecord = {
    ...emptyRecord(`paper:${document}`, ids),
    title: sidecar.title ?? null,
    authors: sidecar.authors.slice(0, MOST_AUTHORS).map((name) => {
      const { orcid = null, institutions = [] } = people.get(name) ?? {};
      const named = institutions.slice(0, MOST_INSTITUTIONS).map((each) => ({ name: each.slice(0, 300), ror: null }));
      return { ...parsePersonName(name.slice(0, 300)), orcid, institutions: named };
    }),
    date: imprint.date ?? null,
    venue: imprint.venue ?? null,
    publisher: imprint.publisher ?? null,
    issn: imprint.issn ?? [],
    volume: imprint.volume ?? null,
    issue: imprint.issue ?? null,
    pages: imprint.pages ?? null,
    language: sidecar.language ?? null,
    abstract: sidecar.abstract ?? null,
    keywords: imprint.keywords ?? [],
    license: license?.slug ?? null,
  };
  const isMarkup = sidecar.kind !== 'pdf';
  const stamped = arxiv && `10.48550/arxiv.${arxiv.id}`;
  return {
    sha256: sidecar.sha256,
    record: withProvenance(record, 'document', at),
    dois: [...new Set([...(doi === null ? [] : [doi]), ...others, ...(stamped === null ? [] : [stamped])])],
    unchecked: { unasked: isMarkup || others.length === 0 ? doi : null, unknown: isMarkup ? doi : null },
  };
}
