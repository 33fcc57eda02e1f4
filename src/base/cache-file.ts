import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { Warn } from './damaged-file.ts';
import { inTransaction, isDamaged, openOrSetAside, setAsideIfDamaged } from './damaged-file.ts';
import { AppError, describeDiskError } from './errors.ts';

interface CacheOptions<S> {
  readonly version: number;
  /** Creates the tables, also in a file of an earlier version. */
  readonly schema: string;
  /** Settings that apply before there are tables. */
  readonly pragmas?: string;
  /** Called whenever the file is opened. */
  readonly prepare: (database: DatabaseSync) => S;
  readonly warn?: Warn | undefined;
}

/** A cache in SQLite, shared by processes. A damaged file is replaced: no run fails because of a cache. */
export class CacheFile<S> implements Disposable {
  readonly #path: string;
  readonly #options: CacheOptions<S>;
  #database!: DatabaseSync;
  #prepared!: S;

  /** `:memory:` lasts as long as the process. */
  constructor(path: string, options: CacheOptions<S>) {
    this.#path = path;
    this.#options = options;
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
    this.#open();
  }

  /** The result of `work`; undefined if the file was damaged and has been replaced. */
  use<T>(work: (prepared: S, database: DatabaseSync) => T): T | undefined {
    try {
      return work(this.#prepared, this.#database);
    } catch (error) {
      if (!isDamaged(error)) throw describeDiskError(error, this.#path);
      this.#database.close();
      setAsideIfDamaged(this.#path, this.#options.warn);
      this.#open();
      return undefined;
    }
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  #open(): void {
    this.#database = openOrSetAside(this.#path, () => openDatabase(this.#path, this.#options), this.#options.warn);
    this.#prepared = this.#options.prepare(this.#database);
  }
}

function openDatabase(
  path: string,
  { version, schema, pragmas = '' }: Omit<CacheOptions<unknown>, 'prepare'>,
): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    const opened = (database = new DatabaseSync(path, { timeout: 10_000 }));
    // A power cut may lose the last entries, but never corrupts the file.
    opened.exec(`${pragmas}; pragma journal_mode = wal; pragma synchronous = normal`);
    inTransaction(opened, () => {
      const found = Number(opened.prepare('pragma user_version').get()?.['user_version']);
      if (found > version)
        throw new AppError('CACHE_NEWER', `${path} was written by a newer version`, { hint: 'upgrade docstokg' });
      if (found < version) opened.exec(`${schema}; pragma user_version = ${version}`);
    });
    return opened;
  } catch (cause) {
    database?.close();
    if (!isDamaged(cause)) throw cause;
    throw new AppError('CACHE_UNUSABLE', `${path} is not a usable cache`, {
      hint: 'name another file in the settings, or remove this one',
      cause,
    });
  }
}
