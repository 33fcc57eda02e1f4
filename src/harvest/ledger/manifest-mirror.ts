import type { StatementSync } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';

import type { Warn } from '../../base/index.ts';
import { describeDiskError, openOrSetAside } from '../../base/index.ts';
import type { ManifestRow } from '../../download/index.ts';

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS manifest (
    sequence INTEGER PRIMARY KEY, run_id TEXT NOT NULL, at TEXT NOT NULL, work TEXT NOT NULL, outcome TEXT NOT NULL, reason TEXT NOT NULL,
    resolver TEXT, path TEXT, kind TEXT, sha256 TEXT, bytes INTEGER, row_json TEXT NOT NULL,
    UNIQUE (work, at, run_id)
  );
  CREATE TABLE IF NOT EXISTS attempts (
    sequence INTEGER NOT NULL, place INTEGER NOT NULL, resolver TEXT NOT NULL, url TEXT NOT NULL, final_url TEXT NOT NULL, status INTEGER,
    bytes INTEGER NOT NULL, sha256 TEXT, kind TEXT, license TEXT, version TEXT, reason TEXT NOT NULL, started_at TEXT NOT NULL,
    duration_ms INTEGER NOT NULL, PRIMARY KEY (sequence, place)
  ) WITHOUT ROWID;
  CREATE VIEW IF NOT EXISTS last_rows AS
    SELECT * FROM manifest WHERE sequence IN (SELECT max(sequence) FROM manifest GROUP BY work);
`;

/** What is told of the last row of a work. */
export type LatestRow = Pick<
  ManifestRow,
  'work' | 'outcome' | 'reason' | 'detail' | 'resolver' | 'kind' | 'path' | 'bytes'
> & { readonly retryAt: string | null };

/** A row and its JSON, which was made for the text manifest and need not be made again. */
export interface MirroredRow {
  readonly row: ManifestRow;
  readonly text: string;
}

/** The manifest as a database: the same rows, for questions that a text file answers slowly. */
export class ManifestMirror implements Disposable {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #insertAttempt: StatementSync;
  readonly #has: StatementSync;
  readonly #last: StatementSync;

  /** A mirror that is damaged is put aside, and made anew from the manifest. */
  constructor(path: string, warn?: Warn) {
    this.#path = path;
    this.#database = openOrSetAside(path, () => openDatabase(path), warn);
    this.#insert = this.#database.prepare(
      `INSERT INTO manifest (run_id, at, work, outcome, reason, resolver, path, kind, sha256, bytes, row_json)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    );
    this.#insertAttempt = this.#database.prepare(
      `INSERT OR IGNORE INTO attempts (sequence, place, resolver, url, final_url, status, bytes, sha256, kind, license, version, reason,
         started_at, duration_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#has = this.#database.prepare('SELECT 1 FROM manifest WHERE work = ? AND at = ? AND run_id = ?');
    this.#last = this.#database.prepare(
      'SELECT outcome, reason, path, bytes FROM manifest WHERE work = ? ORDER BY sequence DESC LIMIT 1',
    );
  }

  get size(): number {
    return (this.#database.prepare('SELECT count(*) AS rows FROM manifest').get() as { rows: number }).rows;
  }

  /** The last row of a work, as far as it tells whether there is a file. */
  last(work: string): Pick<ManifestRow, 'outcome' | 'reason' | 'path' | 'bytes'> | undefined {
    return this.#last.get(work) as Pick<ManifestRow, 'outcome' | 'reason' | 'path' | 'bytes'> | undefined;
  }

  /** The last row of every work, as far as an account needs it. */
  latest(): LatestRow[] {
    return this.#database
      .prepare(
        `SELECT work, outcome, reason, row_json ->> '$.detail' AS detail, row_json ->> '$.retry_at' AS retryAt, resolver, kind, path, bytes
         FROM last_rows ORDER BY sequence`,
      )
      .all() as unknown as LatestRow[];
  }

  /** Adds rows that are not there yet, all or none; answers how many were new. */
  add(rows: readonly MirroredRow[]): number {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const added = rows.reduce((sum, row) => sum + this.#addOne(row), 0);
      this.#database.exec('COMMIT');
      return added;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw describeDiskError(error, this.#path);
    }
  }

  /** Every row in the order in which they came, and whether it is the last one of its work. */
  *rows(): Generator<{ readonly row: ManifestRow; readonly isLast: boolean }> {
    for (const { row_json: text, is_last: isLast } of this.#database
      .prepare(
        `SELECT row_json, sequence IN (SELECT max(sequence) FROM manifest GROUP BY work) AS is_last
         FROM manifest ORDER BY sequence`,
      )
      .iterate() as Iterable<{ row_json: string; is_last: 0 | 1 }>) {
      yield { row: JSON.parse(text) as ManifestRow, isLast: isLast === 1 };
    }
  }

  has(row: ManifestRow): boolean {
    return this.#has.get(row.work, row.at, row.run_id) !== undefined;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  #addOne({ row, text }: MirroredRow): number {
    const { changes, lastInsertRowid } = this.#insert.run(
      row.run_id, row.at, row.work, row.outcome, row.reason, row.resolver, row.path, row.kind, row.sha256, row.bytes, text,
    ); // prettier-ignore
    if (changes === 0) return 0;
    for (const [place, attempt] of row.attempts.entries()) {
      this.#insertAttempt.run(
        lastInsertRowid, place, attempt.resolver, attempt.url, attempt.final_url, attempt.status, attempt.bytes, attempt.sha256, attempt.kind,
        attempt.license, attempt.version, attempt.reason, attempt.started_at, attempt.duration_ms,
      ); // prettier-ignore
    }
    return 1;
  }
}

function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 10_000 });
  try {
    database.exec(SCHEMA);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
