import { mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

import { AppError } from '../base/index.ts';
import type { ModelIdentity } from '../parse/index.ts';
import { CorpusStore, hasStore } from './corpus-store.ts';

const FOLDER = 'Index';

/** The vectors of an index: their model and their length. */
export interface IndexDense {
  readonly model: ModelIdentity;
  readonly dimensions: number;
}

export type IndexManifest = IndexRows['manifest'];

export interface SegmentRow {
  readonly name: string;
  readonly passages: number;
  readonly length: number;
}

export interface IndexedRow {
  readonly id: string;
  readonly segment: string;
  readonly first: number;
  readonly count: number;
  readonly stamp: string;
  readonly text_hash: string;
}

/** New segments and the documents in them. */
export interface MadeSegments {
  readonly segments: readonly SegmentRow[];
  readonly documents: readonly IndexedRow[];
}

/** Which segments of the search index are valid, and which documents they hold. The segments themselves are files in `Index/`. */
export class IndexRows implements Disposable {
  /** Where the files of the segments are. */
  readonly folder: string;
  readonly #store: CorpusStore;

  private constructor(corpus: string, store: CorpusStore) {
    this.folder = join(corpus, FOLDER);
    this.#store = store;
  }

  /** Opens the index of a corpus folder for writing. Empties it if its texts were analysed differently. */
  static open(corpus: string, analysis: string): IndexRows {
    mkdirSync(join(corpus, FOLDER), { recursive: true });
    const rows = new IndexRows(corpus, CorpusStore.create(corpus));
    try {
      // Replaced segment files are deleted afterwards, so the change must be on disk first.
      rows.#store.database.exec('pragma synchronous = full');
      if (rows.analysis !== analysis)
        rows.#store.transaction(() => {
          rows.replace({ segments: [], documents: [] }, null);
          rows.#setAbout('analysis', analysis);
        });
      return rows;
    } catch (error) {
      rows[Symbol.dispose]();
      throw error;
    }
  }

  /** Opens the index for reading; refuses one that this version cannot search. */
  static read(corpus: string, analysis: string): IndexRows {
    const rows = IndexRows.find(corpus);
    const found = rows?.analysis;
    if (rows && found === analysis) return rows;
    rows?.[Symbol.dispose]();
    if (found === undefined)
      throw new AppError('INDEX_MISSING', `no index in ${corpus}`, {
        hint: 'build it with docstokg run or docparse embed',
      });
    throw new AppError('INDEX_SCHEMA', `the index in ${corpus} was written by another version`, {
      hint: 'build the index again',
    });
  }

  /** Opens an index of any version; undefined for a folder without a database. */
  static find(corpus: string): IndexRows | undefined {
    return hasStore(corpus) ? new IndexRows(corpus, CorpusStore.open(corpus)) : undefined;
  }

  /** How texts were analysed; undefined where there is no index. */
  get analysis(): string | undefined {
    return this.#about('analysis');
  }

  snapshot<T>(read: () => T): T {
    return this.#store.snapshot(read);
  }

  /** What can be found. */
  get manifest() {
    const passages = this.#store.number('select sum(count) from indexed_documents');
    const documents = this.#store.count('indexed_documents');
    return { passages, documents, segments: this.#store.count('segments'), dense: this.dense };
  }

  get dense(): IndexDense | null {
    return JSON.parse(this.#about('dense') ?? 'null') as IndexDense | null;
  }

  /** The segments, each with how many of its passages are not deleted. */
  segments(): (SegmentRow & { readonly live: number })[] {
    return this.#store.all(
      `select *, (select coalesce(sum(count), 0) from indexed_documents where segment = segments.name) as live
       from segments order by passages desc, name`,
    );
  }

  /** Where the documents of a segment are in it: all its other passages are deleted. */
  placesIn(segment: string): Pick<IndexedRow, 'id' | 'first' | 'count'>[] {
    return this.#store.all('select id, first, count from indexed_documents where segment = ? order by first', segment);
  }

  stamps(): Map<string, string> {
    return this.#store.map('select id, stamp from indexed_documents');
  }

  /** Documents with exactly the text of another: all but the first of each group. */
  copies(): Set<string> {
    const rows = this.#store.all<{ id: string }>(
      `select id from indexed_documents as d where text_hash <> '' and
         exists (select 1 from indexed_documents as o where o.text_hash = d.text_hash and o.id < d.id)`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Adds documents, which replace those with the same ids, and removes others; segments without documents are dropped. */
  change(made: MadeSegments, removed: readonly string[]): void {
    this.#write(() => {
      for (const id of removed) this.#store.run('delete from indexed_documents where id = ?', id);
      this.#insert(made);
      this.#store.run(
        'delete from segments where not exists (select 1 from indexed_documents where segment = segments.name)',
      );
    });
  }

  replace(made: MadeSegments, dense: IndexDense | null): void {
    this.#write(() => {
      for (const table of ['segments', 'indexed_documents']) this.#store.run(`delete from ${table}`);
      this.#setAbout('dense', JSON.stringify(dense));
      this.#insert(made);
    });
  }

  [Symbol.dispose](): void {
    this.#store[Symbol.dispose]();
  }

  #insert({ segments, documents }: MadeSegments): void {
    for (const { name, passages, length } of segments) this.#store.insert('segments', { name, passages, length });
    for (const { id, segment, first, count, stamp, text_hash } of documents)
      this.#store.insert('indexed_documents', { id, segment, first, count, stamp, text_hash }, 'or replace');
  }

  #write(work: () => void): void {
    this.#store.transaction(work);
    // Open readers watch the folder's modification time, because the database changes for many other reasons.
    const now = new Date();
    utimesSync(this.folder, now, now);
  }

  #about(name: string): string | undefined {
    return this.#store.get<{ value: string }>('select value from index_about where name = ?', name)?.value;
  }

  #setAbout(name: string, value: string): void {
    this.#store.run(
      'insert into index_about values (?, ?) on conflict do update set value = excluded.value',
      name,
      value,
    );
  }
}

/** Whether a corpus folder has an index, in any version. */
export function hasIndex(corpus: string): boolean {
  using rows = IndexRows.find(corpus);
  return rows?.analysis !== undefined;
}
