import { createHash } from 'node:crypto';
import { closeSync, fdatasyncSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs';

import { cutTornLine, describeDiskError, FileLock, systemClock } from '../base/index.ts';

/** How far a log was read, and hashes of bytes that identify the file. */
export interface LogCursor {
  readonly bytes: number;
  readonly head_bytes: number;
  readonly head: string;
  readonly tail: string;
}

/** Before the first line. */
export const START: LogCursor = { bytes: 0, head_bytes: 0, head: '', tail: '' };

const KNOWN_BYTES = 1_024;
const PIECE_BYTES = 1 << 20;
const NEWLINE = 0x0a;

/** Complete lines of a log, as bytes and as texts, and the cursor after them. */
export interface LogPiece {
  readonly bytes: Buffer;
  readonly lines: readonly string[];
  readonly cursor: LogCursor;
  readonly isEnd: boolean;
}

/** Complete lines of a log after a cursor, about `maxBytes` of them. Undefined if the file is not the cursor's. */
export function readLines(path: string, from: LogCursor, maxBytes: number): LogPiece | undefined {
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    if (!isSame(descriptor, size, from)) return undefined;
    const bytes = wholeLines(descriptor, from.bytes, size, maxBytes);
    if (bytes.length === 0) return { bytes, lines: [], cursor: from, isEnd: true };
    const end = from.bytes + bytes.length;
    const known = Math.min(KNOWN_BYTES, end);
    const cursor = {
      bytes: end,
      head_bytes: known,
      head: from.head_bytes === KNOWN_BYTES ? from.head : hashAt(descriptor, 0, known),
      tail: hashAt(descriptor, end - known, known),
    };
    const lines = bytes.toString('utf8').split('\n').slice(0, -1);
    return { bytes, lines, cursor, isEnd: end === size };
  } finally {
    closeSync(descriptor);
  }
}

/** The complete lines of a file, without their line breaks. */
export function* linesOf(path: string): Generator<Buffer> {
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    let at = 0;
    for (;;) {
      const piece = wholeLines(descriptor, at, size, PIECE_BYTES);
      if (piece.length === 0) return;
      let from = 0;
      while (from < piece.length) {
        const end = piece.indexOf(NEWLINE, from);
        yield piece.subarray(from, end);
        from = end + 1;
      }
      at += piece.length;
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Whether a file is the one that a cursor belongs to, even if it was renamed. */
export function isSameLog(path: string, cursor: LogCursor): boolean {
  const descriptor = openSync(path, 'r');
  try {
    return isSame(descriptor, fstatSync(descriptor).size, cursor);
  } finally {
    closeSync(descriptor);
  }
}

function isSame(descriptor: number, size: number, { bytes, head_bytes: known, head, tail }: LogCursor): boolean {
  if (bytes === 0) return true;
  if (size < bytes || hashAt(descriptor, 0, known) !== head) return false;
  return hashAt(descriptor, bytes - known, known) === tail;
}

function hashAt(descriptor: number, from: number, length: number): string {
  return createHash('sha256')
    .update(readAt(descriptor, from, length))
    .digest('base64url');
}

/** Bytes of a file from a position; fewer if it ends before. */
export function readAt(descriptor: number, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  while (at < length) {
    const read = readSync(descriptor, bytes, at, length - at, from + at);
    if (read === 0) break;
    at += read;
  }
  return bytes.subarray(0, at);
}

/** Bytes up to the last line break; a line longer than the piece is read to its end. */
function wholeLines(descriptor: number, from: number, size: number, maxBytes: number): Buffer {
  for (let length = Math.min(size - from, maxBytes); length > 0; length = Math.min(size - from, length * 4)) {
    const bytes = readAt(descriptor, from, length);
    const end = bytes.lastIndexOf(NEWLINE);
    if (end !== -1) return bytes.subarray(0, end + 1);
    if (length === size - from) break;
  }
  return Buffer.alloc(0);
}

/** Appends complete lines at once, after cutting off an incomplete one; `isSynced` waits until they are on disk. */
export function appendNow(path: string, lines: readonly string[], isSynced: boolean): void {
  let descriptor: number | undefined;
  try {
    // Appenders of all processes take turns.
    using lock = new FileLock(`${path}.lock`, systemClock);
    descriptor = openSync(path, 'a+');
    const file = descriptor;
    lock.holdNow(() => {
      cutTornLine(path, file);
      writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
    });
    if (isSynced) fdatasyncSync(descriptor);
  } catch (error) {
    throw describeDiskError(error, path);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
