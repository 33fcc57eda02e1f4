import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

import type { Warn } from './damaged-file.ts';
import { inTransaction, isDamaged, openOrSetAside, openOwnDatabase, setAsideIfDamaged } from './damaged-file.ts';
import { AppError, describeDiskError } from './errors.ts';

interface CacheOptions<S> {
  /** Four letters that mark the file: one of another program is refused. */
  readonly application: string;
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
  { application, version, schema, pragmas = '' }: Omit<CacheOptions<unknown>, 'prepare'>,
): DatabaseSync {
  const opened = openOwnDatabase(path, application, { timeout: 10_000, pragmas });
  try {
    // A power cut may lose the last entries, but never corrupts the file.
    opened.exec(`pragma journal_mode = wal; pragma synchronous = normal`);
    inTransaction(opened, () => {
      const found = Number(opened.prepare('pragma user_version').get()?.['user_version']);
      if (found > version)
        throw new AppError('CACHE_NEWER', `${path} was written by a newer version`, { hint: 'upgrade docstokg' });
      if (found < version) opened.exec(`${schema}; pragma user_version = ${version}`);
    });
    return opened;
  } catch (error) {
    opened.close();
    throw error;
  }
}
