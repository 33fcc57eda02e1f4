import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** A log of a corpus folder: the name of its cursor, the kind of its lines, and its path. */
export interface LogFile {
  readonly name: string;
  readonly kind: 'manifest' | 'records' | 'decisions' | 'hosts' | 'doctags' | 'chunk' | 'embed';
  readonly path: string;
}

/** How far a log was read, and the bytes that identify it. */
export interface LogCursor {
  readonly bytes: number;
  readonly headBytes: number;
  readonly head: string;
  readonly tail: string;
}

export const START: LogCursor = { bytes: 0, headBytes: 0, head: '', tail: '' };

const KNOWN_BYTES = 1_024;
const NEWLINE = 0x0a;
const STAGES = ['doctags', 'chunk', 'embed'] as const;
const ROTATED = /^manifest\.\d{4}\.jsonl$/;

/** The existing logs, in the order in which they are read. */
export function logsIn(folder: string, manifests: string): LogFile[] {
  const log = (kind: LogFile['kind'], name: string, path = join(folder, name)): LogFile => ({ name, kind, path });
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return [
    ...names
      .filter((name) => ROTATED.test(name))
      .sort()
      .map((name) => log('manifest', name)),
    log('manifest', 'manifest.jsonl'),
    log('records', 'records.jsonl'),
    log('decisions', 'decisions.jsonl'),
    log('hosts', 'hosts.jsonl'),
    ...STAGES.map((stage) => {
      const name = `docparse.${stage}.manifest.jsonl`;
      return log(stage, name, join(manifests, name));
    }),
  ].filter(({ path }) => existsSync(path));
}

/** Complete lines of a log after a cursor, about `maxBytes` of them. Undefined if the file is not the cursor's. */
export function readLines(
  path: string,
  from: LogCursor,
  maxBytes: number,
): { readonly lines: readonly string[]; readonly cursor: LogCursor; readonly isEnd: boolean } | undefined {
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    if (!isSame(descriptor, size, from)) return undefined;
    const bytes = wholeLines(descriptor, from.bytes, size, maxBytes);
    if (bytes.length === 0) return { lines: [], cursor: from, isEnd: true };
    const end = from.bytes + bytes.length;
    const headBytes = Math.min(KNOWN_BYTES, end);
    const cursor = {
      bytes: end,
      headBytes,
      head: from.headBytes === KNOWN_BYTES ? from.head : hashAt(descriptor, 0, headBytes),
      tail: hashAt(descriptor, Math.max(0, end - KNOWN_BYTES), Math.min(KNOWN_BYTES, end)),
    };
    const lines = bytes.toString('utf8').split('\n').slice(0, -1);
    return { lines, cursor, isEnd: end === size };
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

function isSame(descriptor: number, size: number, { bytes, headBytes, head, tail }: LogCursor): boolean {
  if (bytes === 0) return true;
  if (size < bytes || hashAt(descriptor, 0, headBytes) !== head) return false;
  return hashAt(descriptor, Math.max(0, bytes - KNOWN_BYTES), Math.min(KNOWN_BYTES, bytes)) === tail;
}

function hashAt(descriptor: number, from: number, length: number): string {
  return createHash('sha256')
    .update(readAt(descriptor, from, length))
    .digest('base64url');
}

function readAt(descriptor: number, from: number, length: number): Buffer {
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

const BLOCK = 65_536;

/**
 * Appends complete lines to a log; with `isSynced`, they are on disk when it returns. First cuts off an incomplete line
 * left by a killed process. Call it inside a database transaction, which only one process can hold.
 */
export function appendLine(path: string, text: string, isSynced = false): void {
  const descriptor = openSync(path, 'a+');
  try {
    const { size } = fstatSync(descriptor);
    const end = endOfLines(descriptor, size);
    if (end < size) ftruncateSync(descriptor, end);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
    if (isSynced) fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function endOfLines(descriptor: number, size: number): number {
  const block = Buffer.allocUnsafe(BLOCK);
  for (let end = size; end > 0;) {
    const from = Math.max(0, end - BLOCK);
    const read = readSync(descriptor, block, 0, end - from, from);
    const at = block.subarray(0, read).lastIndexOf(NEWLINE);
    if (at !== -1) return from + at + 1;
    end = from;
  }
  return 0;
}
