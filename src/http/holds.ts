import type { Clock, Limiter } from '../base/index.ts';

/**
 * Until when hosts and pools are to be left alone. The limiter keeps everybody out until then; here is remembered how
 * long that is, so that those who would wait too long can be told to come back instead.
 */
export class Holds {
  readonly #clock: Clock;
  readonly #limiter: Limiter;
  readonly #until = new Map<string, number>();
  readonly #watchers = new Set<{ readonly keys: readonly string[]; readonly changed: () => void }>();

  constructor(clock: Clock, limiter: Limiter) {
    this.#clock = clock;
    this.#limiter = limiter;
  }

  /** Nobody gets through to this key before `at`; an earlier moment never shortens a hold. */
  hold(key: string, at: number): void {
    if (at <= this.until([key])) return;
    this.#forgetPast();
    this.#until.set(key, at);
    this.#limiter.holdUntil(key, at);
    for (const watcher of this.#watchers) if (watcher.keys.includes(key)) watcher.changed();
  }

  /** The latest moment any of the keys is held to; 0 when none is. */
  until(keys: readonly string[]): number {
    const now = this.#clock.now();
    return Math.max(0, ...keys.map((key) => this.#until.get(key) ?? 0).filter((at) => at > now));
  }

  /** Everything that is held, for those who show it. */
  list(): ReadonlyMap<string, number> {
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
    for (const [key, at] of this.#until) if (at <= now) this.#until.delete(key);
  }
}
