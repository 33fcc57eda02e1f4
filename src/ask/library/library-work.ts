import { slug } from '../../download/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import { emptyRecord, retractionOf, yearOf } from '../../works/index.ts';
import type { CorpusWorks } from '../corpus-works.ts';
import { hasDocument, readSidecar } from './read-document.ts';

/** The outcome of a work; `own` is a paper that was there, `waiting` one that was found and not yet tried. */
export type LibraryOutcome = 'saved' | 'failed' | 'parked' | 'skipped' | 'own' | 'waiting';

/** A work with all that is known of it. */
export interface LibraryWork {
  readonly id: string;
  /** The name of its parsed document, whether there is one or not. */
  readonly document: string;
  readonly hasText: boolean;
  readonly title: string | null;
  readonly authors: readonly string[];
  readonly year: number | null;
  readonly venue: string | null;
  readonly type: string | null;
  readonly doi: string | null;
  readonly licence: string | null;
  readonly version: string | null;
  readonly access: string | null;
  readonly outcome: LibraryOutcome;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly resolver: string | null;
  /** Relative to the folder of the corpus. */
  readonly file: string | null;
  readonly isRetracted: boolean;
  readonly label: 'included' | 'excluded' | null;
  readonly record: WorkRecord;
}

/** Where the documents of a corpus are. */
export interface DocumentPlace {
  readonly dataRoot: string;
  /** Where the file of a document is. */
  readonly linkOf: (document: string) => string | undefined;
}

/** A work of a run: what is known of it by its record, and its outcome by its last row in the manifest. */
export function describedWork(place: DocumentPlace, works: CorpusWorks, name: string): LibraryWork | undefined {
  const filed = works.find(name);
  if (!filed) return undefined;
  const known = filed.record === null ? undefined : works.record(filed.record);
  const [row] = filed.tried === null ? [] : works.history(filed.tried, 1);
  const id = known?.id ?? filed.work;
  const own = row ? undefined : works.ownDocument(id);
  const document = own ?? slug(filed.tried ?? id);
  const outcome = row?.outcome ?? (own === undefined ? 'waiting' : 'own');
  const title = known?.title ?? row?.title ?? null;
  const doi = known?.ids.doi ?? row?.doi ?? null;
  const record = known ?? { ...emptyRecord(id, { doi }), title };
  const isKept = outcome === 'saved' || outcome === 'own';
  return {
    id,
    document,
    hasText: hasDocument(place.dataRoot, document),
    title,
    authors: record.authors.map(({ name }) => name),
    year: yearOf(record),
    venue: record.venue,
    type: record.type,
    doi,
    licence: row?.license ?? record.license,
    version: row?.version ?? record.version,
    access: record.access,
    outcome,
    reason: row?.reason ?? null,
    detail: row?.detail ?? null,
    resolver: row?.resolver ?? null,
    file: isKept ? (place.linkOf(document) ?? row?.path ?? null) : null,
    isRetracted: retractionOf(record) !== undefined,
    label: works.labelOf(id),
    record,
  };
}

/** A paper of one's own of which there is no record: what its document says. */
export async function ownPaper(place: DocumentPlace, document: string): Promise<LibraryWork> {
  const about = await readSidecar(place.dataRoot, document);
  const text = (name: string): string | null => (typeof about[name] === 'string' ? about[name] : null);
  const authors = Array.isArray(about['authors']) ? about['authors'].map(String) : [];
  const record: WorkRecord = {
    ...emptyRecord(document, { doi: text('doi') }),
    title: text('title'),
    authors: authors.map((name) => ({ name, family: null, given: null, orcid: null, institutions: [] })),
  };
  return {
    id: document,
    document,
    title: record.title,
    authors,
    year: null,
    venue: null,
    type: null,
    doi: record.ids.doi,
    licence: null,
    version: null,
    access: null,
    outcome: 'own',
    reason: null,
    detail: null,
    resolver: null,
    file: place.linkOf(document) ?? null,
    isRetracted: false,
    label: null,
    record,
    hasText: true,
  };
}
