import { statSync } from 'node:fs';

import type { Clock } from '../../base/index.ts';

/** What is kept open, and until when. */
export interface KeptOptions<T> {
  readonly open: () => Promise<T>;
  /** What it is made of; null where there is nothing. Another answer means that it is opened again. */
  readonly stamp: () => string | null;
  /** How often we look whether there is a newer one. */
  readonly lookMs: number;
  readonly clock: Clock;
  /** Opening brings what it is made of up to date: what that is afterwards counts. */
  readonly renews?: boolean;
}

/**
 * Something that is opened when it is first asked for and kept until what it was made of has changed. Whoever uses the
 * old one meanwhile finishes with it: it is closed when the last of them is done.
 *
 *   closed ──asked──▶ opening ──▶ open ──changed, looked at long enough ago──▶ opening another ──▶ open
 */
export class KeptOpen<T extends Disposable | AsyncDisposable> implements AsyncDisposable {
  readonly #options: KeptOptions<T>;
  #current: Opened<T> | undefined;
  #lookedAt = -Infinity;

  constructor(options: KeptOptions<T>) {
    this.#options = options;
  }

  get isThere(): boolean {
    return this.stamp !== null;
  }

  /** What it would be made of now; null where there is nothing. */
  get stamp(): string | null {
    return this.#options.stamp();
  }

  async use<R>(work: (opened: T) => R | Promise<R>): Promise<R> {
    const { open, stamp: stampOf, lookMs, clock, renews = false } = this.#options;
    const now = clock.monotonic();
    if (!this.#current || now - this.#lookedAt >= lookMs) {
      this.#lookedAt = now;
      const stamp = stampOf();
      // One that is being opened is waited for, whatever changes meanwhile: it may be the opening that changes it.
      if (this.#current && !this.#current.isOpening && this.#current.stamp !== stamp) this.#letGo();
      this.#current ??= new Opened(open(), stamp, renews ? stampOf : () => stamp);
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
    await current?.value.catch(() => undefined);
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
  stamp: string | null;
  users = 0;
  isOpening = true;
  isOld = false;
  hasFailed = false;
  #closing: Promise<void> | undefined;

  constructor(value: Promise<T>, stamp: string | null, stampAfter: () => string | null) {
    this.stamp = stamp;
    this.value = value.then(
      (opened) => {
        this.isOpening = false;
        this.stamp = stampAfter();
        return opened;
      },
      (error: unknown) => {
        this.isOpening = false;
        this.hasFailed = true;
        throw error;
      },
    );
  }

  /** Resolves when it is closed, or at once while somebody uses it or it is not old. */
  async closeIfLast(): Promise<void> {
    if (!this.isOld || this.users > 0) return;
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    const value = await this.value.catch(() => undefined);
    if (!value) return;
    if (Symbol.asyncDispose in value) await value[Symbol.asyncDispose]();
    else value[Symbol.dispose]();
  }
}

/** What a database file is known by; null where there is none. */
export function fileStamp(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  // What is written beside a database until it is folded into it counts as well.
  const beside = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return found ? `${found.ino} ${found.mtimeMs} ${found.size} ${beside?.size ?? 0}` : null;
}
