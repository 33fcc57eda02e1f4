import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** What of a run was retracted: works by every name that they may be filed under, and the documents that hold them. */
export interface Retracted {
  readonly works: ReadonlySet<string>;
  readonly documents: ReadonlySet<string>;
}

/** Reads from the records of a run which works were retracted; none where there are no records. */
export function retractedIn(folder: string): Retracted {
  const path = join(folder, 'corpus.sqlite');
  const works = new Set<string>();
  const documents = new Set<string>();
  if (!existsSync(path)) return { works, documents };
  const database = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  try {
    const tables = database.prepare("select name from sqlite_schema where name = 'work_ids'").all();
    if (tables.length === 0) return { works, documents };
    const names =
      'select id from records where retracted = 1 union select work_ids.id from work_ids join records on records.id = work where retracted = 1';
    for (const { id } of database.prepare(names).iterate()) works.add(String(id));
    const held = "select document from works where retracted = 1 and document <> ''";
    for (const { document } of database.prepare(held).iterate()) documents.add(String(document));
  } finally {
    database.close();
  }
  return { works, documents };
}
