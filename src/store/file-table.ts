import { DatabaseSync } from 'node:sqlite';

/** A file of a corpus by its path, and its bytes by their hash. */
export interface KnownFile {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

/**
 * Maps the files of a corpus to the hashes of their bytes. In a temporary database, because a corpus can have millions
 * of files.
 */
export class FileTable implements Disposable {
  readonly #database = new DatabaseSync('');

  constructor() {
    this.#database.exec(`pragma journal_mode = off; pragma synchronous = off;
      create table files (path text primary key, sha256 text not null, bytes integer not null) without rowid;
      create index files_by_hash on files (sha256); begin`);
  }

  put({ path, sha256, bytes }: KnownFile): void {
    this.#database.prepare('insert or replace into files values (?, ?, ?)').run(path, sha256, bytes);
  }

  get(path: string): KnownFile | undefined {
    return this.#database.prepare('select * from files where path = ?').get(path) as KnownFile | undefined;
  }

  hasBytes(sha256: string): boolean {
    return this.#database.prepare('select 1 from files where sha256 = ? limit 1').get(sha256) !== undefined;
  }

  below(prefix: string): Iterable<KnownFile> {
    const rows = this.#database.prepare('select * from files where path >= ? and path < ? order by path');
    return rows.iterate(prefix, `${prefix}\u{10ffff}`) as unknown as Iterable<KnownFile>;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
