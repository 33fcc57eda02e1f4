import { mkdirSync, statSync, utimesSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';

import {
  AppError,
  asideName,
  describeDiskError,
  emitWarning,
  isUnwritable,
  renameFile,
  sha256File,
  syncFolder,
} from '../base/index.ts';
import { CorpusStore, hasStore } from '../database/index.ts';
import type { IndexManifest } from './index-reader.ts';
import { INDEX_VERSION, SegmentFile, segmentPath } from './segment/segment-file.ts';
import type { IndexedDocument } from './segment/write-segment.ts';
import { SegmentWriter } from './segment/write-segment.ts';
import type { IndexDense, WrittenSegment } from './segment/write-segment.ts';

const FOLDER = 'Index';

/** What the index of a folder holds. */
export interface SegmentsManifest extends IndexManifest {
  /** How many files its passages are in. */
  readonly segments: number;
}

export interface SegmentRow extends WrittenSegment {
  /** Size and time of the file when its bytes were last compared with the hash. */
  readonly stamp: string;
  readonly sha256: string;
}
type IndexedRow = Awaited<ReturnType<SegmentWriter['add']>>;

type Documents = AsyncIterable<IndexedDocument> | Iterable<IndexedDocument>;

/** Which segments (files in `Index/`) are valid. One transaction replaces the old state by the new one. */
export class IndexRows implements Disposable {
  readonly folder: string;
  readonly #store: CorpusStore;

  private constructor(corpus: string, store: CorpusStore) {
    this.folder = join(corpus, FOLDER);
    this.#store = store;
  }

  /** For writing; empties an index of another version. */
  static open(corpus: string): IndexRows {
    mkdirSync(join(corpus, FOLDER), { recursive: true });
    const rows = new IndexRows(corpus, CorpusStore.create(corpus));
    try {
      // Replaced segment files are deleted afterwards, so the change must be on disk first.
      rows.#store.database.exec('pragma synchronous = full');
      if (rows.version !== INDEX_VERSION)
        rows.#write(() => {
          rows.#clear(null);
          rows.#setAbout('analysis', INDEX_VERSION);
        });
      return rows;
    } catch (error) {
      rows[Symbol.dispose]();
      throw error;
    }
  }

  /** Opens the index for reading; refuses one that this version cannot search. */
  static read(corpus: string): IndexRows {
    const rows = IndexRows.find(corpus);
    const found = rows?.version;
    if (rows && found === INDEX_VERSION) return rows;
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

  get version(): string | undefined {
    return this.#about('analysis');
  }

  snapshot<T>(read: () => T): T {
    return this.#store.snapshot(read);
  }

  get manifest(): SegmentsManifest {
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

  /**
   * Whether every segment has the bytes that were written. They are read if the size or time of a file has changed, or
   * with `thorough`. A file that is no segment at all is moved aside, because the next build removes what it replaces.
   */
  async isSound(thorough = false): Promise<boolean> {
    let isSound = true;
    for (const { name, stamp, sha256 } of this.segments()) {
      const path = segmentPath(this.folder, name);
      const found = stampOf(path);
      if (found === stamp && !thorough) continue;
      if (found !== '' && (await sha256File(path)) === sha256) {
        this.#remember(name, found);
        continue;
      }
      isSound = false;
      if (found !== '') setForeignAside(path);
    }
    return isSound;
  }

  #remember(segment: string, stamp: string): void {
    try {
      this.#store.run('update segments set stamp = ? where name = ?', stamp, segment);
    } catch (error) {
      // On a read-only disk it is compared again each time.
      if (!isUnwritable(describeDiskError(error, this.folder))) throw error;
    }
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

  /** An update that writes them again moves them into its new segment and drops the old segments. */
  documentsToMerge(): string[] {
    return segmentsToMerge(this.segments()).flatMap(({ name }) => this.placesIn(name).map(({ id }) => id));
  }

  /** Adds documents in new segments, replaces those with the same ids, and removes others. */
  async update(
    { documents, removed = [] }: { readonly documents: Documents; readonly removed?: readonly string[] },
    signal?: AbortSignal,
  ): Promise<void> {
    await this.#add(documents, this.dense, signal, () => {
      for (const id of removed) this.#store.run('delete from indexed_documents where id = ?', id);
    });
  }

  async rebuild(documents: Documents, dense: IndexDense | null, signal?: AbortSignal): Promise<void> {
    await this.#add(documents, dense, signal, () => this.#clear(dense));
  }

  [Symbol.dispose](): void {
    this.#store[Symbol.dispose]();
  }

  /** Writes documents into new segments; `forget` removes old rows in the transaction that adds the new ones. */
  async #add(
    documents: Documents,
    dense: IndexDense | null,
    signal: AbortSignal | undefined,
    forget: () => void,
  ): Promise<void> {
    const { segments, indexed } = await writeSegments(this.folder, documents, dense, signal);
    this.#write(() => {
      forget();
      for (const row of segments) this.#store.insert('segments', { ...row });
      for (const row of indexed) this.#store.insert('indexed_documents', { ...row }, 'or replace');
      this.#store.run(
        'delete from segments where not exists (select 1 from indexed_documents where segment = segments.name)',
      );
    });
    await this.#removeOthers();
  }

  #clear(dense: IndexDense | null): void {
    for (const table of ['segments', 'indexed_documents']) this.#store.run(`delete from ${table}`);
    this.#setAbout('dense', JSON.stringify(dense));
  }

  #write(work: () => void): void {
    this.#store.transaction(work);
    // Open readers watch the folder's modification time, because the database changes for many other reasons.
    const now = new Date();
    utimesSync(this.folder, now, now);
  }

  async #removeOthers(): Promise<void> {
    const named = new Set(this.segments().map(({ name }) => basename(segmentPath(this.folder, name))));
    for (const file of await readdir(this.folder)) {
      const isOurs = /^segment-[0-9a-f]+\.bin$/.test(file);
      // On some systems open files cannot be removed; the next update tries again.
      if (isOurs && !named.has(file)) await rm(join(this.folder, file), { force: true }).catch(() => undefined);
    }
  }

  #about(name: string): string | undefined {
    return this.#store.get<{ value: string }>('select value from index_about where name = ?', name)?.value;
  }

  #setAbout(name: string, value: string): void {
    this.#store.insert('index_about', { name, value }, 'or replace');
  }
}

