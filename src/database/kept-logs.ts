import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SQLInputValue } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

import type { Warn } from '../base/index.ts';
import {
  AppError,
  asideName,
  describeDiskError,
  FileLock,
  fieldsOf,
  isDamaged,
  parseJson,
  partPath,
  sha256,
  sqliteCode,
  systemClock,
} from '../base/index.ts';
import type { LogFile, LogFolder } from '../journal/index.ts';
import { appendNow, isFleetFolder, linesOf, readAt } from '../journal/index.ts';
import type { CorpusSql } from './corpus-sql.ts';

const PARAMS = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
const NEWLINE = Buffer.from('\n');

/** What was wrong with a log, and where the file is as it was; `copy` is null if all of it is still in the log. */
export interface Mended {
  readonly fault: 'missing' | 'cut off' | 'changed';
  /** Complete lines that only the file had. */
  readonly added: number;
  readonly copy: string | null;
}

/**
 * The bytes of each log up to its cursor, compressed, in the database. A log is only ever appended to: one that is
 * missing, shorter or different was lost or damaged, and is written again from here.
 */
export class KeptLogs {
  readonly #sql: Pick<CorpusSql, 'iterate'>;

  constructor(sql: Pick<CorpusSql, 'iterate'>) {
    this.#sql = sql;
  }

  /** Whether the file begins with every byte that was read from it. */
  isWhole({ name, path }: Pick<LogFile, 'name' | 'path'>): boolean {
    return existsSync(path) && this.#common(name, path).isWhole;
  }

  /**
   * Writes the log again, followed by complete lines that only the file has: lines of a fleet come from its server
   * instead (`isCopy`). A file whose bytes are not all in the new one is copied aside first.
   */
  mend({ name, path }: Pick<LogFile, 'name' | 'path'>, bytes: number, isCopy: boolean): Mended | undefined {
    using lock = new FileLock(`${path}.lock`, systemClock);
    return lock.holdNow(() => {
      const isThere = existsSync(path);
      const { isWhole, isPrefix } = isThere ? this.#common(name, path) : { isWhole: false, isPrefix: true };
      if (isWhole) return undefined;
      const part = partPath(path);
      const descriptor = openSync(part, 'wx');
      let added = 0;
      try {
        const known = isPrefix || isCopy ? undefined : new KnownLines();
        let length = 0;
        for (const piece of this.#pieces(name)) {
          write(descriptor, piece);
          length += piece.length;
          known?.add(piece);
        }
        if (length !== bytes)
          throw new AppError('CORPUS_DAMAGED', `corpus.sqlite has only ${length} of ${bytes} bytes of ${path}`, {
            hint: 'put a copy of the log back, or delete corpus.sqlite to go on with the log as it is',
          });
        let at = 0;
        for (const line of known ? linesOf(path) : []) {
          if (!known?.has(line, at)) {
            write(descriptor, Buffer.concat([line, NEWLINE]));
            added += 1;
          }
          at += line.length + 1;
        }
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      const copy = isPrefix ? null : asideName(path);
      if (copy !== null) copyFileSync(path, copy);
      renameSync(part, path);
      syncFolderNow(dirname(path));
      return { fault: isThere ? (isPrefix ? 'cut off' : 'changed') : 'missing', added, copy };
    });
  }

  /** Whether the file begins with what was kept, or what was kept begins with the file. */
  #common(name: string, path: string): { readonly isWhole: boolean; readonly isPrefix: boolean } {
    const { size } = statSync(path);
    const descriptor = openSync(path, 'r');
    let at = 0;
    try {
      for (const piece of this.#pieces(name)) {
        const found = readAt(descriptor, at, piece.length);
        const isEqual = piece.subarray(0, found.length).equals(found);
        if (!isEqual || found.length < piece.length)
          return { isWhole: false, isPrefix: isEqual && size <= at + found.length };
        at += piece.length;
      }
      return { isWhole: true, isPrefix: size === at };
    } finally {
      closeSync(descriptor);
    }
  }

