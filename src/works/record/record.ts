import type { Version } from '../license.ts';
import type { WorkIds } from '../ids/work-ids.ts';
import { NO_IDS } from '../ids/work-ids.ts';

/** An author. `family` and `given` are set only if a source split the name. */
export interface Author {
  readonly name: string;
  readonly family: string | null;
  readonly given: string | null;
  readonly orcid: string | null;
  readonly institutions: readonly Institution[];
}

interface Institution {
  readonly name: string;
  readonly ror: string | null;
}

export interface Funder {
  readonly name: string;
  readonly ror: string | null;
  readonly awards: readonly string[];
}

/** Something with a name and usually an id. */
interface Named {
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

/** A notice about a work from its publisher or Retraction Watch. */
export interface Notice {
  readonly kind: NoticeKind;
  /** The notice's own DOI. */
  readonly doi: string | null;
  readonly date: string | null;
  /** `publisher`, `retraction-watch`, `openalex`. */
  readonly source: string;
}

/** A notice and the DOI or PMID of its work. */
export interface NoticeAbout {
  readonly doi: string | null;
  readonly pmid?: string | null;
  readonly notice: Notice;
}

/** How one work is a version of another. */
export interface Relation {
  readonly kind: 'is-preprint-of' | 'has-preprint' | 'is-version-of' | 'has-version';
  readonly doi: string;
}

export type RecordSource = 'openalex' | 'crossref' | 'document' | 'list';

/** Which fields a source gave, and when (ISO 8601). */
export interface Provenance {
  readonly from: RecordSource;
  readonly at: string;
  readonly fields: readonly string[];
}

/** Everything needed to cite, filter and refresh a work. Plain data, close to CSL-JSON. */
export interface WorkRecord {
  /** The id the work is queued, filed and found under. */
  readonly id: string;
  readonly ids: WorkIds;
  /** OpenAlex type: `article`, `preprint`, `review`, `book-chapter`, … */
  readonly type: string | null;
  readonly title: string | null;
  readonly authors: readonly Author[];
  /** ISO 8601, to its known precision: `2024`, `2024-05`, `2024-05-17`. */
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
  /** Cited works, by OpenAlex id or as `doi:…`. */
  readonly references: readonly string[];
  readonly related: readonly string[];
  readonly citedBy: number | null;
  /** Our name for the licence, else the source's text. */
  readonly license: string | null;
  readonly version: Version | null;
  /** `gold`, `hybrid`, `bronze`, `green`, `diamond` or `closed`. */
  readonly access: string | null;
  readonly notices: readonly Notice[];
  readonly relations: readonly Relation[];
  readonly url: string | null;
  /** When the source last changed its record. */
  readonly changed: string | null;
  readonly sources: readonly Provenance[];
}

/** An empty record. */
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

/** Note for reference managers. */
export const RETRACTED = 'This work was retracted.';

/** The retraction, unless a later notice reinstated the work. */
export function retractionOf({ notices }: Pick<WorkRecord, 'notices'>): Notice | undefined {
  const weighty = notices.filter(({ kind }) => kind === 'retraction' || kind === 'removal' || kind === 'reinstatement');
  // A notice without a date counts as the oldest: only a known later one can undo another.
  const latest = weighty.toSorted((a, b) => (a.date ?? '').localeCompare(b.date ?? '')).at(-1);
  return latest === undefined || latest.kind === 'reinstatement' ? undefined : latest;
}
