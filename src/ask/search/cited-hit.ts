import type { Hit } from '../../search/index.ts';
import type { Author, Notice, WorkRecord } from '../../works/index.ts';
import { apaCitation, bibtexEntry, citationKey, retractionOf, yearOf } from '../../works/index.ts';

/** The work of a passage, with its citation. */
export interface CitedWork {
  readonly id: string;
  readonly title: string | null;
  readonly authors: readonly Pick<Author, 'name' | 'orcid'>[];
  readonly year: number | null;
  readonly date: string | null;
  readonly venue: string | null;
  readonly type: string | null;
  readonly doi: string | null;
  readonly url: string | null;
  readonly license: string | null;
  readonly version: string | null;
  readonly access: string | null;
  /** The notice of retraction; null if it was not retracted. */
  readonly retraction: Notice | null;
  /** Corrections and expressions of concern. */
  readonly notices: readonly Notice[];
  readonly apa: string;
  readonly bibtex: string;
}

/** A passage with its work and a link to open it. */
export interface CitedHit extends Hit {
  /** Null if nothing is known about the document. */
  readonly work: CitedWork | null;
  /** The document's file, with the passage's page if there are pages: `PDF/W1.pdf#page=3`. */
  readonly link: string | null;
  /** Found through citations of the results, not by the question itself. */
  readonly related?: true;
}

/** A document with its work and a link to open it. */
export interface CitedDocument {
  readonly document: string;
  readonly work: CitedWork | null;
  readonly link: string | null;
}

/** A hit with its citation and link. */
export function citedHit(hit: Hit, record: WorkRecord | undefined, file: string | undefined): CitedHit {
  const { page } = hit.passage;
  const at = file === undefined ? undefined : file.split('\\').join('/');
  const isPaged = at !== undefined && page !== undefined && /\.pdf$/i.test(at);
  return {
    ...hit,
    passage: { ...hit.passage, file: file ?? hit.passage.file },
    work: record ? citedWork(record) : null,
    link: at === undefined ? null : isPaged ? `${at}#page=${page}` : at,
  };
}

/** The fields of a record that a citation needs. */
export function citedWork(record: WorkRecord): CitedWork {
  const retraction = retractionOf(record) ?? null;
  return {
    id: record.id,
    title: record.title,
    authors: record.authors.map(({ name, orcid }) => ({ name, orcid })),
    year: yearOf(record),
    date: record.date,
    venue: record.venue,
    type: record.type,
    doi: record.ids.doi,
    url: record.url,
    license: record.license,
    version: record.version,
    access: record.access,
    retraction,
    notices: record.notices.filter(({ kind }) => kind !== 'retraction' && kind !== 'removal'),
    apa: apaCitation(record),
    bibtex: bibtexEntry({ ...record, abstract: null, keywords: [] }, citationKey(record, new Set())),
  };
}
