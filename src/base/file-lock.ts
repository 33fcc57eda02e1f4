import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { Clock } from './clock.ts';
import { wait } from './clock.ts';
import { AppError } from './errors.ts';

const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 50;

/**
 * A lock between processes that the operating system itself releases when its holder dies, so nobody ever has to
 * unlock by hand. Node has no flock; SQLite takes the same kind of lock on every platform, so an empty database
 * beside the guarded file serves as the lock.
 */
export class FileLock implements Disposable {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #clock: Clock;

  constructor(path: string, clock: Clock) {
    mkdirSync(dirname(path), { recursive: true });
    this.#path = path;
    this.#clock = clock;
    this.#database = new DatabaseSync(path, { timeout: 0 });
  }

  /** Runs `work` while no other process or lock object holds the lock; `work` must not wait. */
  async hold<T>(
    work: () => T,
    options: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
  ): Promise<T> {
    const deadline = this.#clock.monotonic() + (options.timeoutMs ?? 30_000);
    let delayMs = FIRST_WAIT_MS;
    while (!this.#tryLock()) {
      if (this.#clock.monotonic() >= deadline) {
        throw new AppError('FILE_LOCKED', `${this.#path} is held by another process`, {
          hint: 'wait until the other process has finished, or look for one that hangs',
        });
      }
      await wait(this.#clock, delayMs, options.signal);
      delayMs = Math.min(LONGEST_WAIT_MS, delayMs * 2);
    }
    try {
      return work();
    } finally {
      this.#letGo();
    }
  }

  /** Takes the lock until the answer is disposed of or the process ends; undefined when somebody else has it. */
  tryTake(): Disposable | undefined {
    if (!this.#tryLock()) return undefined;
    return { [Symbol.dispose]: () => this.#letGo() };
  }

  /** A full disk may have ended the transaction already; complaining about that would hide why. */
  #letGo(): void {
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }

  #tryLock(): boolean {
    try {
      this.#database.exec('BEGIN EXCLUSIVE');
      return true;
    } catch (error) {
      // 5 = SQLITE_BUSY, in any of its extended forms.
      if (error instanceof Error && 'errcode' in error && ((error.errcode as number) & 0xff) === 5) return false;
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
