import { join } from 'node:path';
import type { SQLInputValue } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { RunDatabase } from './run-database.ts';
import type { SettledWork } from './work-line.ts';
import { WorkTable } from './work-table.ts';

/** Rows that are taken over without letting others have their turn. */
const SLICE_ROWS = 1_000;
/** Records that are looked at again at each look: a source may have changed what it says of a work that we know. */
const SWEEP_ROWS = 500;
/** Longer titles and names are cut: nobody reads them in a list. */
const LONGEST_TEXT = 1_000;

const RECORD_FIELDS =
  'record_title, authors, year, venue, type, record_doi, record_license, record_version, citations, retracted';
const ROW_FIELDS =
  'tried, at, outcome, reason, resolver, bytes, document, row_title, row_doi, row_license, row_version';

/** What a look has found. */
export interface Looked {
  readonly isNew: boolean;
  /** What came of works since the look before, in that order; nothing at the first look. */
  readonly settled: readonly SettledWork[];
}

interface Written {
  readonly changed: number;
  readonly works: readonly SettledWork[];
}

/**
 * The works of a corpus folder in a table that can be paged, sorted and filtered however many there are. `refresh` reads
 * what others have written since; nothing is ever written to the folder.
 */
export class WorksList implements Disposable {
  /** Others may keep tables of their own beside that of the works. */
  readonly database: DatabaseSync;
  readonly run: RunDatabase;
  readonly table: WorkTable;
  /** How far the tables of the run, and our own, have been read. */
  #read = { record: 0, sequence: 0, linked: '', swept: 0, checked: 0 };
  #seen = { version: -1, generation: 0 };
  /** Nothing was read yet of the file that is there. */
  #isFresh = true;
  /** What came before anybody looked is no news. */
  #hasLooked = false;
  #refreshing: Promise<Looked> | undefined;

  constructor(folder: string) {
    // A nameless database is SQLite's own temporary file: a large corpus does not fill the memory.
    this.database = new DatabaseSync('', { timeout: 10_000 });
    this.database.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; PRAGMA cache_size = -65536');
    this.run = new RunDatabase(this.database, join(folder, 'manifest.sqlite3'));
    this.table = new WorkTable(this.database, () => this.run.has('works'));
  }

  /**
   * Reads what is new; calls at the same time share one look. What has changed in works that are known is found a piece at
   * a time by those who look every second, and at once by those who ask for the `whole`.
   */
  refresh(how: { readonly whole: boolean }): Promise<Looked> {
    this.#refreshing ??= this.#look(how.whole).finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async #look(whole: boolean): Promise<Looked> {
    const { version, generation } = this.run.look();
    if (generation !== this.#seen.generation) {
      this.table.clear();
      this.#read = { record: 0, sequence: 0, linked: '', swept: 0, checked: 0 };
      this.#isFresh = true;
      this.#hasLooked = false;
    }
    const settled: SettledWork[] = [];
    let changes = generation === this.#seen.generation ? 0 : 1;
    if (version !== this.#seen.version || changes > 0) {
      changes += await this.#newRecords();
      changes += await this.#newRows(settled);
      changes += await this.#sweep(whole || this.#isFresh);
      this.#isFresh &&= version === -1;
    }
    // A look that fails is made again.
    this.#seen = { version, generation };
    this.#hasLooked = true;
    return { isNew: changes > 0, settled };
  }