  /**
   * Appends what can be read of the pieces and the file does not have, from a database that is damaged itself. Returns
   * the number of lines.
   */
  salvage({ name, path }: Pick<LogFile, 'name' | 'path'>): number {
    const present = new Set<string>();
    for (const line of existsSync(path) ? linesOf(path) : []) present.add(sha256(line));
    const lost: string[] = [];
    try {
      for (const piece of this.#pieces(name))
        for (const line of piece.toString('utf8').split('\n').slice(0, -1))
          if (!present.has(sha256(line))) lost.push(line);
    } catch (error) {
      // The rest of them cannot be read.
      if (!(error instanceof AppError) && !isDamaged(error)) throw error;
    }
    if (lost.length > 0) appendNow(path, lost, true);
    return lost.length;
  }

  *#pieces(name: string): Generator<Buffer> {
    const rows = this.#sql.iterate<{ start: number; content: Uint8Array }>(
      'select start, content from log_pieces where log = ? order by start',
      name,
    );
    for (const { start, content } of rows) yield unpacked(content, `${name} at byte ${start}`);
  }
}

/** A piece of a log as the database has it; `keep` it in the transaction that moves the cursor. */
export function packed(content: Buffer): Uint8Array {
  return zstdCompressSync(content, { params: PARAMS });
}

function unpacked(content: Uint8Array, what: string): Buffer {
  try {
    return zstdDecompressSync(content);
  } catch (error) {
    throw new AppError('CORPUS_DAMAGED', `corpus.sqlite is damaged: its copy of ${what} cannot be read`, {
      hint: 'docstokg reindex builds it again',
      cause: error,
    });
  }
}

/**
 * Gives logs back what only a damaged database, which was moved aside, still has of them; tells how many lines of which
 * log were written.
 */
export function salvageLogs(aside: string, logs: LogFolder, warn: Warn): void {
  // The lines of a fleet are copied from its server again.
  if (isFleetFolder(logs.path)) return;
  try {
    using database = new DatabaseSync(aside, { readOnly: true });
    const kept = new KeptLogs({
      iterate: <T>(sql: string, ...values: readonly unknown[]) =>
        database.prepare(sql).iterate(...(values as SQLInputValue[])) as Generator<T, void>,
    });
    const read = database.prepare('select name, bytes from logs where bytes > 0').all() as {
      name: string;
      bytes: number;
    }[];
    for (const { name, bytes } of read) {
      const log = logs.named(name);
      let lines: number | undefined;
      try {
        if (!kept.mend(log, bytes, false)) continue;
      } catch (error) {
        if (!(error instanceof AppError) && !isDamaged(error)) throw error;
        lines = kept.salvage(log);
        if (lines === 0) continue;
      }
      warn(`${log.path}: ${lines ?? 'all'} lines that were missing or damaged were written again from ${aside}`);
    }
  } catch (error) {
    // Nothing can be read of it: the logs are all there is.
    if (!isDamaged(error) && sqliteCode(error) !== 1) throw describeDiskError(error, aside);
  }
}

/** Tells lines that only a file has from those that were read, and from those that were damaged since. */
class KnownLines {
  readonly #texts = new Set<string>();
  /** By where a line begins, how long it is. */
  readonly #lengths = new Map<number, number>();
  #bytes = 0;

  /** Pieces are added in their order. */
  add(piece: Buffer): void {
    for (let from = 0, end = piece.indexOf(NEWLINE); end !== -1; from = end + 1, end = piece.indexOf(NEWLINE, from)) {
      this.#texts.add(sha256(piece.subarray(from, end)));
      this.#lengths.set(this.#bytes + from, end - from);
    }
    this.#bytes += piece.length;
  }

  /** A line of the same length in the same place is a damaged one, and so is one that is no JSON object. */
  has(line: Buffer, at: number): boolean {
    if (this.#lengths.get(at) === line.length || this.#texts.has(sha256(line))) return true;
    return Object.keys(fieldsOf(parseJson(line.toString('utf8')))).length === 0;
  }
}

function write(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}

function syncFolderNow(folder: string): void {
  // Windows cannot open a folder for this; NTFS journals the rename itself.
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
