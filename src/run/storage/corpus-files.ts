import { statSync } from 'node:fs';
import { join } from 'node:path';

import type { Clock } from '../../base/index.ts';
import { AppError, forEachOf, parseJson, sha256 as sha256Of, sha256File } from '../../base/index.ts';
import type { CorpusStore, StoredFile } from '../../database/index.ts';
import { isReferred, isSharedPath, storedFile, storedFiles } from '../../database/index.ts';
import type { JobLease, Journal, LogEntry } from '../../journal/index.ts';
import type { ObjectId, ObjectStore } from '../../objects/index.ts';

/** What is saved with files, or instead of them. */
export interface Saving {
  /** The hash and size of the only file, if known. */
  readonly object?: ObjectId | undefined;
  /** Lines that are appended when the files are stored. */
  readonly lines?: readonly LogEntry[];
  /** The folder that the files are in; by default that of the corpus. */
  readonly from?: string | undefined;
  /** The job that the files are the result of. */
  readonly lease?: JobLease | undefined;
}

/** What was fetched or uploaded. */
export interface Moved {
  readonly files: number;
  readonly bytes: number;
}

/** The files of a corpus, by their paths in its folder with slashes: only there, or also in a store. */
export interface CorpusFiles {
  readonly folder: string;
  /** Where they are, for messages. */
  readonly place: string;
  /** The object that has the bytes of a file; undefined if it is in no store. */
  of(path: string): ObjectId | undefined;
  /** The stored files whose paths begin with `prefix`. */
  below(prefix: string): Iterable<StoredFile>;
  /** Makes sure that a complete file is here, by its size; false if it is nowhere. */
  bring(path: string, signal?: AbortSignal): Promise<boolean>;
  /** Fetches stored files that are not here. */
  bringAll(prefix: string, isWanted?: (path: string) => boolean, signal?: AbortSignal): Promise<Moved>;
  /** Stores files, then appends their lines and others; false if the lease was lost: nothing was appended. */
  save(paths: readonly string[], saving?: Saving): Promise<boolean>;
  /** Whether lines that were not copied yet say that one of these files is stored. */
  isJustSaved(paths: readonly string[]): Promise<boolean>;
  /** Takes over what other machines have appended. */
  refresh(): Promise<void>;
}

/** Files that are in the folder only. */
export class FolderFiles implements CorpusFiles {
  readonly folder: string;
  readonly place: string;
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
    this.folder = journal.logs.path;
    this.place = this.folder;
  }

  of(): undefined {
    return undefined;
  }

  below(): StoredFile[] {
    return [];
  }

  async bring(path: string): Promise<boolean> {
    return isFile(join(this.folder, path));
  }

  async bringAll(): Promise<Moved> {
    return { files: 0, bytes: 0 };
  }

  save(_paths: readonly string[], { lines = [], lease }: Saving = {}): Promise<boolean> {
    return this.#journal.append(lines, lease);
  }

  async isJustSaved(): Promise<boolean> {
    return false;
  }

  async refresh(): Promise<void> {
    await this.#journal.refresh();
  }
}

/** Files fetched or uploaded at the same time. */
const TOGETHER = 8;
/** Files saved here whose lines were not ingested yet. */
const MOST_RECENT = 1_000;

export interface StoredFilesOptions {
  readonly journal: Journal;
  readonly store: CorpusStore;
  readonly objects: ObjectStore;
  readonly clock: Clock;
}

/** Files that are also in a store: `objects.jsonl` says which object is which file, and the database how it stands. */
export class StoredFiles implements CorpusFiles {
  readonly folder: string;
  readonly objects: ObjectStore;
  readonly #journal: Journal;
  readonly #store: CorpusStore;
  readonly #clock: Clock;
  readonly #recent = new Map<string, StoredFile>();
  /** By path, the object that `bringNew` has brought last. */
  readonly #brought = new Map<string, string>();
  readonly #stamps = new Map<string, { readonly version: string; readonly stamp: string }>();
  #refreshing: Promise<void> = Promise.resolve();

  constructor({ journal, store, objects, clock }: StoredFilesOptions) {
    this.folder = journal.logs.path;
    this.objects = objects;
    this.#journal = journal;
    this.#store = store;
    this.#clock = clock;
  }

  get place(): string {
    return this.objects.name;
  }

  of(path: string): ObjectId | undefined {
    return this.#recent.get(path) ?? storedFile(this.#store, path);
  }

