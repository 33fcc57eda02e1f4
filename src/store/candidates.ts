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

  /**
   * The rows of each work, best first: saved rows are better than others, later ones better than earlier ones. Works are
   * in the order of their best rows in time.
   */
  *rows(): Generator<Candidate> {
    this.#database.exec('create index rows_of_works on rows (work, saved desc, at desc, folder, id desc)');
    // The order is made of small rows, and each is read when its turn comes.
    const order = this.#database.prepare(
      `select id from (
         select id, row_number() over best as place, first_value(at) over best as at, first_value(id) over best as first
         from rows window best as (partition by work order by saved desc, at desc, folder, id desc)
       ) order by at, first, place`,
    );
    const row = this.#database.prepare('select work, folder, path, sha256, bytes, row from rows where id = ?');
    for (const { id } of order.iterate()) yield row.get(id ?? null) as unknown as Candidate;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
