import { closeSync, copyFileSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { readSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import type { Clock } from './clock.ts';
import { describeDiskError, sqliteCode } from './errors.ts';
import { FileLock } from './file-lock.ts';
import { renameFile } from './files.ts';

const MAGIC = 'SQLite format 3\0';
/** SQLite's result codes for a damaged file and for a file that is not a database. */
const DAMAGED = new Set([11, 26]);
const NEWLINE = 0x0a;

export type Warn = (message: string) => void;

export function isDamaged(error: unknown): boolean {
  return DAMAGED.has(sqliteCode(error) ?? 0);
}

/** Opens a database, after moving a damaged one aside. A file that never was a database is not touched. */
export function openOrSetAside<T>(path: string, open: () => T, warn: Warn | undefined): T {
  try {
    return open();
  } catch (error) {
    const damage = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (!isDamaged(damage) || !looksLikeDatabase(path)) throw describeDiskError(error, path);
    setDatabaseAside(path, warn);
    return open();
  }
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

/** Call after closing a database that turned out damaged: moves it aside unless another process already did. */
export function setAsideIfDamaged(path: string, warn: Warn | undefined): void {
  if (existsSync(path) && !isSound(path)) setDatabaseAside(path, warn);
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

function looksLikeDatabase(path: string): boolean {
  if (/\.sqlite3?$/.test(path)) return true;
  const head = Buffer.alloc(MAGIC.length);
  withFile(path, 'r', (descriptor) => readSync(descriptor, head));
  return head.toString('latin1') === MAGIC;
}

function setDatabaseAside(path: string, warn: Warn | undefined): void {
  const aside = asideName(path);
  for (const ending of ['', '-wal', '-shm']) if (existsSync(path + ending)) renameFile(path + ending, aside + ending);
  warn?.(`${path} is damaged: it was moved to ${aside}, and a new one is created`);
}

function asideName(path: string): string {
  let number = 1;
  while (existsSync(`${path}.damaged-${number}`)) number += 1;
  return `${path}.damaged-${number}`;
}

/** Copies a JSONL file aside and removes invalid lines in place, because other processes may have it open. */
export async function setLinesAside(
  path: string,
  isGood: (line: string) => boolean,
  { clock, warn }: { readonly clock: Clock; readonly warn?: Warn | undefined },
): Promise<void> {
  using lock = new FileLock(`${path}.lock`, clock);
  await lock.hold(() => {
    const bytes = readFileSync(path);
    const good: Buffer[] = [];
    const bad: number[] = [];
    let line = 0;
    for (let from = 0, end = bytes.indexOf(NEWLINE); end !== -1; from = end + 1, end = bytes.indexOf(NEWLINE, from)) {
      line += 1;
      const text = bytes.subarray(from, end + 1);
      if (isGood(text.toString('utf8'))) good.push(text);
      else bad.push(line);
    }
    if (bad.length === 0) return;
    const aside = asideName(path);
    copyFileSync(path, aside);
    withFile(aside, 'r+', fsyncSync);
    rewrite(path, Buffer.concat(good));
    const where = bad.length > 5 ? `${bad.length} lines` : `line ${bad.join(', ')}`;
    warn?.(`${path} is damaged (${where}): the file was copied to ${aside}; its readable lines are kept`);
  });
}

function rewrite(path: string, bytes: Buffer): void {
  withFile(path, 'r+', (descriptor) => {
    writeFileSync(descriptor, bytes);
    ftruncateSync(descriptor, bytes.length);
    fsyncSync(descriptor);
  });
}

function withFile(path: string, flags: string, work: (descriptor: number) => void): void {
  const descriptor = openSync(path, flags);
  try {
    work(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
