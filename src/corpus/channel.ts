/**
 * A queue of values for one consumer. Offering never waits, so hooks can do it; producers call `room` before making the
 * next value, which keeps the queue at about `bound`.
 */
export class Channel<T> implements AsyncIterableIterator<T> {
  readonly #bound: number;
  readonly #waiting: T[] = [];
  readonly #takers: ((result: IteratorResult<T>) => void)[] = [];
  #makers: (() => void)[] = [];
  #closed = false;
  #abandoned = false;

  constructor(bound: number) {
    this.#bound = bound;
  }

  /** Adds a value; it is dropped if the queue was closed or abandoned. */
  offer(value: T): void {
    if (this.#closed || this.#abandoned) return;
    const taker = this.#takers.shift();
    if (taker) taker({ done: false, value });
    else this.#waiting.push(value);
  }

  /** Resolves when there is room for one more, or when the consumer is gone. */
  async room(): Promise<void> {
    while (this.#waiting.length >= this.#bound && !this.#closed && !this.#abandoned)
      await new Promise<void>((resolve) => this.#makers.push(resolve));
  }

  /** No more values will be offered; waiting ones are still taken. */
  close(): void {
    this.#closed = true;
    for (const taker of this.#takers.splice(0)) taker({ done: true, value: undefined });
    this.#wakeMakers();
  }

  next(): Promise<IteratorResult<T>> {
    const value = this.#waiting.shift();
    if (value !== undefined) {
      if (this.#waiting.length < this.#bound) this.#wakeMakers();
      return Promise.resolve({ done: false, value });
    }
    if (this.#closed || this.#abandoned) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  /** The consumer is gone: producers need not wait for room. */
  return(): Promise<IteratorResult<T>> {
    this.#abandoned = true;
    this.#waiting.length = 0;
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #wakeMakers(): void {
    const makers = this.#makers;
    this.#makers = [];
    for (const wake of makers) wake();
  }
}

/** Work that reports events and can be stopped. */
export type TellingWork<Event> = (tell: (event: Event) => void, signal: AbortSignal) => Promise<void>;

/**
 * The events of some work, which starts when the first one is requested. Aborting the signal ends it gracefully.
 * Leaving the loop stops the work and waits for its end; its error is thrown to the consumer.
 */
export async function* eventStream<Event>(work: TellingWork<Event>, signal?: AbortSignal): AsyncGenerator<Event, void> {
  const left = new AbortController();
  const events = new Channel<Event>(Infinity);
  const working = work(
    (event) => events.offer(event),
    signal ? AbortSignal.any([signal, left.signal]) : left.signal,
  ).finally(() => events.close());
  working.catch(() => undefined);
  try {
    for (let next = await events.next(); !next.done; next = await events.next()) yield next.value;
  } finally {
    left.abort('nobody listens any more');
    await working;
  }
}
