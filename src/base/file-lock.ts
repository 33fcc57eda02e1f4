import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { Clock } from './clock.ts';
import { wait } from './clock.ts';
import { isDamaged } from './damaged-file.ts';
import { AppError, describeDiskError, sqliteCode } from './errors.ts';

const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 50;
const LONGEST_BLOCK_MS = 30_000;

/** A lock between processes that ends with its holder. Node has no flock: it is an empty SQLite database. */
export class FileLock implements Disposable {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #clock: Clock;

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    try {
      mkdirSync(dirname(path), { recursive: true });
      this.#database = new DatabaseSync(path, { timeout: 0 });
    } catch (error) {
      throw describeDiskError(error, path);
    }
  }

  /** Runs `work`, which must not wait, while holding the lock. */
  async hold<T>(work: () => T, options: Parameters<FileLock['take']>[0] = {}): Promise<T> {
    using _taken = await this.take({ timeoutMs: 30_000, ...options });
    return work();
  }

  /** Like `hold`, for callers that cannot wait asynchronously: blocks the thread until the lock is free. */
  holdNow<T>(work: () => T): T {
    const sleeper = new Int32Array(new SharedArrayBuffer(4));
    for (let waitedMs = 0; ; waitedMs += LONGEST_WAIT_MS) {
      using taken = this.tryTake();
      if (taken) return work();
      if (waitedMs >= LONGEST_BLOCK_MS) throw this.#locked();
      Atomics.wait(sleeper, 0, 0, LONGEST_WAIT_MS);
    }
  }

  /** Waits for the lock, and takes it until disposed of or the process exits. */
  async take(
    options: { readonly timeoutMs?: number; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Disposable> {
    const deadline = this.#clock.monotonic() + (options.timeoutMs ?? Infinity);
    for (let delayMs = FIRST_WAIT_MS; ; delayMs = Math.min(LONGEST_WAIT_MS, delayMs * 2)) {
      const taken = this.tryTake();
      if (taken) return taken;
      if (this.#clock.monotonic() >= deadline) throw this.#locked();
      await wait(this.#clock, delayMs, options.signal);
    }
  }

  /** Like `take`, without waiting: undefined if another process holds the lock. */
  tryTake(): Disposable | undefined {
    try {
      this.#database.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      // 5 = SQLITE_BUSY, in any of its extended forms.
      if (sqliteCode(error) === 5) return undefined;
      if (isDamaged(error))
        throw new AppError('LOCK_FOREIGN', `${this.#path} is not a lock of docstokg`, {
          hint: 'it was not changed; remove it, or move it away, and run the same command again',
          cause: error,
        });
      throw describeDiskError(error, this.#path);
    }
    return {
      [Symbol.dispose]: () => {
        // On a full disk SQLite has already rolled back; an error here would hide the cause.
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      },
    };
  }

  #locked(): AppError {
    return new AppError('FILE_LOCKED', `${this.#path} is locked by another process`, {
      hint: 'wait for the other process, or check whether it hangs',
    });
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
