import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';

export interface ErrorInfo {
  readonly code: string;
  readonly message: string;
}

/**
 * An error a person can act on: `code` is stable and documented, `message` says what happened and to what, `hint`
 * says what to do.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, options: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }
}

/** Code and message of anything thrown; `fallback` is the code of errors without one. */
export function errorInfo(error: unknown, fallback = 'UNEXPECTED'): ErrorInfo {
  if (error instanceof Error) {
    const code = 'code' in error && typeof error.code === 'string' ? error.code : fallback;
    return { code, message: error.message || error.name };
  }
  return { code: fallback, message: typeof error === 'string' ? error : (JSON.stringify(error) ?? String(error)) };
}

/** The original error, where clean-up threw others on top of it. */
export function firstError(error: unknown): unknown {
  return error instanceof SuppressedError ? firstError(error.suppressed) : error;
}

export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || ('code' in error && error.code === 'ABORT_ERR'));
}

const FULL = new Set(['ENOSPC', 'EDQUOT']);
const NOT_PERMITTED = new Set(['EACCES', 'EPERM']);
/** Result codes of SQLite that mean the same. */
const SQLITE = { readOnly: 8, io: 10, full: 13, cannotOpen: 14 };

/** Explains a disk error: which path, how much space is left, what to do. Returns any other error unchanged. */
export function describeDiskError(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const result =
    error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0;
  if (FULL.has(code) || result === SQLITE.full) {
    return new AppError(
      'DISK_FULL',
      `${path} cannot be written: the disk is full or the quota is used up (${freeSpace(path)})`,
      {
        hint: 'free some space and run the same command again; finished work is kept',
        cause: error,
      },
    );
  }
  if (code === 'EROFS' || result === SQLITE.readOnly) {
    return new AppError(
      'DISK_READ_ONLY',
      `${path} cannot be written: the disk or the file is read-only (${freeSpace(path)})`,
      {
        hint: 'check that the disk is not mounted read-only, and the permissions of the file and its folder',
        cause: error,
      },
    );
  }
  if (code === 'EMFILE' || code === 'ENFILE') {
    return new AppError('TOO_MANY_OPEN_FILES', `${path} cannot be opened: too many files are open (${code})`, {
      hint: 'raise the limit with ulimit -n, or use fewer workers, and run the same command again',
      cause: error,
    });
  }
  if (result === SQLITE.cannotOpen) {
    return new AppError('DISK_CANNOT_OPEN', `${path} cannot be opened`, {
      hint: 'check the permissions of the file and its folder; if many files are open, raise the limit with ulimit -n',
      cause: error,
    });
  }
  if (NOT_PERMITTED.has(code)) {
    return new AppError('DISK_NOT_PERMITTED', `${path} is not writable (${code}, ${freeSpace(path)})`, {
      hint: 'check the permissions of the file and its folder, and that no other program has it open',
      cause: error,
    });
  }
  if (code === 'EIO' || result === SQLITE.io) {
    return new AppError(
      'DISK_IO_ERROR',
      `${path} cannot be read or written: the disk reports an error (${freeSpace(path)})`,
      {
        hint: 'check the disk; the affected file is discarded and recreated by the next run',
        cause: error,
      },
    );
  }
  return error;
}

export function freeSpace(path: string): string {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return `${((bavail * bsize) / 1e6).toFixed(1)} MB free`;
  } catch {
    return 'free space unknown';
  }
}
