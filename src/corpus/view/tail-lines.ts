import { open } from 'node:fs/promises';

const NEWLINE = 0x0a;
/** A line that is longer is no row of ours and is skipped. */
const LONGEST_LINE = 4_000_000;

/** Follows a text file that others append to: answers the whole lines that came since it was last asked. */
export class TailLines {
  readonly #path: string;
  #file: bigint | undefined;
  #offset = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * The next lines, of at most about `maxBytes`; `more` says that others wait. A file that was replaced or cut is read
   * anew, which `isAnew` says.
   */
  async read(
    maxBytes: number,
  ): Promise<{ readonly lines: readonly string[]; readonly more: boolean; readonly isAnew: boolean }> {
    let handle;
    try {
      handle = await open(this.#path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      const isAnew = this.#offset > 0;
      this.#offset = 0;
      this.#file = undefined;
      return { lines: [], more: false, isAnew };
    }
    try {
      const { size, ino } = await handle.stat({ bigint: true });
      const isAnew = this.#file !== undefined && (ino !== this.#file || Number(size) < this.#offset);
      if (isAnew) this.#offset = 0;
      this.#file = ino;
      const left = Number(size) - this.#offset;
      if (left === 0) return { lines: [], more: false, isAnew };
      let bytes = Buffer.alloc(Math.min(left, maxBytes));
      let { bytesRead } = await handle.read(bytes, 0, bytes.length, this.#offset);
      let end = bytes.lastIndexOf(NEWLINE, bytesRead - 1);
      if (end === -1 && left > bytesRead && maxBytes < LONGEST_LINE) {
        bytes = Buffer.alloc(Math.min(left, LONGEST_LINE));
        ({ bytesRead } = await handle.read(bytes, 0, bytes.length, this.#offset));
        end = bytes.lastIndexOf(NEWLINE, bytesRead - 1);
      }
      if (end === -1) {
        // A line without an end is being written; one that nobody can hold is skipped piece by piece.
        if (bytesRead >= LONGEST_LINE) this.#offset += bytesRead;
        return { lines: [], more: bytesRead >= LONGEST_LINE, isAnew };
      }
      this.#offset += end + 1;
      const lines = bytes
        .toString('utf8', 0, end)
        .split('\n')
        .filter((line) => line !== '');
      return { lines, more: Number(size) > this.#offset && left > maxBytes, isAnew };
    } finally {
      await handle.close();
    }
  }
}
