import type { Version } from '../license.ts';
import type { WorkIds } from '../ids/work-ids.ts';
import { NO_IDS } from '../ids/work-ids.ts';

/** Somebody who wrote a work. `family` and `given` only where a source has told them apart: others are read from `name`. */
export interface Author {
  readonly name: string;
  readonly family: string | null;
  readonly given: string | null;
  readonly orcid: string | null;
  readonly institutions: readonly Institution[];
}

export interface Institution {
  readonly name: string;
  readonly ror: string | null;
}

export interface Funder {
  readonly name: string;
  readonly ror: string | null;
  readonly awards: readonly string[];
}

/** Something a source calls by a name and, mostly, by an id. */
export interface Named {
  readonly id: string | null;
  readonly name: string;
}

export type NoticeKind =
  | 'retraction'
  | 'partial-retraction'
  | 'removal'
  | 'expression-of-concern'
  | 'correction'
  | 'reinstatement'
  | 'other';

/** What a publisher or Retraction Watch has said about a work since it appeared. */
export interface Notice {
  readonly kind: NoticeKind;
  /** The DOI of the notice itself. */
  readonly doi: string | null;
  readonly date: string | null;
  /** `publisher`, `retraction-watch`, `openalex`. */
  readonly source: string;
}

/** A notice and the work that it is about, by its DOI or PMID. */
export interface NoticeAbout {
  readonly doi: string | null;
  readonly pmid?: string | null;
  readonly notice: Notice;
}

/** How one work is another one's version. */
export interface Relation {
  readonly kind: 'is-preprint-of' | 'has-preprint' | 'is-version-of' | 'has-version';
  readonly doi: string;
}

export type RecordSource = 'openalex' | 'crossref' | 'document' | 'list';

/** Which fields of a record a source gave, and when it said so (ISO 8601). */
export interface Provenance {
  readonly from: RecordSource;
  readonly at: string;
  readonly fields: readonly string[];
}

/** What is known about a work so that it can be cited, filtered and kept fresh. Plain data, close to CSL-JSON. */
export interface WorkRecord {
  /** The id under which the work is queued, filed and found. */
  readonly id: string;
  readonly ids: WorkIds;
  /** In OpenAlex's words: `article`, `preprint`, `review`, `book-chapter`, … */
  readonly type: string | null;
  readonly title: string | null;
  readonly authors: readonly Author[];
  /** ISO 8601, as exact as it is known: `2024`, `2024-05`, `2024-05-17`. */
  readonly date: string | null;
  readonly venue: string | null;
  readonly publisher: string | null;
  readonly issn: readonly string[];
  readonly volume: string | null;
  readonly issue: string | null;
  readonly pages: string | null;
  readonly language: string | null;
  readonly abstract: string | null;
  readonly topics: readonly Named[];
  readonly keywords: readonly string[];
  readonly funders: readonly Funder[];
  /** Works it cites, by OpenAlex id or as `doi:…`. */
  readonly references: readonly string[];
  readonly related: readonly string[];
  readonly citedBy: number | null;
  /** Our word for the licence where there is one, else what the source said. */
  readonly license: string | null;
  readonly version: Version | null;
  /** `gold`, `hybrid`, `bronze`, `green`, `diamond` or `closed`. */
  readonly access: string | null;
  readonly notices: readonly Notice[];
  readonly relations: readonly Relation[];
  readonly url: string | null;
  /** When the source changed its record last. */
  readonly changed: string | null;
  readonly sources: readonly Provenance[];
}

/** A record that says nothing yet. */
export function emptyRecord(id: string, ids: Partial<WorkIds> = {}): WorkRecord {
  return {
    id,
    ids: { ...NO_IDS, ...ids },
    type: null,
    title: null,
    authors: [],
    date: null,
    venue: null,
    publisher: null,
    issn: [],
    volume: null,
    issue: null,
    pages: null,
    language: null,
    abstract: null,
    topics: [],
    keywords: [],
    funders: [],
    references: [],
    related: [],
    citedBy: null,
    license: null,
    version: null,
    access: null,
    notices: [],
    relations: [],
    url: null,
    changed: null,
    sources: [],
  };
}

/** The year of a record's date. */
export function yearOf({ date }: Pick<WorkRecord, 'date'>): number | null {
  const year = Number(date?.slice(0, 4) ?? Number.NaN);
  return Number.isInteger(year) && year > 0 ? year : null;
}

/** What reference managers are told of a work that was taken back. */
export const RETRACTED = 'This work was retracted.';

/** The notice that takes a work back, unless a later one has put it back in force. */
export function retractionOf({ notices }: Pick<WorkRecord, 'notices'>): Notice | undefined {
  const weighty = notices.filter(({ kind }) => kind === 'retraction' || kind === 'removal' || kind === 'reinstatement');
  // Without a date a notice counts as the oldest: only what is known to be later can undo another.
  const latest = weighty.toSorted((a, b) => (a.date ?? '').localeCompare(b.date ?? '')).at(-1);
  return latest === undefined || latest.kind === 'reinstatement' ? undefined : latest;
}
