import { join } from 'node:path';

import type { ManifestRow } from '../download/index.ts';
import { readSidecar, sidecarPath } from '../parse/index.ts';
import type { Label } from '../database/index.ts';
import { CorpusStore, Records } from '../database/index.ts';
import type { WorkRecord } from '../works/index.ts';
import { emptyRecord, retractionOf, yearOf } from '../works/index.ts';
import type { DocumentPlace } from './place-files.ts';
import { isThere } from './place-files.ts';
import { hasDocument } from './read-document.ts';
import type { WorkLine } from './works/work-table.ts';
import { WorkTable } from './works/work-table.ts';

export interface LibraryWork {
  readonly id: string;
  /** The name of its parsed document, whether or not it exists. */
  readonly document: string;
  readonly hasText: boolean;
  readonly title: string | null;
  readonly authors: string[];
  readonly year: number | null;
  readonly venue: string | null;
  readonly type: string | null;
  readonly doi: string | null;
  /** Licence and version are of the downloaded file if known, else of the work. */
  readonly licence: string | null;
  readonly version: string | null;
  readonly access: string | null;
  readonly outcome: 'failed' | 'local' | 'parked' | 'saved' | 'skipped' | 'unreadable' | 'waiting';
  readonly reason: string | null;
  readonly detail: string | null;
  readonly resolver: string | null;
  /** Relative to the folder of the corpus. */
  readonly file: string | null;
  readonly isRetracted: boolean;
  readonly label: Label | null;
  /** Another record is a better version of the same work. */
  readonly isOtherVersion: boolean;
  readonly record: WorkRecord;
}

const DESCRIBED = `select works.*, outcomes.row as manifest_row, records.record
  from works left join outcomes on outcomes.sequence = works.sequence left join records on records.id = works.work`;

const HISTORY_ROWS = 50;

/** Where works are; the data is in `Data` by default. */
type WorksPlace = Omit<DocumentPlace, 'dataRoot'> & Partial<Pick<DocumentPlace, 'dataRoot'>>;

/** The works of a corpus folder: lists, single works, and their outcomes. `store.ingest` reads new log lines. */
export class CorpusWorks implements Disposable {
  readonly store: CorpusStore;
  readonly table: WorkTable;
  readonly records: Records;
  readonly place: DocumentPlace;

  constructor({ folder, dataRoot = join(folder, 'Data'), ...shared }: WorksPlace) {
    this.place = { folder, dataRoot, ...shared };
    this.store = CorpusStore.open(folder, { manifests: join(dataRoot, 'Manifests'), journal: shared.journal });
    this.table = new WorkTable(this.store);
    this.records = new Records(this.store);
  }

  get isEmpty(): boolean {
    return !this.store.get('select 1 from works limit 1');
  }

  /**
   * A work by its id, another id of it (`doi:…`, a DOI, its address), or the name of its document. If several works fit, the
   * first of these in this order.
   */
  find(name: string): LibraryWork | undefined {
    const doi = `doi:${name.replace(/^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:)/i, '').toLowerCase()}`;
    const row = this.store.get(
      `${DESCRIBED} where works.row = coalesce(
         (select row from works where work = ?1), (select row from works where tried = ?1),
         (select row from works join work_ids on works.work = work_ids.work where work_ids.id in (?1, ?2) order by works.work limit 1),
         (select row from works where work = ?2), (select row from works where tried = ?2),
         (select row from works join own_papers on works.work = own_papers.work where own_papers.document = ?1),
         (select row from works where document = ?1 and document <> '' limit 1), (select row from works where name = ?1 limit 1))`,
      name,
      doi,
    );
    return row && this.#described(row);
  }

  /** Every work, in the order of their outcomes in the log. */
  *each(): Generator<LibraryWork> {
    const order = 'order by works.sequence = 0, works.sequence, works.work';
    for (const row of this.store.iterate(`${DESCRIBED} ${order}`)) yield this.#described(row);
  }

  #described(row: Record<string, unknown>): LibraryWork {
    const { record, manifest_row: last } = row;
    return describedWork(
      row,
      typeof record === 'string' ? this.store.parse<WorkRecord>(record) : null,
      typeof last === 'string' ? this.store.parse<ManifestRow>(last) : null,
      this.place,
    );
  }

  link(document: string): string | undefined {
    return documentLink(this.place, document);
  }

  /** The manifest rows of a work, latest first. */
  history(work: string): ManifestRow[] {
    const tried = 'coalesce((select tried from works where work = ?1), ?1)';
    const sql = `select row from outcomes where work = ${tried} order by sequence desc limit ${HISTORY_ROWS}`;
    return this.store.column(sql, work).map((row) => this.store.parse<ManifestRow>(row));
  }

  [Symbol.dispose](): void {
    this.store[Symbol.dispose]();
  }
}

export function describedWork(
  row: Readonly<Record<string, unknown>>,
  known: WorkRecord | null,
  last: ManifestRow | null,
  place: DocumentPlace,
): LibraryWork {
  const text = (name: string): string | null => (typeof row[name] === 'string' && row[name] !== '' ? row[name] : null);
  const [id, document, doi] = [String(row['work']), String(row['name']), known?.ids.doi ?? text('doi')];
  const title = known?.title ?? text('title');
  const record = known ?? { ...emptyRecord(id, { doi }), title };
  const outcome = String(row['outcome']) as WorkLine['outcome'];
  const isKept = outcome === 'saved' || outcome === 'local';
  return {
    id,
    document,
    hasText: hasDocument(place, document),
    title,
    authors: record.authors.map(({ name }) => name),
    year: yearOf(record),
    venue: record.venue,
    type: record.type,
    doi,
    licence: last?.license ?? record.license,
    version: last?.version ?? record.version,
    access: record.access,
    outcome,
    reason: text('reason'),
    detail: last?.detail ?? null,
    resolver: text('resolver'),
    file: isKept ? (documentLink(place, document) ?? last?.path ?? null) : null,
    isRetracted: retractionOf(record) !== undefined,
    label: text('label') as Label | null,
    isOtherVersion: row['other_version'] === 1,
    record,
  };
}

/** Where downloads of each kind are kept, by the kind that the parser names. */
const KIND_FOLDERS: Readonly<Record<string, string>> = { pdf: 'PDF', jats: 'XML', html: 'HTML' };

/** The path of a document's file: relative if it is inside the run folder, which may be moved. */
export function documentLink(place: DocumentPlace, document: string): string | undefined {
  const { folder, dataRoot } = place;
  const { source, source_kind: parsed } = readSidecar(sidecarPath(dataRoot, document));
  // A crash may have left a file of another kind that no row names: what was parsed comes first.
  const kinds = [KIND_FOLDERS[parsed ?? ''] ?? 'PDF', ...Object.values(KIND_FOLDERS)];
  for (const kind of kinds) {
    const kept = join(kind, `${document}.${kind.toLowerCase()}`);
    if (isThere(place, join(folder, kept))) return kept;
  }
  // Without a sidecar the passage is shown without a link.
  return source;
}