  below(prefix: string): Iterable<StoredFile> {
    this.#store.ingest();
    return storedFiles(this.#store, prefix);
  }

  /** Whether an object has the bytes of any file. */
  isReferred(sha256: string): boolean {
    return isReferred(this.#store, sha256);
  }

  async bring(path: string, signal?: AbortSignal): Promise<boolean> {
    const object = this.of(path);
    const file = join(this.folder, path);
    if (!object) return isFile(file);
    // A file whose row was refused may have the same size.
    const isHere = sizeOf(file) === object.bytes && (await sha256File(file)) === object.sha256;
    if (!isHere) await this.objects.get(object, file, signal).catch(namingFile(path));
    return true;
  }

  async bringAll(
    prefix: string,
    isWanted: (path: string) => boolean = () => true,
    signal?: AbortSignal,
  ): Promise<Moved> {
    let [files, bytes] = [0, 0];
    const waiting = [...this.below(prefix)].filter(
      (each) => isWanted(each.path) && sizeOf(join(this.folder, each.path)) !== each.bytes,
    );
    await forEachOf(waiting, TOGETHER, async (next) => {
      signal?.throwIfAborted();
      await this.bring(next.path, signal);
      files += 1;
      bytes += next.bytes;
    });
    return { files, bytes };
  }

  /** Fetches files below a prefix that are not here as they were stored last; those brought before are not read again. */
  async bringNew(prefix: string, isWanted: (path: string) => boolean = () => true): Promise<void> {
    const waiting = [...storedFiles(this.#store, prefix)].filter(
      ({ path, sha256 }) => isWanted(path) && this.#brought.get(path) !== sha256,
    );
    await forEachOf(waiting, TOGETHER, async ({ path, sha256 }) => {
      await this.bring(path);
      this.#brought.set(path, sha256);
    });
  }

  /** Changes when a file below a prefix is stored, on any machine. */
  stamp(prefix: string): string {
    const { version } = this.#store;
    const known = this.#stamps.get(prefix);
    if (known?.version === version) return known.stamp;
    const lines = Array.from(storedFiles(this.#store, prefix), ({ path, sha256 }) => `${path} ${sha256}`);
    const stamp = lines.length === 0 ? '' : sha256Of(lines.join('\n')).slice(0, 16);
    this.#stamps.set(prefix, { version, stamp });
    return stamp;
  }

  async save(
    paths: readonly string[],
    { object, lines = [], from = this.folder, lease }: Saving = {},
  ): Promise<boolean> {
    // A machine that was suspended stores nothing.
    if (lease && !(await lease.isHeld())) return false;
    const stored = await this.#put(paths, from, object);
    const at = new Date(this.#clock.now()).toISOString();
    const entry = { log: 'objects', lines: stored.map((file) => JSON.stringify({ ...file, at })) } as const;
    if (!(await this.#journal.append([entry, ...lines], lease))) return false;
    for (const file of stored) this.#recent.set(file.path, file);
    if (this.#recent.size >= MOST_RECENT) await this.refresh();
    return true;
  }

  async isJustSaved(paths: readonly string[]): Promise<boolean> {
    const lines = await this.#journal.unread('objects');
    // Others may have been copied a moment ago, and are known when they are ingested.
    await this.#refreshing;
    return lines.some((line) => {
      const saved = parseJson(line) as { readonly path?: string } | undefined;
      return saved?.path !== undefined && paths.includes(saved.path);
    });
  }

  async refresh(): Promise<void> {
    const refreshed = this.#refresh();
    this.#refreshing = refreshed.catch(() => undefined);
    await refreshed;
  }

  async #refresh(): Promise<void> {
    const appended = [...this.#recent];
    await this.#journal.refresh();
    this.#store.ingest();
    // Their lines are ingested now; a file may have been saved again meanwhile.
    for (const [path, file] of appended) if (this.#recent.get(path) === file) this.#recent.delete(path);
  }

  /** Uploads what the store lacks and this folder has, with the bytes of the log; returns what nobody has here. */
  async pushAll(signal?: AbortSignal): Promise<Moved & { readonly absent: readonly string[] }> {
    let [files, bytes] = [0, 0];
    const absent: string[] = [];
    await forEachOf([...this.below('')], TOGETHER, async ({ path, ...object }) => {
      signal?.throwIfAborted();
      if ((await this.objects.head(object.sha256, signal)) === object.bytes) return;
      const file = join(this.folder, path);
      if (sizeOf(file) !== object.bytes || (await sha256File(file)) !== object.sha256) return void absent.push(path);
      // An object of another size is damaged, and would be taken for the file.
      await this.objects.remove(object.sha256, signal);
      await this.objects.put(file, object, signal);
      files += 1;
      bytes += object.bytes;
    });
    return { files, bytes, absent: absent.sort() };
  }

  /** Stores what is new of these files: the bytes are there before any line refers to them. */
  async #put(paths: readonly string[], from: string, known: ObjectId | undefined): Promise<StoredFile[]> {
    const stored: StoredFile[] = [];
    for (const path of paths) {
      if (!isSharedPath(path)) throw new AppError('OBJECT_PATH', `${path} is not a file that a corpus shares`);
      const file = join(from, path);
      const object = known ?? { sha256: await sha256File(file), bytes: statSync(file).size };
      if (this.of(path)?.sha256 === object.sha256) continue;
      await this.objects.put(file, object);
      stored.push({ path, sha256: object.sha256, bytes: object.bytes });
    }
    return stored;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

/** Names the file in an error about its object, and the command that mends it. */
function namingFile(path: string): (error: unknown) => never {
  return (error) => {
    const isKnown = error instanceof AppError && ['OBJECT_MISSING', 'OBJECT_DAMAGED'].includes(error.code);
    if (!isKnown) throw error;
    throw new AppError(error.code, `${path}: ${error.message}`, {
      hint: 'docstokg store RUN --store URL --push, on a machine that has the file, uploads it again',
      cause: error,
    });
  };
}
