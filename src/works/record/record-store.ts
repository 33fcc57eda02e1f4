import type { StatementSync } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';

import { mergeRecords } from './merge-records.ts';
import type { WorkRecord } from './record.ts';
import { retractionOf, yearOf } from './record.ts';

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS works (
    id TEXT PRIMARY KEY, doi TEXT, title TEXT, first_author TEXT, year INTEGER, venue TEXT, type TEXT, license TEXT, access TEXT,
    retracted INTEGER NOT NULL CHECK (retracted IN (0, 1)), record_json TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS works_by_doi ON works (doi);
`;

/** The records of a run's works: a table of its SQLite database, read by whoever shows, cites or filters works. */
export class RecordStore implements Disposable {
  readonly #database: DatabaseSync;
  readonly #put: StatementSync;
  readonly #get: StatementSync;
  readonly #byDoi: StatementSync;

  /** Opens the table in a database that may hold others beside it. */
  constructor(path: string) {
    this.#database = new DatabaseSync(path, { timeout: 10_000 });
    this.#database.exec(SCHEMA);
    this.#put = this.#database.prepare(
      `INSERT INTO works (id, doi, title, first_author, year, venue, type, license, access, retracted, record_json)
       VALUES (:id, :doi, :title, :first, :year, :venue, :type, :license, :access, :retracted, :json)
       ON CONFLICT (id) DO UPDATE SET doi = excluded.doi, title = excluded.title, first_author = excluded.first_author,
         year = excluded.year, venue = excluded.venue, type = excluded.type, license = excluded.license, access = excluded.access,
         retracted = excluded.retracted, record_json = excluded.record_json
       WHERE record_json <> excluded.record_json`,
    );
    this.#get = this.#database.prepare('SELECT record_json FROM works WHERE id = ?');
    this.#byDoi = this.#database.prepare('SELECT record_json FROM works WHERE doi = ? ORDER BY id LIMIT 1');
  }

  get size(): number {
    return (this.#database.prepare('SELECT count(*) AS works FROM works').get() as { works: number }).works;
  }

  get(id: string): WorkRecord | undefined {
    return read(this.#get.get(id));
  }

  byDoi(doi: string): WorkRecord | undefined {
    return read(this.#byDoi.get(doi.toLowerCase()));
  }

  /** Every record, in the order of their ids. */
  *all(): Generator<WorkRecord> {
    for (const row of this.#database.prepare('SELECT record_json FROM works ORDER BY id').iterate()) {
      const record = read(row);
      if (record) yield record;
    }
  }

  /** Adds what is new to what is known: a source that says nothing now does not take back what it said before. */
  add(records: Iterable<WorkRecord>): void {
    this.#together(records, (record) => {
      const known = this.get(record.id);
      return known ? mergeRecords(record, known) : record;
    });
  }

  /** Puts records in place of those that are there. */
  replace(records: Iterable<WorkRecord>): void {
    this.#together(records, (record) => record);
  }

  /** All or none. */
  #together(records: Iterable<WorkRecord>, make: (record: WorkRecord) => WorkRecord): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const each of records) {
        const record = make(each);
        this.#put.run({
          id: record.id,
          doi: record.ids.doi,
          title: record.title,
          first: record.authors[0]?.name ?? null,
          year: yearOf(record),
          venue: record.venue,
          type: record.type,
          license: record.license,
          access: record.access,
          retracted: retractionOf(record) ? 1 : 0,
          json: JSON.stringify(record),
        });
      }
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

function read(row: unknown): WorkRecord | undefined {
  return row === undefined ? undefined : (JSON.parse((row as { record_json: string }).record_json) as WorkRecord);
}
