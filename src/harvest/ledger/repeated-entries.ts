import { DatabaseSync } from 'node:sqlite';

import type { Work } from '../../works/index.ts';

const SCHEMA = `CREATE TABLE IF NOT EXISTS repeated_entries (
  work TEXT PRIMARY KEY, times INTEGER NOT NULL CHECK (times >= 0)
) WITHOUT ROWID`;

/**
 * Passes works on, and writes down how often lists have named one that was named before: several databases find the same
 * work, and a review counts these as duplicates that were removed. Listing the same again comes to the same.
 */
export async function* countingRepeats(works: AsyncIterable<Work>, path: string): AsyncGenerator<Work, void> {
  const times = new Map<string, number>();
  for await (const work of works) {
    times.set(work.id, (times.get(work.id) ?? 0) + 1);
    yield work;
  }
  using database = new DatabaseSync(path, { timeout: 10_000 });
  database.exec(SCHEMA);
  const put = database.prepare('INSERT OR REPLACE INTO repeated_entries (work, times) VALUES (?, ?)');
  const drop = database.prepare('DELETE FROM repeated_entries WHERE work = ?');
  database.exec('BEGIN IMMEDIATE');
  for (const [work, count] of times) {
    if (count > 1) put.run(work, count - 1);
    else drop.run(work);
  }
  database.exec('COMMIT');
}

/** How many entries of lists have named a work that another entry had named. */
export function repeatedEntries(path: string): number {
  using database = new DatabaseSync(path, { timeout: 10_000, readOnly: true });
  if (!database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'repeated_entries'").get()) return 0;
  return Number(database.prepare('SELECT coalesce(sum(times), 0) AS times FROM repeated_entries').get()?.['times']);
}
