import type { Clock } from '../../base/index.ts';

/** Something that is opened when it is used. */
export interface KeptOpen<T> extends AsyncDisposable {
  /** Whether it could be opened. */
  readonly isThere: boolean;
  readonly use: <R>(work: (opened: T) => R | Promise<R>) => Promise<R>;
}

interface Opened<T> {
  readonly value: Promise<T>;
  /** Undefined while it is being opened. */
  stamp: string | null | undefined;
  users: number;
  closing?: PromiseLike<void>;
}

/**
 * Opened on first use and again when its source has changed; the old one is closed after its last user.
 *
 *   closed ──asked──▶ opening ──▶ open ──changed, looked at long enough ago──▶ opening another ──▶ open
 */
export function keptOpen<T extends AsyncDisposable>(options: {
  readonly open: () => Promise<T>;
  /** Identifies its source; null if there is none. A different stamp means that it is opened again. */
  readonly stamp: () => string | null;
  readonly lookMs: number;
  readonly clock: Clock;
  /** Whether opening updates the source: then the stamp after opening counts. */
  readonly renews?: boolean;
}): KeptOpen<T> {
  const { open, stamp, lookMs, clock, renews = false } = options;
  let current: Opened<T> | undefined;
  let lookedAt = -Infinity;

  /** Resolves when it is closed, or at once if it is current or in use. */
  const closeUnused = async (opened: Opened<T>): Promise<void> => {
    if (opened === current || opened.users > 0) return;
    opened.closing ??= opened.value.then(
      (value) => value[Symbol.asyncDispose](),
      () => undefined,
    );
    await opened.closing;
  };

  const look = (): Opened<T> => {
    const [now, old] = [clock.monotonic(), current];
    if (old && now - lookedAt < lookMs) return old;
    lookedAt = now;
    const before = stamp();
    // Wait for an opening in progress, whatever changes meanwhile: the opening itself may change the stamp.
    if (old && (old.stamp === undefined || old.stamp === before)) return old;
    const opened: Opened<T> = { value: open(), stamp: undefined, users: 0 };
    opened.value.then(
      () => (opened.stamp = renews ? stamp() : before),
      () => undefined, // Thrown to the users.
    );
    current = opened;
    if (old) void closeUnused(old);
    return opened;
  };

  return {
    get isThere(): boolean {
      return stamp() !== null;
    },
    async use<R>(work: (opened: T) => R | Promise<R>): Promise<R> {
      const used = look();
      used.users += 1;
      try {
        const value = await used.value.catch((error: unknown) => {
          // The next caller tries again.
          if (current === used) current = undefined;
          throw error;
        });
        return await work(value);
      } finally {
        used.users -= 1;
        await closeUnused(used);
      }
    },
    async [Symbol.asyncDispose](): Promise<void> {
      const old = current;
      current = undefined;
      if (old) await closeUnused(old);
    },
  };
}
