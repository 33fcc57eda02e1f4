import type { Clock, Limiter } from '../base/index.ts';

/** Why a host or pool is left alone: it asked for it, or it failed again and again. */
export type HoldReason = 'rate-limited' | 'host-held';

/** Until when, and why. */
export interface Hold {
  readonly at: number;
  readonly reason: HoldReason;
}

/**
 * Until when hosts and pools are to be left alone. The limiter keeps everybody out until then; here is remembered how
 * long that is, so that those who would wait too long can be told to come back instead.
 */
export class Holds {
  readonly #clock: Clock;
  readonly #limiter: Limiter;
  readonly #until = new Map<string, Hold>();
  readonly #watchers = new Set<{ readonly keys: readonly string[]; readonly changed: () => void }>();

  constructor(clock: Clock, limiter: Limiter) {
    this.#clock = clock;
    this.#limiter = limiter;
  }

  /** Nobody gets through to this key before `at`; an earlier moment never shortens a hold. */
  hold(key: string, at: number, reason: HoldReason): void {
    if (at <= this.until([key])) return;
    this.#forgetPast();
    this.#until.set(key, { at, reason });
    this.#limiter.holdUntil(key, at);
    for (const watcher of this.#watchers) if (watcher.keys.includes(key)) watcher.changed();
  }

  /** The hold that ends last of those on any of the keys. */
  latest(keys: readonly string[]): Hold | undefined {
    const now = this.#clock.now();
    let latest: Hold | undefined;
    for (const key of keys) {
      const hold = this.#until.get(key);
      if (hold && hold.at > now && (!latest || hold.at > latest.at)) latest = hold;
    }
    return latest;
  }

  /** The moment the last hold on any of the keys ends; 0 when there is none. */
  until(keys: readonly string[]): number {
    return this.latest(keys)?.at ?? 0;
  }

  /** Everything that is held, for those who show it. */
  list(): ReadonlyMap<string, Hold> {
    this.#forgetPast();
    return this.#until;
  }

  /** Calls `changed` when one of the keys is held longer than before; disposing of it ends that. */
  watch(keys: readonly string[], changed: () => void): Disposable {
    const watcher = { keys, changed };
    this.#watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) };
  }

  #forgetPast(): void {
    const now = this.#clock.now();
    for (const [key, { at }] of this.#until) if (at <= now) this.#until.delete(key);
  }
}
