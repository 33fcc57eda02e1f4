import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { StatementSync } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';

import { AppError } from '../base/index.ts';
import type { ModelIdentity } from '../parse/index.ts';
import { PASSAGE_ANALYSIS } from '../parse/index.ts';

const SCHEMA_NAME = 'docstokg/index/3';
const NAME = 'index.sqlite';

const TABLES = `
  CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS segments (
    name TEXT PRIMARY KEY, passages INTEGER NOT NULL, rows INTEGER NOT NULL, length INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS documents (
    id TEXT PRIMARY KEY, segment TEXT NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL, stamp TEXT NOT NULL,
    text_hash TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS documents_by_segment ON documents (segment, first);
  CREATE INDEX IF NOT EXISTS documents_by_text ON documents (text_hash);
  CREATE TABLE IF NOT EXISTS deletions (
    segment TEXT NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (segment, first)
  ) WITHOUT ROWID;
`;

/** Vectors that an index holds: by which model, how wide, and how they are kept. */
export interface IndexDense {
  readonly model: ModelIdentity;
  readonly dimensions: number;
  readonly dtype: 'float32' | 'int8';
}

/** What an index as a whole is. */
export interface IndexManifest {
  /** Passages that can be found. */
  readonly passages: number;
  readonly documents: number;
  readonly segments: number;
  readonly dense: IndexDense | null;
}

export interface SegmentRow {
  readonly name: string;
  readonly passages: number;
  readonly rows: number;
  readonly length: number;
}

export interface DocumentRow {
  readonly id: string;
  readonly segment: string;
  readonly first: number;
  readonly count: number;
  readonly stamp: string;
  readonly text_hash: string;
}

interface Range {
  readonly first: number;
  readonly count: number;
}

/** One change of an index, put in force as a whole. */
export interface CatalogueChange {
  readonly segments?: readonly SegmentRow[];
  readonly documents?: readonly DocumentRow[];
  /** Documents that leave, or that are elsewhere from now on. */
  readonly removed?: Iterable<string>;
  /** Segments whose documents have all moved. */
  readonly dropped?: readonly string[];
}

/** What an index consists of, as a database: a change of one document costs its own rows, and counts whole or not at all. */
export class Catalogue implements Disposable {
  readonly folder: string;
  readonly #database: DatabaseSync;
  readonly #document: StatementSync;

  private constructor(folder: string, database: DatabaseSync) {
    this.folder = folder;
    this.#database = database;
    this.#document = database.prepare('SELECT * FROM documents WHERE id = ?');
  }

  /**
   * Opens the catalogue to change it; made where there is none. One of another version is emptied and one that is damaged is
   * thrown away: all it says is made again from the passages.
   */
  static open(folder: string): Catalogue {
    mkdirSync(folder, { recursive: true });
    try {
      return Catalogue.#openOrMake(folder);
    } catch (error) {
      // SQLITE_CORRUPT and SQLITE_NOTADB.
      const code = (error as { readonly errcode?: number }).errcode ?? 0;
      if (code !== 11 && code !== 26) throw error;
      for (const ending of ['', '-wal', '-shm']) rmSync(join(folder, NAME + ending), { force: true });
      return Catalogue.#openOrMake(folder);
    }
  }

