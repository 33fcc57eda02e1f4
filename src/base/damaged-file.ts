import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import { AppError, describeDiskError, hasCode, sqliteCode } from './errors.ts';
import { asideName, emitWarning, renameFile } from './files.ts';

/** SQLite's result codes for a damaged file and for a file that is not a database. */
const DAMAGED = new Set([11, 26]);
const HEADER_BYTES = 100;
/** Where the header of a SQLite file has the application id. */
const APPLICATION_AT = 68;

export type Warn = (message: string) => void;

export function isDamaged(error: unknown): boolean {
  return DAMAGED.has(sqliteCode(error) ?? 0);
}

/** Opens a database of ours (see `openOwnDatabase`), after moving a damaged one aside, to where `moved` is told. */
export function openOrSetAside<T>(
  path: string,
  open: () => T,
  warn: Warn = emitWarning,
  moved: (aside: string) => void = () => undefined,
): T {
  try {
    return open();
  } catch (error) {
    if (!isDamaged(error)) throw describeDiskError(error, path);
    moved(setDatabaseAside(path, warn));
    return open();
  }
}

/**
 * Opens or creates a SQLite file that has our mark, the four letters of `application`, in its header. A file of another
 * program is refused before anything is written to it. The mark is written before the file uses a write-ahead log, so
 * that the header always has it; `pragmas` come before it, because some apply only to an empty file, in one transaction
 * with it: some write the header, and a process may be killed after each.
 */
export function openOwnDatabase(
  path: string,
  application: string,
  { pragmas = '', ...options }: ConstructorParameters<typeof DatabaseSync>[1] & { readonly pragmas?: string } = {},
): DatabaseSync {
  const isNew = path === ':memory:' || path === '' || markOf(path, application) === 'new';
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, options);
    database.exec(isNew ? `begin; ${pragmas}; ${markPragma(application)}; commit` : pragmas);
    return database;
  } catch (error) {
    database?.close();
    throw error;
  }
}

/** Writes our mark into a database that has no tables yet. */
export function markPragma(application: string): string {
  return `pragma application_id = ${Buffer.from(application).readInt32BE()}`;
}

/** Whether a file has our mark; refuses any other file, `or` asks the caller about it. */
export function markOf(path: string, application: string, or: () => void = () => refuseForeign(path)): 'new' | 'ours' {
  const header = Buffer.alloc(HEADER_BYTES);
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 'new';
    throw describeDiskError(error, path);
  }
  try {
    if (fstatSync(descriptor).size === 0) return 'new';
    readSync(descriptor, header, 0, HEADER_BYTES, 0);
  } catch (error) {
    throw describeDiskError(error, path);
  } finally {
    closeSync(descriptor);
  }
  // Zeros are what a power cut leaves of a first page.
  const isOurs = header.toString('latin1', APPLICATION_AT, APPLICATION_AT + 4) === application;
  if (!isOurs && header.some((byte) => byte !== 0)) or();
  return 'ours';
}

function refuseForeign(path: string): never {
  throw new AppError('DATABASE_FOREIGN', `${path} is not a database of docstokg, or its first bytes are damaged`, {
    hint: 'it was not changed; move it away and run the same command again, or name another file',
  });
}

export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('begin immediate');
  try {
    const result = work();
    database.exec('commit');
    return result;
  } catch (error) {
    // On a full disk SQLite has already rolled back; an error here would hide the cause.
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

/**
 * Call after closing a database that turned out damaged: moves it aside unless another process already did. Returns
 * where it is then.
 */
export function setAsideIfDamaged(path: string, warn: Warn = emitWarning): string | undefined {
  return existsSync(path) && !isSound(path) ? setDatabaseAside(path, warn) : undefined;
}

function isSound(path: string): boolean {
  try {
    using database = new DatabaseSync(path, { timeout: 10_000 });
    return database.prepare('pragma quick_check(1)').get()?.['quick_check'] === 'ok';
  } catch (error) {
    if (isDamaged(error)) return false;
    throw describeDiskError(error, path);
  }
}

function setDatabaseAside(path: string, warn: Warn): string {
  const aside = asideName(path);
  for (const ending of ['', '-wal', '-shm']) if (existsSync(path + ending)) renameFile(path + ending, aside + ending);
  warn(`${path} is damaged: it was moved to ${aside}, and a new one is created`);
  return aside;
}