/** In any version. */
export function hasIndex(corpus: string): boolean {
  using rows = IndexRows.find(corpus);
  return rows?.version !== undefined;
}

function setForeignAside(path: string): void {
  try {
    new SegmentFile(path)[Symbol.dispose]();
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'INDEX_DAMAGED')) throw error;
    if (statSync(path).size === 0) return;
    const aside = asideName(path);
    renameFile(path, aside);
    emitWarning(`${path} is damaged: it was moved to ${aside}, and the index is built again`);
  }
}

function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.size} ${found.mtimeMs}` : '';
}

/** They are valid once the database names them. */
async function writeSegments(
  folder: string,
  documents: Documents,
  dense: IndexDense | null,
  signal: AbortSignal | undefined,
): Promise<{ readonly segments: readonly SegmentRow[]; readonly indexed: readonly IndexedRow[] }> {
  const [segments, indexed]: [SegmentRow[], IndexedRow[]] = [[], []];
  let writer: SegmentWriter | undefined;
  const finish = async (): Promise<void> => {
    if (!writer) return;
    const row = await writer.finish();
    writer[Symbol.dispose]();
    writer = undefined;
    const path = segmentPath(folder, row.name);
    segments.push({ ...row, stamp: stampOf(path), sha256: await sha256File(path) });
  };
  try {
    for await (const document of documents) {
      signal?.throwIfAborted();
      writer ??= new SegmentWriter(folder, dense);
      indexed.push(await writer.add(document));
      if (writer.isFull) await finish();
    }
    await finish();
  } finally {
    await writer?.abandon();
  }
  await syncFolder(folder);
  signal?.throwIfAborted();
  return { segments, indexed };
}

/** This many segments of similar size, within this factor, are merged. */
const FAN = 8;
/** A passage takes about a millisecond to write again: merges of more would make an update slow. */
const MERGED_AT_ONCE = 2_000;
/** More segments slow down searches: the smallest are merged, whatever their size. */
const MOST_SEGMENTS = 64;

type Sized = Pick<ReturnType<IndexRows['segments']>[number], 'name' | 'passages' | 'live'>;

/** Many of similar size, those mostly deleted, or the smallest of too many. */
export function segmentsToMerge(segments: readonly Sized[]): readonly Sized[] {
  const hollow = segments.filter(({ passages, live }) => live * 2 < passages && live <= MERGED_AT_ONCE);
  if (hollow.length > 0) return hollow;
  const bySize = segments.toSorted((a, b) => a.live - b.live);
  const tiers = Map.groupBy(bySize, ({ live }) => Math.floor(Math.log(Math.max(1, live)) / Math.log(FAN)));
  for (const tier of tiers.values()) {
    const some = tier.slice(0, FAN);
    if (some.length === FAN && some.reduce((sum, { live }) => sum + live, 0) <= MERGED_AT_ONCE) return some;
  }
  return segments.length > MOST_SEGMENTS ? bySize.slice(0, FAN) : [];
}
