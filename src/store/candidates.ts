import { hash } from 'node:crypto';
import type { StatementSync } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';

import type { ManifestRow } from '../download/index.ts';

const BATCH_ROWS = 10_000;

/** A row of one of the folders; the first folder is the target. */
interface Candidate extends Pick<ManifestRow, 'path' | 'sha256' | 'bytes'> {
  readonly work: string;
  readonly folder: number;
  readonly row: string;
}

/** The rows of all folders in a temporary database, deleted when the process ends. */
export class Candidates implements Disposable {
  readonly #database = new DatabaseSync('');
  readonly #row: StatementSync;
  readonly #others: StatementSync;
  readonly #insert: StatementSync;
  readonly #note: StatementSync;
  #rows = 0;

  constructor() {
    this.#database.exec(`
      pragma journal_mode = off; pragma synchronous = off;
      create table rows (id integer primary key, work text not null, saved integer not null, at integer not null,
        folder integer not null, path text, sha256 text, bytes integer, row text not null);
      create table seen (line text primary key) without rowid;
      begin;
    `);
    this.#insert = this.#database.prepare(
      'insert into rows (work, saved, at, folder, path, sha256, bytes, row) values (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#note = this.#database.prepare('insert or ignore into seen values (?)');
    this.#row = this.#database.prepare('select work, folder, path, sha256, bytes, row from rows where id = ?');
    this.#others = this.#database.prepare(
      'select id from rows where work = ? order by saved desc, at desc, folder, id desc',
    );
  }

  add(row: ManifestRow, folder: number): void {
    const { work, outcome, at, path, sha256, bytes } = row;
    const isSaved = outcome === 'saved' && path !== null;
    this.#insert.run(work, isSaved ? 1 : 0, Date.parse(at), folder, path, sha256, bytes, JSON.stringify(row));
    this.#rows += 1;
    if (this.#rows % BATCH_ROWS === 0) this.#database.exec('commit; begin');
  }

  /** False if the same line was noted before. */
  note(line: string): boolean {
    return this.#note.run(hash('sha256', line, 'base64url')).changes === 1;
  }

  /** The best row of each work, by time: saved rows are better than others, later ones better than earlier ones. */
  works(): Iterable<{ readonly best: number; readonly rows: number }> {
    this.#database.exec(
      'create index if not exists rows_of_works on rows (work, saved desc, at desc, folder, id desc)',
    );
    return this.#database
      .prepare(
        `select best, rows from (
           select id as best, at, count(*) over (partition by work) as rows,
             row_number() over (partition by work order by saved desc, at desc, folder, id desc) as place from rows
         ) where place = 1 order by at, best`,
      )
      .iterate() as unknown as Iterable<{ readonly best: number; readonly rows: number }>;
  }

  /** The best row of a work, then its other rows, best first. */
  *of({ best, rows }: { readonly best: number; readonly rows: number }): Generator<Candidate> {
    const first = this.#row.get(best) as unknown as Candidate;
    yield first;
    if (rows === 1) return;
    for (const { id } of this.#others.all(first.work).slice(1)) yield this.#row.get(id ?? null) as unknown as Candidate;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
