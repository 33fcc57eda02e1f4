import { AppError, freeSpace } from '../../base/index.ts';

/** Primary SQLite result codes, of which the extended ones are refinements. */
const CODES = { busy: 5, locked: 6, readOnly: 8, io: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 };

function resultCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined;
}

/** True when another process holds the lock, so that trying again is right. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === CODES.busy || code === CODES.locked;
}

/** What went wrong with the file, said so that a person can act. */
export function describeSqliteError(error: unknown, path: string): unknown {
  const reason = error instanceof Error ? error.message : String(error);
  switch (resultCode(error) ?? 0) {
    case CODES.full:
      return new AppError('QUEUE_DISK_FULL', `${path} cannot grow: the disk is full (${freeSpace(path)})`, {
        hint: 'free some space and start again; every job that was accepted is still there',
        cause: error,
      });
    case CODES.readOnly:
      return new AppError('QUEUE_READ_ONLY', `${path} cannot be written`, {
        hint: 'check the permissions of the file and of its folder, which must be writable too',
        cause: error,
      });
    case CODES.io:
      return new AppError('QUEUE_IO_ERROR', `${path} cannot be read or written: ${reason} (${freeSpace(path)})`, {
        hint: 'check the disk; every job that was accepted before is still there',
        cause: error,
      });
    case CODES.corrupt:
      return new AppError('QUEUE_DAMAGED', `${path} is damaged: ${reason}`, {
        hint: 'keep the file, restore a backup, or recover what is left with the sqlite3 command .recover',
        cause: error,
      });
    case CODES.notADatabase:
      return new AppError('QUEUE_NOT_A_DATABASE', `${path} is not a SQLite database`, {
        hint: 'choose another file with --queue or queue.path; this one was left as it is',
        cause: error,
      });
    case CODES.cannotOpen:
      return new AppError('QUEUE_CANNOT_OPEN', `${path} cannot be opened: ${reason}`, {
        hint: 'check that the path is a file in a folder you may write to',
        cause: error,
      });
    case CODES.busy:
    case CODES.locked:
      return new AppError('QUEUE_BUSY', `${path} stayed locked by another process`, {
        hint: 'find who holds it (a backup? a database browser?), or raise queue.timeout_sec',
        cause: error,
      });
    default:
      return error;
  }
}
