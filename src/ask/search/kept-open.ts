import { statSync } from 'node:fs';

import type { Clock } from '../../base/index.ts';

/** A resource to hold open, and for how long. */
export interface KeptOptions<T> {
  readonly open: () => Promise<T>;
  /** Identifies its source; null if there is none. A different stamp means that it is opened again. */
  readonly stamp: () => string | null;
  /** How often to check for a newer one. */
  readonly lookMs: number;
  readonly clock: Clock;
  /** Whether opening updates the source: then the stamp after opening counts. */
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

  /** The current stamp of the source; null if there is none. */
  get stamp(): string | null {
    return this.#options.stamp();
  }

  async use<R>(work: (opened: T) => R | Promise<R>): Promise<R> {
    const { lookMs, clock } = this.#options;
    const now = clock.monotonic();
    if (!this.#current || now - this.#lookedAt >= lookMs) {
      this.#lookedAt = now;
      const { stamp } = this;
      // Wait for an opening in progress, whatever changes meanwhile: the opening itself may change the stamp.
      if (this.#current && this.#current.state !== 'opening' && this.#current.stamp !== stamp) void this.#letGo();
      this.#current ??= this.#open(stamp);
    }
    const current = this.#current;
    current.users += 1;
    try {
      return await work(await current.value);
    } catch (error) {
      // After a failure the next caller tries again.
      if (current.state === 'failed' && this.#current === current) this.#current = undefined;
      throw error;
    } finally {
      current.users -= 1;
      await this.#closeUnused(current);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#letGo();
  }

  #open(stamp: string | null): Opened<T> {
    const value = this.#options.open().then(
      (found) => {
        opened.state = 'open';
        if (this.#options.renews === true) opened.stamp = this.stamp;
        return found;
      },
      (error: unknown) => {
        opened.state = 'failed';
        throw error;
      },
    );
    const opened: Opened<T> = { value, stamp, users: 0, state: 'opening' };
    return opened;
  }

  async #letGo(): Promise<void> {
    const old = this.#current;
    this.#current = undefined;
    await old?.value.catch(() => undefined);
    if (old) await this.#closeUnused(old);
  }

  /** Resolves when it is closed, or at once if it is current or in use. */
  async #closeUnused(opened: Opened<T>): Promise<void> {
    if (opened === this.#current || opened.users > 0) return;
    opened.closing ??= close(opened.value);
    await opened.closing;
  }
}

interface Opened<T> {
  readonly value: Promise<T>;
  stamp: string | null;
  users: number;
  state: 'opening' | 'open' | 'failed';
  closing?: Promise<void>;
}

async function close(opening: Promise<Disposable | AsyncDisposable>): Promise<void> {
  const value = await opening.catch(() => undefined);
  if (!value) return;
  if (Symbol.asyncDispose in value) await value[Symbol.asyncDispose]();
  else value[Symbol.dispose]();
}

/** The stamp of a database file; null if there is none. */
export function fileStamp(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  // The write-ahead log counts as well.
  const beside = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return found ? `${found.ino} ${found.mtimeMs} ${found.size} ${beside?.size ?? 0}` : null;
}
