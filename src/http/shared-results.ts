import type { Clock } from '../base/index.ts';
import type { Caller } from './send.ts';
import { whileWaiting } from './send.ts';

const MANY_RESULTS = 10_000;

interface Entry<T> {
  readonly result: Promise<T>;
  /** Infinity until there is a result. */
  expiresAt: number;
  found: T | undefined;
}

/** Each result is found once for all callers, and used while it is fresh. */
export class SharedResults<T> {
  readonly #clock: Clock;
  readonly #freshMs: (result: T) => number;
  readonly #failureMs: number;
  readonly #entries = new Map<string, Entry<T>>();

  /** `freshMs` is 0 for a result that must not be used again; `failureMs` is how long an error counts. */
  constructor(clock: Clock, freshMs: (result: T) => number, failureMs = 0) {
    this.#clock = clock;
    this.#freshMs = freshMs;
    this.#failureMs = failureMs;
  }

  /** `find` does not get the signal of the first caller, because others wait too. */
  get(key: string, find: () => Promise<T>, caller?: Caller, signal?: AbortSignal): Promise<T> {
    const known = this.#entries.get(key);
    if (known && known.expiresAt > this.#clock.now()) {
      const isPending = known.expiresAt === Infinity;
      // A waiting job gives up its worker: the job that finds the result may need it.
      return whileWaiting(isPending ? caller : undefined, () => raced(known.result, signal));
    }
    if (this.#entries.size >= MANY_RESULTS) this.#forget();
    const entry: Entry<T> = { result: find(), expiresAt: Infinity, found: undefined };
    this.#entries.set(key, entry);
    const keepFor = (ms: number): void => void (entry.expiresAt = this.#clock.now() + ms);
    void entry.result.then(
      (result) => {
        entry.found = result;
        keepFor(this.#freshMs(result));
      },
      () => keepFor(this.#failureMs),
    );
    return raced(entry.result, signal);
  }

  /** Drops a result that turned out wrong, unless there is a newer one. */
  drop(key: string, result: T): void {
    if (this.#entries.get(key)?.found === result) this.#entries.delete(key);
  }

  #forget(): void {
    const now = this.#clock.now();
    for (const [key, { expiresAt }] of this.#entries) if (expiresAt <= now) this.#entries.delete(key);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= MANY_RESULTS && oldest !== undefined) this.#entries.delete(oldest);
  }
}

/** The promise, or the signal's reason if it is aborted first. */
export function raced<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    return void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
