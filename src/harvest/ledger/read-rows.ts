import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { ManifestRow } from '../../download/index.ts';

/** The last row of every work of a run folder, in the order in which they came; nothing where there is no run. */
export function* readLastRows(folder: string): Generator<ManifestRow> {
  const path = join(folder, 'manifest.sqlite3');
  if (!existsSync(path)) return;
  const database = new DatabaseSync(path, { timeout: 10_000 });
  try {
    const hasRows = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'last_rows'").get() !== undefined;
    if (!hasRows) return;
    for (const row of database.prepare('SELECT row_json FROM last_rows ORDER BY sequence').iterate())
      yield JSON.parse((row as { row_json: string }).row_json) as ManifestRow;
  } finally {
    database.close();
  }
}
