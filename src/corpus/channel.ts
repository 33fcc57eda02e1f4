/**
 * A line of things that wait for whoever takes them. Offering never waits, so that it can be done from a hook; who
 * makes things asks for room before making the next one, which keeps the line about as short as `bound`.
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

  /** Puts a thing at the end of the line; nobody will take it any more when the line was closed or abandoned. */
  offer(value: T): void {
    if (this.#closed || this.#abandoned) return;
    const taker = this.#takers.shift();
    if (taker) taker({ done: false, value });
    else this.#waiting.push(value);
  }

  /** Resolves when the line is short enough for one more, and at once when nobody takes from it any more. */
  async room(): Promise<void> {
    while (this.#waiting.length >= this.#bound && !this.#closed && !this.#abandoned)
      await new Promise<void>((resolve) => this.#makers.push(resolve));
  }

  /** Nothing more will be offered; what waits is still taken. */
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

  /** Nobody takes any more: who waits for room need not. */
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

/** Work that tells what happens, and can be stopped. */
export type TellingWork<Event> = (tell: (event: Event) => void, signal: AbortSignal) => Promise<void>;

/**
 * The events of some work, which begins when the first one is asked for. Aborting the signal lets it end in good order.
 * Who stops listening stops the work, and waits for its end; its failure is thrown to whoever listens or stops.
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
