import { renameSync } from 'node:fs';

/** What Windows answers while a virus scanner or an indexer has the file open; it is over in a moment. */
const PASSING = new Set(['EPERM', 'EBUSY', 'EACCES']);
const TRIES = 8;
const FIRST_WAIT_MS = 5;

/**
 * Gives a file another name, and tries again for half a second where somebody else looks at it just now. On the thread
 * itself: a rename costs less than the way to another thread and back, and waiting is rare.
 */
export function renameFile(from: string, to: string): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
      if (!PASSING.has(code) || attempt === TRIES) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FIRST_WAIT_MS * 2 ** (attempt - 1));
  }
}
