import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { DatabaseSync } from 'node:sqlite';

import type { ManifestRow } from '../../download/index.ts';
import type { VersionLink, WorkRecord } from '../../works/index.ts';
import { bestFirst, groupsOf } from '../../works/index.ts';
import type { RecordLine, SettledLine } from './work-line.ts';

/** Longer titles and names are cut: nobody reads them in a list. */
const LONGEST_TEXT = 1_000;

/** The database of a run (`manifest.sqlite3`) beside our own tables, read while others write it. */
export class RunDatabase {
  readonly #database: DatabaseSync;
  readonly #path: string;
  #isAttached = false;
  #tables = new Set<string>();
  #version = -1;
  #told = -1;

  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.#path = path;
  }

  /** Whether anything was written since this was last asked. */
  hasChanged(): boolean {
    this.#look();
    const isNew = this.#version !== this.#told;
    this.#told = this.#version;
    return isNew;
  }

  /** Looks for what is not there yet: a run that begins has no database, and gets its tables one by one. */
  #look(): void {
    if (!this.#isAttached) {
      if (!existsSync(this.#path)) return;
      this.#database.prepare('ATTACH ? AS run').run(`${pathToFileURL(this.#path).href}?mode=ro`);
      this.#isAttached = true;
    }
    const version = Number(this.#database.prepare('PRAGMA run.data_version').get()?.['data_version'] ?? 0);
    if (version === this.#version) return;
    this.#version = version;
    const tables = this.#database.prepare("SELECT name FROM run.sqlite_master WHERE type = 'table'").all();
    this.#tables = new Set(tables.map(({ name }) => String(name)));
  }

  #has(table: string): boolean {
    this.#look();
    return this.#tables.has(table);
  }

  /** What came of works, from a row on. */
  settled(
    after: number,
    limit: number,
  ): (SettledLine & { readonly sequence: number; readonly record: string | null })[] {
    if (!this.#has('manifest')) return [];
    const cut = (column: string): string => `substr(row_json ->> '$.${column}', 1, ${LONGEST_TEXT})`;
    const record = this.#has('works')
      ? `coalesce((SELECT id FROM run.works WHERE id = manifest.work),
           (SELECT id FROM run.works WHERE manifest.work LIKE 'doi:%' AND doi = lower(substr(manifest.work, 5)) ORDER BY id LIMIT 1))`
      : 'NULL';
    return this.#database
      .prepare(
        `SELECT sequence, work, at, outcome, reason, resolver, path, bytes, ${cut('title')} AS title, ${cut('doi')} AS doi,
           ${cut('license')} AS license, ${cut('version')} AS version, ${record} AS record
         FROM run.manifest WHERE sequence > ? ORDER BY sequence LIMIT ?`,
      )
      .all(after, limit) as unknown as ReturnType<RunDatabase['settled']>;
  }

  /** What is known of works, from a row on. */
  records(after: number, limit: number): (RecordLine & { readonly row: number })[] {
    if (!this.#has('works')) return [];
    return this.#database
      .prepare(
        `SELECT rowid AS row, id AS work, substr(title, 1, ${LONGEST_TEXT}) AS title,
           substr(first_author, 1, 200) || CASE WHEN json_array_length(record_json, '$.authors') > 1 THEN ' et al.' ELSE '' END AS authors,
           year, substr(venue, 1, ${LONGEST_TEXT}) AS venue, type, doi, license, record_json ->> '$.version' AS version,
           record_json ->> '$.citedBy' AS citations, retracted
         FROM run.works WHERE rowid > ? ORDER BY rowid LIMIT ?`,
      )
      .all(after, limit) as unknown as ReturnType<RunDatabase['records']>;
  }

  /** Documents that hold works, from a document on. */
  links(after: string, limit: number): { readonly document: string; readonly work: string }[] {
    if (!this.#has('work_documents')) return [];
    return this.#database
      .prepare('SELECT document, work FROM run.work_documents WHERE document > ? ORDER BY document LIMIT ?')
      .all(after, limit) as unknown as ReturnType<RunDatabase['links']>;
  }

  /** What is known of a work in full. */
  record(work: string): WorkRecord | undefined {
    if (!this.#has('works')) return undefined;
    const row = this.#database.prepare('SELECT record_json FROM run.works WHERE id = ?').get(work);
    return row && (JSON.parse(String(row['record_json'])) as WorkRecord);
  }

  /** Works of which another record is a better version, and those that were screened out. */
  leftOut(): { readonly others: readonly string[]; readonly excluded: readonly string[] } {
    const rows = (table: string, sql: string): Record<string, unknown>[] =>
      this.#has(table) ? this.#database.prepare(sql).all() : [];
    const links = rows('work_versions', 'SELECT * FROM run.work_versions WHERE undone = 0') as unknown as VersionLink[];
    const groups = groupsOf(links).map((ids) => bestFirst(ids.flatMap((id) => this.record(id) ?? [])));
    return {
      others: groups.flatMap((group) => group.slice(1).map(({ id }) => id)),
      excluded: rows('work_labels', "SELECT work FROM run.work_labels WHERE label = 'excluded'").map(({ work }) =>
        String(work),
      ),
    };
  }

  /** How many entries of lists have named a work that another entry had named. */
  repeated(): number {
    if (!this.#has('repeated_entries')) return 0;
    return Number(this.#database.prepare('SELECT sum(times) AS times FROM run.repeated_entries').get()?.['times'] ?? 0);
  }

  /** Everything that was ever tried for a work, the last first. */
  history(work: string, limit: number): ManifestRow[] {
    if (!this.#has('manifest')) return [];
    return this.#database
      .prepare('SELECT row_json FROM run.manifest WHERE work = ? ORDER BY sequence DESC LIMIT ?')
      .all(work, limit)
      .map(({ row_json: text }) => JSON.parse(String(text)) as ManifestRow);
  }
}
