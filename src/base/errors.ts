import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';

export interface ErrorInfo {
  readonly code: string;
  readonly message: string;
}

/** An error a person can act on: `code` is stable and documented, `hint` says what to do. */
export class AppError extends Error {
  /** Always `AppError`. */
  override readonly name = 'AppError';
  /** A stable name such as `CONFIG_INVALID`; `docs/reference/errors.md` lists all. */
  readonly code: string;
  /** What to do about it; undefined if nothing is known. */
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

/** An error for a log: its code and what to do; one without a code, which is a bug, with the place in the program. */
export function loggedError(error: unknown): string {
  if (error instanceof AppError) return `${error.code} ${error.message}${error.hint ? `; ${error.hint}` : ''}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code);
}

/** The original error, if clean-up threw others on top of it. */
export function firstError(error: unknown): unknown {
  return error instanceof SuppressedError ? firstError(error.suppressed) : error;
}

export function isAbort(error: unknown): boolean {
  return hasCode(error, 'ABORT_ERR') || (error instanceof Error && error.name === 'AbortError');
}

const DISK_FAULTS = [
  {
    code: 'DISK_FULL',
    system: ['ENOSPC', 'EDQUOT'],
    sqlite: 13,
    what: 'cannot be written: the disk is full or the quota is used up',
    hint: 'free some space and run the same command again; finished work is kept',
  },
  {
    code: 'DISK_READ_ONLY',
    system: ['EROFS'],
    sqlite: 8,
    what: 'cannot be written: the disk or the file is read-only',
    hint: 'check that the disk is not mounted read-only, and the permissions of the file and its folder',
  },
  {
    code: 'TOO_MANY_OPEN_FILES',
    system: ['EMFILE', 'ENFILE'],
    sqlite: null,
    what: 'cannot be opened: too many files are open',
    hint: 'raise the limit with ulimit -n, or use fewer workers, and run the same command again',
  },
  {
    code: 'DISK_CANNOT_OPEN',
    system: ['ENOTDIR', 'EEXIST', 'EISDIR'],
    sqlite: 14,
    what: 'cannot be opened',
    hint: 'check that it is a file in a writable folder; if many files are open, raise the limit with ulimit -n',
  },
  {
    code: 'DISK_NOT_PERMITTED',
    system: ['EACCES', 'EPERM', 'EBUSY'],
    sqlite: null,
    what: 'is not writable',
    hint: 'check the permissions of the file and its folder, and that no other program has it open',
  },
  {
    code: 'DISK_IO_ERROR',
    system: ['EIO'],
    sqlite: 10,
    what: 'cannot be read or written: the disk reports an error',
    hint: 'check the disk; the affected file is discarded and recreated by the next run',
  },
] as const;

export function isUnwritable(error: unknown): error is AppError {
  return error instanceof AppError && ['DISK_READ_ONLY', 'DISK_CANNOT_OPEN', 'DISK_NOT_PERMITTED'].includes(error.code);
}

/** The primary result code of an SQLite error; undefined for other errors. */
export function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined;
}

/** Like `describeDiskError`, for an error that names its path itself, as those of `node:fs` do. */
export function describeFileError(error: unknown): unknown {
  return error instanceof Error && 'path' in error && typeof error.path === 'string'
    ? describeDiskError(error, error.path)
    : error;
}

/** Explains a disk error: which path, how much space is left, what to do. Returns any other error unchanged. */
export function describeDiskError(error: unknown, path: string): unknown {
  const result = sqliteCode(error) ?? -1;
  const fault = DISK_FAULTS.find(({ system, sqlite }) => hasCode(error, ...system) || sqlite === result);
  if (!fault) return error;
  return new AppError(fault.code, `${path} ${fault.what} (${freeSpace(path)})`, { hint: fault.hint, cause: error });
}

export function freeSpace(path: string): string {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dirname(path));
    // Some file systems have no fixed number of files.
    const isCrowded = files > 0 && ffree === 0;
    return `${((bavail * bsize) / 1e6).toFixed(1)} MB free${isCrowded ? ', but no room for more files' : ''}`;
  } catch {
    return 'free space unknown';
  }
}