  async #newRecords(): Promise<number> {
    let changes = 0;
    for (let end = this.#end('works', this.#read.record); end !== null; end = this.#end('works', end)) {
      changes += this.#takeRecords(this.#read.record, end);
      this.#read.record = end;
      await nextTurn();
    }
    return changes;
  }

  async #newRows(settled: SettledWork[]): Promise<number> {
    let changes = 0;
    for (let end = this.#end('manifest', this.#read.sequence); end !== null; end = this.#end('manifest', end)) {
      const { changed, works } = this.#takeRows(this.#read.sequence, end);
      changes += changed;
      if (this.#hasLooked) settled.push(...works);
      this.#read.sequence = end;
      await nextTurn();
    }
    return changes;
  }

  /** What may have changed anywhere is gone through again: a piece of it, from where the last one ended, or the whole. */
  async #sweep(whole: boolean): Promise<number> {
    if (whole) this.#read = { ...this.#read, linked: '', swept: 0, checked: 0 };
    let changes = 0;
    const sweep = async (piece: () => { readonly changed: number; readonly isLast: boolean }): Promise<void> => {
      for (let goesOn = true; goesOn; await nextTurn()) {
        const { changed, isLast } = piece();
        changes += changed;
        goesOn = whole && !isLast;
      }
    };
    await sweep(() => {
      const { linked, changed } = this.#takeLinks(this.#read.linked);
      this.#read.linked = linked;
      return { changed, isLast: linked === '' };
    });
    if (this.#isFresh) return changes;
    await sweep(() => {
      const end = this.#end('works', this.#read.swept, SWEEP_ROWS);
      const changed = end === null ? 0 : this.#takeRecords(this.#read.swept, end);
      const isLast = end === null || this.#end('works', end, 1) === null;
      this.#read.swept = isLast ? 0 : end;
      return { changed, isLast };
    });
    await sweep(() => {
      const end = this.table.end(this.#read.checked, SWEEP_ROWS);
      const changed = end === null ? 0 : this.#dropLost(this.#read.checked, end);
      const isLast = end === null || this.table.end(end, 1) === null;
      this.#read.checked = isLast ? 0 : end;
      return { changed, isLast };
    });
    return changes;
  }

  /** The last row of the next slice of a table; null where it ends. */
  #end(table: 'works' | 'manifest', after: number, rows = SLICE_ROWS): number | null {
    if (!this.run.has(table)) return null;
    const row = this.database
      .prepare(`SELECT max(rowid) AS last FROM (SELECT rowid FROM run.${table} WHERE rowid > ? ORDER BY rowid LIMIT ?)`)
      .get(after, rows);
    return typeof row?.['last'] === 'number' ? row['last'] : null;
  }

  /** Takes over what records say; a work that was tried under another of its ids before it had a record gets this one. */
  #takeRecords(after: number, end: number): number {
    const excluded = RECORD_FIELDS.replaceAll(/\w+/g, 'excluded.$&');
    const { changed, works } = this.#write(
      `INSERT INTO works (work, recorded, ${RECORD_FIELDS})
       SELECT id, 1, substr(title, 1, ${LONGEST_TEXT}),
         substr(first_author, 1, 200) || CASE WHEN json_array_length(record_json, '$.authors') > 1 THEN ' et al.' ELSE '' END,
         coalesce(year, 0), substr(venue, 1, ${LONGEST_TEXT}), coalesce(type, ''), doi, license, record_json ->> '$.version',
         coalesce(record_json ->> '$.citedBy', -1), retracted
       FROM run.works WHERE rowid > :after AND rowid <= :end
       ON CONFLICT DO UPDATE SET (recorded, ${RECORD_FIELDS}) = (1, ${excluded})
         WHERE (recorded, ${RECORD_FIELDS}) IS NOT (1, ${excluded})`,
      { after, end },
    );
    const stray = this.database.prepare(
      `SELECT works.rowid AS row, works.tried FROM run.works AS record JOIN works ON recorded = 0 AND works.work IN
         ('doi:' || record.doi, 'pmid:' || record.pmid, 'pmcid:' || record.pmcid, 'arxiv:' || record.arxiv)
       WHERE record.id = ?`,
    );
    for (const { work } of works) for (const { row, tried } of stray.all(work)) this.#fileAnew(Number(row), tried);
    return changed;
  }

  /** Takes over what came of works. */
  #takeRows(after: number, end: number): Written {
    const cut = (column: string): string => `substr(row_json ->> '$.${column}', 1, ${LONGEST_TEXT})`;
    const excluded = ROW_FIELDS.replaceAll(/\w+/g, 'excluded.$&');
    return this.#write(
      `INSERT INTO works (work, ${ROW_FIELDS})
       SELECT coalesce(${this.run.recordOf('row.work')}, row.work), row.work, at, outcome, reason, resolver, bytes,
         CASE WHEN outcome = 'saved' AND path IS NOT NULL THEN slug(row.work) ELSE '' END,
         ${cut('title')}, ${cut('doi')}, ${cut('license')}, ${cut('version')}
       FROM run.manifest AS row WHERE sequence > :after AND sequence <= :end ORDER BY sequence
       ON CONFLICT DO UPDATE SET (${ROW_FIELDS}) = (${excluded})`,
      { after, end },
    );
  }

  /** Takes over which documents hold works that nobody had to fetch: one's own papers. */
  #takeLinks(after: string): { readonly linked: string; readonly changed: number } {
    if (!this.run.has('work_documents')) return { linked: '', changed: 0 };
    const next = 'SELECT document, work FROM run.work_documents WHERE document > :after ORDER BY document LIMIT :rows';
    const slice = { after, rows: SWEEP_ROWS };
    const end = this.database.prepare(`SELECT max(document) AS linked, count(*) AS rows FROM (${next})`).get(slice);
    const { changed } = this.#write(
      `UPDATE works SET outcome = 'own', reason = 'success', document = link.document FROM (${next}) AS link
       WHERE works.work = link.work AND outcome = 'waiting'`,
      slice,
    );
    return { linked: end?.['rows'] === SWEEP_ROWS ? String(end['linked']) : '', changed };
  }

  /** Works whose record was removed, mostly because it is filed under another id now. */
  #dropLost(after: number, end: number): number {
    const lost = this.database
      .prepare(
        `SELECT rowid AS row, tried FROM works WHERE rowid > :after AND rowid <= :end AND recorded = 1
           AND ${this.run.has('works') ? 'NOT EXISTS (SELECT 1 FROM run.works AS record WHERE record.id = works.work)' : '1'}`,
      )
      .all({ after, end });
    for (const { row, tried } of lost) this.#fileAnew(Number(row), tried);
    return lost.length;
  }

  #fileAnew(row: number, tried: unknown): void {
    this.table.remove(row);
    if (typeof tried !== 'string' || !this.run.has('manifest')) return;
    const last = this.database.prepare('SELECT max(sequence) AS last FROM run.manifest WHERE work = ?').get(tried);
    if (typeof last?.['last'] === 'number') this.#takeRows(last['last'] - 1, last['last']);
  }

  /** Writes to the table of works, and tells it which of them have changed; the first works of a table need not be named. */
  #write(sql: string, values: Record<string, SQLInputValue>): Written {
    if (this.#isFresh && !this.#hasLooked) {
      const { changes } = this.database.prepare(sql).run(values);
      this.table.changed([]);
      return { changed: Number(changes), works: [] };
    }
    const rows = this.database
      .prepare(`${sql} RETURNING rowid AS row, work, at, outcome, reason, resolver, title`)
      .all(values);
    if (rows.length > 0) this.table.changed(rows.map(({ row }) => Number(row)));
    return { changed: rows.length, works: rows as unknown as SettledWork[] };
  }

  [Symbol.dispose](): void {
    this.database.close();
  }
}
