import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

import { AppError, asideName, FileLock, fieldsOf, parseJson, partPath, sha256, systemClock } from '../base/index.ts';
import type { CorpusStore } from './corpus-store.ts';
import type { LogFile } from './logs.ts';
import { linesOf, readAt } from './logs.ts';

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
  readonly #store: CorpusStore;

  constructor(store: CorpusStore) {
    this.#store = store;
  }

  /** Call in the transaction that moves the cursor. */
  keep(log: string, start: number, content: Buffer): void {
    if (content.length === 0) return;
    this.#store.insert('log_pieces', { log, start, content: zstdCompressSync(content, { params: PARAMS }) });
  }

  rename(from: string, to: string): void {
    this.#store.run('delete from log_pieces where log = ?', to);
    this.#store.run('update log_pieces set log = ? where log = ?', to, from);
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

  *#pieces(name: string): Generator<Buffer> {
    const rows = this.#store.iterate<{ content: Uint8Array }>(
      'select content from log_pieces where log = ? order by start',
      name,
    );
    for (const { content } of rows) yield zstdDecompressSync(content);
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