  static #openOrMake(folder: string): Catalogue {
    const database = new DatabaseSync(join(folder, NAME), { timeout: 30_000 });
    try {
      database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${TABLES}`);
      const catalogue = new Catalogue(folder, database);
      if (!catalogue.#isOurs) catalogue.#begin();
      return catalogue;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Opens it to be read; refuses an index that this version cannot search. */
  static read(folder: string): Catalogue {
    const path = join(folder, NAME);
    if (!existsSync(path)) {
      throw new AppError('INDEX_MISSING', `no index in ${folder}`, {
        hint: 'build it with docstokg run or docparse embed',
      });
    }
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(path, { timeout: 30_000 });
      const catalogue = new Catalogue(folder, database);
      if (!catalogue.#isOurs)
        throw new AppError('INDEX_SCHEMA', `${path} was written by another version`, { hint: 'build the index again' });
      return catalogue;
    } catch (error) {
      database?.close();
      if (error instanceof AppError) throw error;
      throw new AppError('INDEX_DAMAGED', `${path} cannot be read`, {
        hint: 'remove the Index folder; it will be rebuilt',
        cause: error,
      });
    }
  }

  get manifest(): IndexManifest {
    const { passages, documents } = this.#database
      .prepare('SELECT coalesce(sum(count), 0) AS passages, count(*) AS documents FROM documents')
      .get() as { passages: number; documents: number };
    const { segments } = this.#database.prepare('SELECT count(*) AS segments FROM segments').get() as {
      segments: number;
    };
    return { passages, documents, segments, dense: this.dense };
  }

  get dense(): IndexDense | null {
    return JSON.parse(this.#about('dense') ?? 'null') as IndexDense | null;
  }

  segments(): SegmentRow[] {
    return this.#database
      .prepare('SELECT * FROM segments ORDER BY passages DESC, name')
      .all() as unknown as SegmentRow[];
  }

  document(id: string): DocumentRow | undefined {
    return this.#document.get(id) as DocumentRow | undefined;
  }

  /** The documents of a segment, in their order. */
  documentsIn(segment: string): DocumentRow[] {
    return this.#database
      .prepare('SELECT * FROM documents WHERE segment = ? ORDER BY first')
      .all(segment) as unknown as DocumentRow[];
  }

  /** Every document's stamp, by its id. */
  stamps(): Map<string, string> {
    const rows = this.#database.prepare('SELECT id, stamp FROM documents').all() as { id: string; stamp: string }[];
    return new Map(rows.map(({ id, stamp }) => [id, stamp]));
  }

  /** Documents that say word for word what another one says: all but the first of each. */
  copies(): Set<string> {
    const rows = this.#database
      .prepare(
        `SELECT id FROM documents AS d WHERE text_hash <> '' AND
           EXISTS (SELECT 1 FROM documents AS o WHERE o.text_hash = d.text_hash AND o.id < d.id)`,
      )
      .all() as { id: string }[];
    return new Set(rows.map(({ id }) => id));
  }

  deletions(segment: string): Range[] {
    return this.#database
      .prepare('SELECT first, count FROM deletions WHERE segment = ? ORDER BY first')
      .all(segment) as unknown as Range[];
  }

  /** Passages of a segment that are marked as gone. */
  deletedIn(segment: string): number {
    const row = this.#database
      .prepare('SELECT coalesce(sum(count), 0) AS gone FROM deletions WHERE segment = ?')
      .get(segment);
    return (row as { gone: number }).gone;
  }

  /** Puts a change in force. */
  change({ segments = [], documents = [], removed = [], dropped = [] }: CatalogueChange): void {
    const mark = this.#database.prepare('INSERT INTO deletions (segment, first, count) VALUES (?, ?, ?)');
    const forget = this.#database.prepare('DELETE FROM documents WHERE id = ?');
    this.#together(() => {
      for (const id of removed) {
        const document = this.document(id);
        if (!document) continue;
        if (document.count > 0) mark.run(document.segment, document.first, document.count);
        forget.run(id);
      }
      this.#insert({ segments, documents });
      for (const name of dropped) {
        this.#database.prepare('DELETE FROM deletions WHERE segment = ?').run(name);
        this.#database.prepare('DELETE FROM segments WHERE name = ?').run(name);
      }
    });
  }

  /** Puts a whole new index in the place of the old one. */
  replace(change: Pick<CatalogueChange, 'segments' | 'documents'>, dense: IndexDense | null): void {
    this.#together(() => {
      for (const table of ['segments', 'documents', 'deletions']) this.#database.exec(`DELETE FROM ${table}`);
      this.#setAbout('dense', JSON.stringify(dense));
      this.#insert(change);
    });
  }

  #insert({ segments = [], documents = [] }: Pick<CatalogueChange, 'segments' | 'documents'>): void {
    const segment = this.#database.prepare('INSERT INTO segments (name, passages, rows, length) VALUES (?, ?, ?, ?)');
    const document = this.#database.prepare(
      'INSERT INTO documents (id, segment, first, count, stamp, text_hash) VALUES (?, ?, ?, ?, ?, ?)',
    );
    for (const { name, passages, rows, length } of segments) segment.run(name, passages, rows, length);
    for (const { id, segment: name, first, count, stamp, text_hash: hash } of documents)
      document.run(id, name, first, count, stamp, hash);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  get #isOurs(): boolean {
    return this.#about('schema') === SCHEMA_NAME && this.#about('analysis') === PASSAGE_ANALYSIS;
  }

  #begin(): void {
    this.replace({}, null);
    this.#setAbout('schema', SCHEMA_NAME);
    this.#setAbout('analysis', PASSAGE_ANALYSIS);
  }

  #about(name: string): string | undefined {
    const row = this.#database.prepare('SELECT value FROM about WHERE name = ?').get(name);
    return (row as { value: string } | undefined)?.value;
  }

  #setAbout(name: string, value: string): void {
    this.#database
      .prepare('INSERT INTO about VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value')
      .run(name, value);
  }

  #together(write: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      write();
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}

/** Where a segment's file is. */
export function segmentPath(folder: string, name: string): string {
  return join(folder, `segment-${name}.bin`);
}

/** Whether a folder holds an index, of whatever version. */
export function hasIndex(folder: string): boolean {
  return existsSync(join(folder, NAME));
}

/** What the index in a folder is made of. */
export function readManifest(folder: string): IndexManifest {
  using catalogue = Catalogue.read(folder);
  return catalogue.manifest;
}
