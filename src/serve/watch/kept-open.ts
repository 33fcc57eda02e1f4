import { statSync } from 'node:fs';

import type { Clock } from '../../base/index.ts';

/** How often we look whether there is a newer one. */
const LOOK_MS = 2_000;

/**
 * Something that is opened when it is first asked for and kept until the file it was made of has changed. Whoever uses the
 * old one meanwhile finishes with it: it is closed when the last of them is done.
 */
export class KeptOpen<T extends Disposable | AsyncDisposable> implements AsyncDisposable {
  readonly #path: string;
  readonly #open: () => Promise<T>;
  readonly #clock: Clock;
  #current: Opened<T> | undefined;
  #lookedAt = -Infinity;

  constructor(path: string, open: () => Promise<T>, clock: Clock) {
    this.#path = path;
    this.#open = open;
    this.#clock = clock;
  }

  get isThere(): boolean {
    return this.stamp !== null;
  }

  /** Which file it is made of; null where there is none. */
  get stamp(): string | null {
    const found = statSync(this.#path, { throwIfNoEntry: false });
    // What is written beside a database until it is folded into it counts as well.
    const beside = statSync(`${this.#path}-wal`, { throwIfNoEntry: false });
    return found ? `${found.ino} ${found.mtimeMs} ${found.size} ${beside?.size ?? 0}` : null;
  }

  async use<R>(work: (opened: T) => R | Promise<R>): Promise<R> {
    const now = this.#clock.monotonic();
    if (!this.#current || now - this.#lookedAt >= LOOK_MS) {
      this.#lookedAt = now;
      const stamp = this.stamp;
      if (this.#current && this.#current.stamp !== stamp) this.#letGo();
      this.#current ??= new Opened(this.#open(), stamp);
    }
    const current = this.#current;
    current.users += 1;
    try {
      return await work(await current.value);
    } catch (error) {
      // What could not be opened is tried again by the next who asks.
      if (current.hasFailed && this.#current === current) this.#current = undefined;
      throw error;
    } finally {
      current.users -= 1;
      await current.closeIfLast();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const current = this.#current;
    this.#letGo();
    await current?.closeIfLast();
  }

  #letGo(): void {
    const old = this.#current;
    this.#current = undefined;
    if (!old) return;
    old.isOld = true;
    void old.closeIfLast();
  }
}

class Opened<T extends Disposable | AsyncDisposable> {
  readonly value: Promise<T>;
  readonly stamp: string | null;
  users = 0;
  isOld = false;
  hasFailed = false;
  #isClosed = false;

  constructor(value: Promise<T>, stamp: string | null) {
    this.stamp = stamp;
    this.value = value.catch((error: unknown) => {
      this.hasFailed = true;
      throw error;
    });
  }

  async closeIfLast(): Promise<void> {
    if (!this.isOld || this.users > 0 || this.#isClosed) return;
    this.#isClosed = true;
    const value = await this.value.catch(() => undefined);
    if (!value) return;
    if (Symbol.asyncDispose in value) await value[Symbol.asyncDispose]();
    else value[Symbol.dispose]();
  }
}
