import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { DatabaseSync } from 'node:sqlite';

import type { ManifestRow } from '../../download/index.ts';
import { slug } from '../../download/index.ts';
import type { VersionLink, WorkRecord } from '../../works/index.ts';
import { bestFirst, groupsOf } from '../../works/index.ts';

type Table = 'manifest' | 'works' | 'work_documents' | 'work_labels' | 'work_versions' | 'repeated_entries';

/** A work by the ids that it has in a run: that of its rows in the manifest, and that of its record. */
export interface FiledWork {
  readonly tried: string | null;
  readonly record: string | null;
}

/** The database of a run (`manifest.sqlite3`), attached as `run` beside our own tables and read while others write it. */
export class RunDatabase {
  readonly #database: DatabaseSync;
  readonly #path: string;
  #file: bigint | undefined;
  #tables: ReadonlySet<string> = new Set();
  #version = -1;
  #generation = 0;

  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.#path = path;
    database.function('slug', { deterministic: true }, (id) => slug(String(id)));
  }

  /**
   * Looks for what is not there yet: a run that begins has no database, and gets its tables one by one. Other answers mean
   * that something was written since; another `generation`, that the file is another one, made anew after damage.
   */
  look(): { readonly version: number; readonly generation: number } {
    const file = statSync(this.#path, { bigint: true, throwIfNoEntry: false })?.ino;
    if (file !== this.#file) {
      if (this.#file !== undefined) {
        this.#database.exec('DETACH run');
        this.#file = undefined;
        this.#generation += 1;
      }
      this.#tables = new Set();
      this.#version = -1;
      if (file !== undefined)
        this.#database.prepare('ATTACH ? AS run').run(`${pathToFileURL(this.#path).href}?mode=ro`);
      this.#file = file;
    }
    if (file === undefined) return { version: -1, generation: this.#generation };
    const version = Number(this.#database.prepare('PRAGMA run.data_version').get()?.['data_version'] ?? 0);
    if (version !== this.#version) {
      const tables = this.#database.prepare("SELECT name FROM run.sqlite_master WHERE type = 'table'").all();
      this.#tables = new Set(tables.map(({ name }) => String(name)));
      this.#version = version;
    }
    return { version, generation: this.#generation };
  }

  /** Whether a table was there when we last looked. */
  has(table: Table): boolean {
    return this.#tables.has(table);
  }

  /** Whether nothing is known of any work. */
  get isEmpty(): boolean {
    const isEmpty = (table: Table): boolean =>
      !this.has(table) || !this.#database.prepare(`SELECT 1 FROM run.${table} LIMIT 1`).get();
    return isEmpty('manifest') && isEmpty('works');
  }

  /** The record of a row of the manifest, in SQL: mostly filed under the same id, else under another id of the same work. */
  recordOf(work: string): string {
    if (!this.has('works')) return 'NULL';
    const by = (kind: string): string =>
      `WHEN ${work} LIKE '${kind}:%' THEN (SELECT id FROM run.works WHERE ${kind} = ${kind === 'doi' ? 'lower' : ''}(substr(${work}, ${kind.length + 2})) ORDER BY id LIMIT 1)`;
    return `coalesce((SELECT id FROM run.works WHERE id = ${work}),
      CASE ${['doi', 'pmid', 'pmcid', 'arxiv'].map(by).join(' ')} END)`;
  }

  /** A work by its id, another id of it (`doi:…`, a DOI, its address), or the name of its document. */
  find(name: string): FiledWork | undefined {
    const one = (table: Table, sql: string, value: string): string | undefined => {
      const row = this.has(table) ? this.#database.prepare(sql).get(value) : undefined;
      return row && String(Object.values(row)[0]);
    };
    const bare = name.replace(/^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:)/i, '').toLowerCase();
    const triedAs = 'SELECT work FROM run.manifest WHERE work = ? LIMIT 1';
    const tried = one('manifest', triedAs, name);
    if (tried !== undefined) return { tried, record: this.#recordOf(tried) };
    const record =
      one('works', 'SELECT id FROM run.works WHERE id = ?', name) ??
      one('work_documents', 'SELECT work FROM run.work_documents WHERE document = ?', name) ??
      one('works', 'SELECT id FROM run.works WHERE doi = ? ORDER BY id LIMIT 1', bare);
    if (record !== undefined) return { tried: this.#triedAs(record), record };
    // A name that was made of an id cannot be turned back, so that all are asked.
    const other =
      one('manifest', triedAs, `doi:${bare}`) ??
      one('manifest', 'SELECT work FROM run.manifest WHERE slug(work) = ? LIMIT 1', name);
    return other === undefined ? undefined : { tried: other, record: this.#recordOf(other) };
  }

  #recordOf(tried: string): string | null {
    const row = this.#database.prepare(`SELECT ${this.recordOf(':tried')} AS record`);
    const { record } = (this.has('works') ? row.get({ tried }) : undefined) ?? {};
    return typeof record === 'string' ? record : null;
  }

  #triedAs(record: string): string | null {
    if (!this.has('manifest') || !this.has('works')) return null;
    const row = this.#database
      .prepare(
        `SELECT manifest.work FROM run.works AS record JOIN run.manifest ON manifest.work IN
           (record.id, 'doi:' || record.doi, 'pmid:' || record.pmid, 'pmcid:' || record.pmcid, 'arxiv:' || record.arxiv)
         WHERE record.id = ? ORDER BY manifest.sequence DESC LIMIT 1`,
      )
      .get(record);
    return row ? String(row['work']) : null;
  }

  /** What is known of a work in full. */
  record(work: string): WorkRecord | undefined {
    if (!this.has('works')) return undefined;
    const row = this.#database.prepare('SELECT record_json FROM run.works WHERE id = ?').get(work);
    return row && (JSON.parse(String(row['record_json'])) as WorkRecord);
  }

  /** The document that holds a work of which there is no row in the manifest. */
  documentOf(work: string): string | undefined {
    if (!this.has('work_documents')) return undefined;
    const row = this.#database.prepare('SELECT document FROM run.work_documents WHERE work = ? LIMIT 1').get(work);
    return row && String(row['document']);
  }

  /** What screening has decided of a work. */
  labelOf(work: string): 'included' | 'excluded' | null {
    if (!this.has('work_labels')) return null;
    const row = this.#database.prepare('SELECT label FROM run.work_labels WHERE work = ?').get(work);
    return (row?.['label'] as 'included' | 'excluded' | undefined) ?? null;
  }

  /** Works of which another record is a better version, and those that were screened out. */
  leftOut(): { readonly others: readonly string[]; readonly excluded: readonly string[] } {
    const rows = (table: Table, sql: string): Record<string, unknown>[] =>
      this.has(table) ? this.#database.prepare(sql).all() : [];
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
    if (!this.has('repeated_entries')) return 0;
    return Number(this.#database.prepare('SELECT sum(times) AS times FROM run.repeated_entries').get()?.['times'] ?? 0);
  }

  /** Everything that was ever tried for a work, the last first. */
  history(tried: string, limit: number): ManifestRow[] {
    if (!this.has('manifest')) return [];
    return this.#database
      .prepare('SELECT row_json FROM run.manifest WHERE work = ? ORDER BY sequence DESC LIMIT ?')
      .all(tried, limit)
      .map(({ row_json: text }) => JSON.parse(String(text)) as ManifestRow);
  }
}
