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

interface Opened<T> {
  readonly value: Promise<T>;
  /** Undefined while it is being opened. */
  stamp: string | null | undefined;
  users: number;
  closing?: Promise<void>;
}

/**
 * Something that is opened on first use and kept until its source has changed. Current users of the old one finish
 * with it: it is closed when the last of them is done.
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
    const current = this.#look();
    current.users += 1;
    try {
      const value = await current.value.catch((error: unknown) => {
        // The next caller tries again.
        if (this.#current === current) this.#current = undefined;
        throw error;
      });
      return await work(value);
    } finally {
      current.users -= 1;
      await this.#closeUnused(current);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const old = this.#current;
    this.#current = undefined;
    if (old) await this.#closeUnused(old);
  }

  #look(): Opened<T> {
    const now = this.#options.clock.monotonic();
    const old = this.#current;
    if (old && now - this.#lookedAt < this.#options.lookMs) return old;
    this.#lookedAt = now;
    const { stamp } = this;
    // Wait for an opening in progress, whatever changes meanwhile: the opening itself may change the stamp.
    if (old && (old.stamp === undefined || old.stamp === stamp)) return old;
    const opened: Opened<T> = { value: this.#options.open(), stamp: undefined, users: 0 };
    opened.value.then(
      () => (opened.stamp = this.#options.renews === true ? this.stamp : stamp),
      () => undefined, // Thrown to the users.
    );
    this.#current = opened;
    if (old) void this.#closeUnused(old);
    return opened;
  }

  /** Resolves when it is closed, or at once if it is current or in use. */
  async #closeUnused(opened: Opened<T>): Promise<void> {
    if (opened === this.#current || opened.users > 0) return;
    opened.closing ??= close(opened.value);
    await opened.closing;
  }
}

async function close(opening: Promise<Disposable | AsyncDisposable>): Promise<void> {
  await using _closed = await opening.catch(() => undefined);
}
