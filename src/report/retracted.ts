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
  const path = join(folder, 'manifest.sqlite3');
  const works = new Set<string>();
  const documents = new Set<string>();
  if (!existsSync(path)) return { works, documents };
  const database = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE name IN ('works', 'work_documents')").all();
    if (tables.length < 2) return { works, documents };
    const names = ['doi', 'pmid', 'pmcid', 'arxiv'] as const;
    for (const row of database.prepare(`SELECT id, ${names.join(', ')} FROM works WHERE retracted = 1`).iterate()) {
      works.add(String(row['id']));
      for (const name of names) if (row[name] !== null) works.add(`${name}:${String(row[name])}`);
    }
    const held = database.prepare(
      'SELECT document FROM work_documents JOIN works ON works.id = work_documents.work WHERE works.retracted = 1',
    );
    for (const { document } of held.iterate()) documents.add(String(document));
  } finally {
    database.close();
  }
  return { works, documents };
}
