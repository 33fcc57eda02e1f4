import type { ManifestRow } from '../download/index.ts';
import type { Label, StoreOptions } from '../store/index.ts';
import { CorpusStore, Records } from '../store/index.ts';
import type { WorkRecord } from '../works/index.ts';
import type { SettledWork, WorkLine } from './works/work-table.ts';
import { lineOf, WorkTable } from './works/work-table.ts';

/** A work by the ids of its manifest rows and of its record. */
export interface FiledWork {
  readonly work: string;
  readonly tried: string | null;
  readonly record: string | null;
}

/** A work with its record, last outcome and label. */
export interface ListedWork {
  readonly line: WorkLine;
  readonly row: ManifestRow | null;
  readonly record: WorkRecord | null;
  readonly label: Label | null;
  /** Whether another record is a better version of the same work. */
  readonly isOtherVersion: boolean;
}

/** The works of a corpus folder: lists, single works, and their outcomes. `refresh` reads new log lines. */
export class CorpusWorks implements Disposable {
  readonly store: CorpusStore;
  readonly table: WorkTable;
  readonly records: Records;
  /** The last outcome reported; undefined before the first call. */
  #sequence: number | undefined;
  #version = '';

  constructor(folder: string, options: StoreOptions = {}) {
    this.store = CorpusStore.open(folder, options);
    this.table = new WorkTable(this.store);
    this.records = new Records(this.store);
  }

  /** Reads new log lines; returns the outcomes since the last call, in order. */
  async refresh(): Promise<{ readonly isNew: boolean; readonly settled: readonly SettledWork[] }> {
    await this.store.ingestSoon();
    const { version } = this.store;
    const isNew = version !== this.#version;
    this.#version = version;
    const last = this.store.get<{ last: number }>('select coalesce(max(sequence), 0) as last from outcomes')?.last ?? 0;
    const settled =
      this.#sequence === undefined || last === this.#sequence
        ? []
        : this.store.all<SettledWork>(
            `select coalesce(works.work, outcomes.work) as work, outcomes.at, outcomes.outcome, outcomes.reason, outcomes.resolver,
               coalesce(works.title, outcomes.row ->> '$.title') as title
             from outcomes left join works on works.tried = outcomes.work where outcomes.sequence > ? order by outcomes.sequence`,
            this.#sequence,
          );
    this.#sequence = last;
    return { isNew, settled };
  }

  /** Whether there are no records and no outcomes. */
  get isEmpty(): boolean {
    return !this.store.get('select 1 from works limit 1');
  }

  /** A work by its id, another id of it (`doi:…`, a DOI, its address), or the name of its document. */
  find(name: string): FiledWork | undefined {
    const doi = `doi:${name.replace(/^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:)/i, '').toLowerCase()}`;
    const row = this.store.get<{ work: string; tried: string | null; record: string | null }>(
      `select work, tried, (select id from records where id = works.work) as record from works where row = coalesce(
         (select row from works where work = :name), (select row from works where tried = :name),
         (select row from works join work_ids on works.work = work_ids.work where work_ids.id in (:name, :doi) order by works.work limit 1),
         (select row from works where work = :doi), (select row from works where tried = :doi),
         (select row from works join own_papers on works.work = own_papers.work where own_papers.document = :name),
         (select row from works where document = :name and document <> '' limit 1), (select row from works where name = :name limit 1))`
        .replaceAll(':name', '?1')
        .replaceAll(':doi', '?2'),
      name,
      doi,
    );
    return row;
  }

  /** The full record of a work. */
  record(work: string): WorkRecord | undefined {
    return this.records.get(work);
  }

  /** The document of a work that was not downloaded but added by the user. */
  ownDocument(work: string): string | undefined {
    return this.store.get<{ document: string }>('select document from own_papers where work = ? limit 1', work)
      ?.document;
  }

  /** What screening decided about a work. */
  labelOf(work: string): Label | null {
    const label = this.store.get<{ label: Label | '' }>('select label from works where work = ?', work)?.label;
    return label === undefined || label === '' ? null : label;
  }

  /** Every work with its record and its last manifest row, in the order of their outcomes in the log. */
  *each(): Generator<ListedWork> {
    const rows = this.store.iterate(
      `select works.*, outcomes.row as manifest_row, records.record as record
       from works left join outcomes on outcomes.sequence = works.sequence left join records on records.id = works.work
       order by works.sequence = 0, works.sequence, works.work`,
    );
    for (const row of rows) {
      const { manifest_row: last, record, label, other_version: other } = row;
      yield {
        line: lineOf(row),
        row: typeof last === 'string' ? (JSON.parse(last) as ManifestRow) : null,
        record: typeof record === 'string' ? (JSON.parse(record) as WorkRecord) : null,
        label: label === 'included' || label === 'excluded' ? label : null,
        isOtherVersion: other === 1,
      };
    }
  }

  /** All manifest rows of a work, latest first. */
  history(tried: string, limit: number): ManifestRow[] {
    return this.store
      .all<{ row: string }>('select row from outcomes where work = ? order by sequence desc limit ?', tried, limit)
      .map(({ row }) => JSON.parse(row) as ManifestRow);
  }

  [Symbol.dispose](): void {
    this.store[Symbol.dispose]();
  }
}
