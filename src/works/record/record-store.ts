import type { StatementSync } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';

import type { WorkIds } from '../ids/work-ids.ts';
import { keyOf, mergeIds, NO_IDS } from '../ids/work-ids.ts';
import { mergeRecords } from './merge-records.ts';
import type { NoticeAbout, WorkRecord } from './record.ts';
import { retractionOf, yearOf } from './record.ts';
import { Readings } from './readings.ts';
import type { VersionLink } from './versions.ts';
import { bestFirst, findVersions, groupsOf } from './versions.ts';

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS works (
    id TEXT PRIMARY KEY, doi TEXT, pmid TEXT, pmcid TEXT, arxiv TEXT, title TEXT, first_author TEXT, year INTEGER, venue TEXT, type TEXT, license TEXT, access TEXT,
    retracted INTEGER NOT NULL CHECK (retracted IN (0, 1)), record_json TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS works_by_doi ON works (doi);
  CREATE INDEX IF NOT EXISTS works_by_pmid ON works (pmid) WHERE pmid IS NOT NULL;
  CREATE INDEX IF NOT EXISTS works_by_pmcid ON works (pmcid) WHERE pmcid IS NOT NULL;
  CREATE INDEX IF NOT EXISTS works_by_arxiv ON works (arxiv) WHERE arxiv IS NOT NULL;
  CREATE TABLE IF NOT EXISTS work_versions (
    work TEXT NOT NULL, of TEXT NOT NULL, reason TEXT NOT NULL, score REAL NOT NULL, at TEXT NOT NULL,
    undone INTEGER NOT NULL DEFAULT 0 CHECK (undone IN (0, 1)), PRIMARY KEY (work, of)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS work_labels (
    work TEXT PRIMARY KEY, label TEXT NOT NULL CHECK (label IN ('included', 'excluded'))
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS work_documents (document TEXT PRIMARY KEY, work TEXT NOT NULL) WITHOUT ROWID;
`;

type OtherId = 'doi' | 'pmid' | 'pmcid' | 'arxiv';

/** The records of a run's works: a table of its SQLite database, read by whoever shows, cites or filters works. */
export class RecordStore implements Disposable {
  /** What the records were made of. */
  readonly readings: Readings;
  readonly #database: DatabaseSync;
  readonly #put: StatementSync;
  readonly #get: StatementSync;
  readonly #others: Readonly<Record<OtherId, StatementSync>>;
  readonly #remove: StatementSync;
  readonly #workOf: StatementSync;
  readonly #link: StatementSync;
  #changes = 0;

  /** Opens the table in a database that may hold others beside it. */
  constructor(path: string) {
    this.#database = new DatabaseSync(path, { timeout: 10_000 });
    this.#database.exec(SCHEMA);
    this.readings = new Readings(this.#database);
    this.#put = this.#database.prepare(
      `INSERT INTO works (id, doi, pmid, pmcid, arxiv, title, first_author, year, venue, type, license, access, retracted, record_json)
       VALUES (:id, :doi, :pmid, :pmcid, :arxiv, :title, :first, :year, :venue, :type, :license, :access, :retracted, :json)
       ON CONFLICT (id) DO UPDATE SET doi = excluded.doi, pmid = excluded.pmid, pmcid = excluded.pmcid, arxiv = excluded.arxiv, title = excluded.title, first_author = excluded.first_author,
         year = excluded.year, venue = excluded.venue, type = excluded.type, license = excluded.license, access = excluded.access,
         retracted = excluded.retracted, record_json = excluded.record_json
       WHERE record_json <> excluded.record_json`,
    );
    this.#get = this.#database.prepare('SELECT record_json FROM works WHERE id = ?');
    const by = (column: string): StatementSync =>
      this.#database.prepare(`SELECT record_json FROM works WHERE ${column} = ? ORDER BY id LIMIT 1`);
    this.#others = { doi: by('doi'), pmid: by('pmid'), pmcid: by('pmcid'), arxiv: by('arxiv') };
    this.#remove = this.#database.prepare('DELETE FROM works WHERE id = ?');
    this.#workOf = this.#database.prepare('SELECT work FROM work_documents WHERE document = ?');
    this.#link = this.#database.prepare(
      'INSERT INTO work_documents (document, work) VALUES (?, ?) ON CONFLICT DO UPDATE SET work = excluded.work',
    );
  }

  get size(): number {
    return (this.#database.prepare('SELECT count(*) AS works FROM works').get() as { works: number }).works;
  }

  /** The record of a work by the id it is filed under, or by any other id that a record names. */
  get(id: string): WorkRecord | undefined {
    const [, kind = '', rest = ''] = /^(doi|pmid|pmcid|arxiv):(.+)$/s.exec(id) ?? [];
    return read(this.#get.get(id)) ?? (rest === '' ? undefined : this.#by(kind as OtherId, rest));
  }

  /** The record of the work that a document holds. */
  ofDocument(document: string): WorkRecord | undefined {
    const row = this.#workOf.get(document) as { work: string } | undefined;
    return this.get(row?.work ?? document);
  }

  /** Says which documents hold which works. */
  link(links: Iterable<{ readonly document: string; readonly work: string }>): void {
    this.#together(links, ({ document, work }) => this.#link.run(document, work));
  }

  /**
   * Files a paper of one's own under the work that it is: one that is known by any of its ids, else a new one. What was known
   * of the document alone before goes with it.
   */
  fileOwn(
    { document, sha256, checked }: { readonly document: string; readonly sha256: string; readonly checked: boolean },
    said: readonly WorkRecord[],
  ): string {
    const known = said.flatMap(({ ids }) => this.#byIds(ids))[0];
    const ids = said.reduce((all, record) => mergeIds(all, record.ids), NO_IDS);
    const id = ids.openalex ?? known?.id ?? keyOf(ids) ?? `paper:${document}`;
    this.#together([undefined], () => {
      const before = this.#workOf.get(document) as { work: string } | undefined;
      // What a paper said of itself is said anew; a work that is more than its paper stays.
      if (before && (before.work !== id || id === `paper:${document}`)) this.#forget(document, before.work);
      for (const record of said) this.#add({ ...record, id });
      this.#link.run(document, id);
      this.readings.noteOwnPaper({ document, sha256, checked });
    });
    return id;
  }

  /** Adds what a document, and whoever was asked because of it, says of a work, and notes that it was read. */
  fileWords(
    { document, stamp, work }: { readonly document: string; readonly stamp: string; readonly work: string },
    said: readonly WorkRecord[],
  ): void {
    this.#together([undefined], () => {
      for (const record of said) this.#add({ ...record, id: work });
      this.readings.noteDocument(document, stamp);
    });
  }

  /** Removes a record that only a document of one's own has spoken for. */
  #forget(document: string, work: string): void {
    const others = this.#database.prepare('SELECT 1 FROM work_documents WHERE work = ? AND document <> ? LIMIT 1');
    if (!others.get(work, document) && this.get(work)?.sources.every(({ from }) => from === 'document')) {
      this.#remove.run(work);
      this.#changes += 1;
    }
  }

  #byIds({ openalex, doi, pmid, pmcid, arxiv }: WorkIds): WorkRecord[] {
    const others = Object.entries({ doi, arxiv: arxiv?.id ?? null, pmid, pmcid });
    const names = [openalex, ...others.map(([kind, id]) => (id === null ? null : `${kind}:${id}`))];
    return names.flatMap((name) => (name === null ? [] : (this.get(name) ?? [])));
  }

  /** Every record, in the order of their ids. */
  *all(): Generator<WorkRecord> {
    for (const row of this.#database.prepare('SELECT record_json FROM works ORDER BY id').iterate()) {
      const record = read(row);
      if (record) yield record;
    }
  }

  /** Adds what is new to what is known: a source that says nothing now does not take back what it said before. */
  add(records: Iterable<WorkRecord>): void {
    this.#together(records, (record) => this.#add(record));
  }

  #add(record: WorkRecord): void {
    const known = this.#same(record);
    this.#write(known ? { ...mergeRecords(known, record), id: preferredId(record, known) } : record);
    if (known && preferredId(record, known) !== known.id) this.#remove.run(known.id);
  }

  /** Takes down what was said about works since they appeared; works that have no record here are passed over. */
  addNotices(given: Iterable<NoticeAbout>): void {
    const about = [...given].flatMap(({ doi, pmid = null, notice }) => {
      const record =
        (doi === null ? undefined : this.get(`doi:${doi}`)) ?? (pmid === null ? undefined : this.get(`pmid:${pmid}`));
      return record ? [{ ...record, notices: [notice], sources: [] }] : [];
    });
    if (about.length > 0) this.add(about);
  }

  /** Puts records in place of those that are there. */
  replace(records: Iterable<WorkRecord>): void {
    this.#together(records, (record) => this.#write(record));
  }

  /** The documents that hold works, by the work they hold. */
  documents(): Map<string, string> {
    const rows = this.#database.prepare('SELECT document, work FROM work_documents').all() as {
      document: string;
      work: string;
    }[];
    return new Map(rows.map(({ document, work }) => [document, work]));
  }

  /** What screening has decided, by work. */
  labels(): Map<string, 'included' | 'excluded'> {
    const rows = this.#database.prepare('SELECT work, label FROM work_labels').all();
    return new Map(
      (rows as { work: string; label: 'included' | 'excluded' }[]).map(({ work, label }) => [work, label]),
    );
  }

  /** Takes down decisions; those about other works stay. */
  setLabels(labels: Iterable<readonly [string, 'included' | 'excluded']>): void {
    const put = this.#database.prepare(
      'INSERT INTO work_labels (work, label) VALUES (?, ?) ON CONFLICT DO UPDATE SET label = excluded.label',
    );
    this.#together(labels, ([work, label]) => put.run(work, label));
  }

  /** Looks which records are versions of one work; what was undone before stays undone. Answers those that are new. */
  linkVersions(at: string): VersionLink[] {
    const put = this.#database.prepare(
      'INSERT INTO work_versions (work, of, reason, score, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    const added: VersionLink[] = [];
    this.#together(findVersions(this.all()), (link) => {
      if (put.run(link.work, link.of, link.reason, link.score, at).changes > 0) added.push(link);
    });
    return added;
  }

  /** Every merge of versions, those that were undone included. */
  versions(): (VersionLink & { readonly at: string; readonly undone: boolean })[] {
    const rows = this.#database.prepare('SELECT * FROM work_versions ORDER BY of, work').all();
    return (rows as unknown as (VersionLink & { at: string; undone: 0 | 1 })[]).map((row) => ({
      ...row,
      undone: row.undone === 1,
    }));
  }

  /** Takes a work out of the versions it was merged with, for good, or puts it back; answers how many merges that were. */
  setApart(work: string, undone: boolean): number {
    const { changes } = this.#database
      .prepare('UPDATE work_versions SET undone = ? WHERE (work = ? OR of = ?) AND undone <> ?')
      .run(undone ? 1 : 0, work, work, undone ? 1 : 0);
    return Number(changes);
  }

  /** Works as groups of their versions, the best first; only those with more than one. */
  versionGroups(): WorkRecord[][] {
    return groupsOf(this.versions().filter(({ undone }) => !undone)).map((ids) =>
      bestFirst(ids.flatMap((id) => this.get(id) ?? [])),
    );
  }

  /** How many times records were written: others than before mean that what is derived from them is old. */
  get changes(): number {
    return this.#changes;
  }

  /** Two works of OpenAlex may share a DOI and stay two; a record without an OpenAlex id is of the work that has its DOI. */
  #same(record: WorkRecord): WorkRecord | undefined {
    const known = read(this.#get.get(record.id));
    if (known) return known;
    const { doi } = record.ids;
    const other = doi === null ? undefined : this.#by('doi', doi);
    const isOther = other && record.ids.openalex !== null && ![null, record.ids.openalex].includes(other.ids.openalex);
    return isOther ? undefined : other;
  }

  #by(kind: OtherId, value: string): WorkRecord | undefined {
    return read(this.#others[kind].get(kind === 'doi' ? value.toLowerCase() : value));
  }

  #write(record: WorkRecord): void {
    const { changes } = this.#put.run({
      id: record.id,
      doi: record.ids.doi,
      pmid: record.ids.pmid,
      pmcid: record.ids.pmcid,
      arxiv: record.ids.arxiv?.id ?? null,
      title: record.title,
      first: record.authors[0]?.name ?? null,
      year: yearOf(record),
      venue: record.venue,
      type: record.type,
      license: record.license,
      access: record.access,
      retracted: retractionOf(record) ? 1 : 0,
      json: JSON.stringify(record),
    });
    this.#changes += Number(changes);
  }

  /** All or none. */
  #together<T>(items: Iterable<T>, write: (item: T) => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const item of items) write(item);
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

function read(row: unknown): WorkRecord | undefined {
  return row === undefined ? undefined : (JSON.parse((row as { record_json: string }).record_json) as WorkRecord);
}

/** An OpenAlex id names a work best; else the id by which it was known first stays. */
function preferredId(record: WorkRecord, known: WorkRecord): string {
  return record.id === record.ids.openalex && known.id !== known.ids.openalex ? record.id : known.id;
}
