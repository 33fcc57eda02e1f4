/** Writes a batch. Returns the values that could not be written, with their errors; a throw fails the whole batch. */
type WriteBatch<T> = (batch: readonly T[]) => Promise<ReadonlyMap<T, unknown> | void>;

type Waiting<T> = PromiseWithResolvers<void> & { readonly value: T };

/** Writes one batch at a time; values added meanwhile form the next, so they share its lock or sync. */
export class Batcher<T> {
  readonly #write: WriteBatch<T>;
  #waiting: Waiting<T>[] = [];
  #writing: Promise<void> | undefined;

  constructor(write: WriteBatch<T>) {
    this.#write = write;
  }

  /** Resolves when the value is written. */
  add(value: T): Promise<void> {
    const waiting = { ...Promise.withResolvers<void>(), value };
    this.#waiting.push(waiting);
    this.#writing ??= this.#writeAll();
    return waiting.promise;
  }

  /** Resolves when everything added so far is written. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    // One turn of the event loop: values added together share a batch.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        const failures = await this.#write(batch.map(({ value }) => value));
        for (const { value, resolve, reject } of batch) {
          if (failures?.has(value)) reject(failures.get(value));
          else resolve();
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#writing = undefined;
  }
}
