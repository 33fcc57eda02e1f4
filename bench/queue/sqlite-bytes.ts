import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** The size of a database whose log was folded back into it. */
export function sqliteBytes(path: string): number {
  using database = new DatabaseSync(path, { timeout: 10_000 });
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  return statSync(path).size;
}
