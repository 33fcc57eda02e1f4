import type { ItemEnd, Line, TakenItem, WorkItem } from '../../stage/index.ts';

export interface MemoryLineOptions {
  /** Items that may wait; an offer waits for room. */
  readonly bound: number;
  /** Called with an item before it is settled, for example to store its outputs and offer it to the next line. */
  readonly ended?: (item: WorkItem, end: ItemEnd) => Promise<void>;
}

/** A line inside one process. It is lost with the process: whoever offers must be able to offer again. */
export class MemoryLine implements Line, AsyncDisposable {
  readonly #options: MemoryLineOptions;
  readonly #waiting: WorkItem[] = [];
  readonly #held = new Set<string>();
  readonly #known = new Set<string>();
  #isClosed = false;
  #changed = Promise.withResolvers<void>();

  constructor(options: MemoryLineOptions) {
    this.#options = options;
  }

  async offer(items: readonly WorkItem[], signal: AbortSignal): Promise<void> {
    for (const item of items) {
      if (this.#known.has(item.itemId)) continue;
      // Known from here on: a second offer need not wait.
      this.#known.add(item.itemId);
      while (this.#waiting.length >= this.#options.bound && !signal.aborted) await this.#change(signal);
      if (signal.aborted) return;
      this.#waiting.push(item);
      this.#wake();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async take(limit: number, signal: AbortSignal): Promise<readonly TakenItem[] | undefined> {
    while (this.#waiting.length === 0 && !signal.aborted) {
      if (this.#isClosed && this.#held.size === 0) return undefined;
      await this.#change(signal);
    }
    if (signal.aborted) return undefined;
    const taken = this.#waiting.splice(0, limit);
    for (const { itemId } of taken) this.#held.add(itemId);
    this.#wake();
    return taken.map((item) => ({ item }));
  }

  async settle(item: WorkItem, end: ItemEnd): Promise<void> {
    if (!this.#held.has(item.itemId)) return;
    if (end.kind === 'unfinished') this.#waiting.unshift(item);
    else await this.#options.ended?.(item, end);
    this.#held.delete(item.itemId);
    this.#wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  /** Resolves at the next change, or when the signal is aborted. */
  async #change(signal: AbortSignal): Promise<void> {
    const { promise } = this.#changed;
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const abort = (): void => resolve();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    await Promise.race([promise, aborted]);
    signal.removeEventListener('abort', abort);
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
