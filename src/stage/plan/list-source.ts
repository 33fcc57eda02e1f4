import type { ItemEnd, ItemSource, TakenItem, WorkItem } from '../types.ts';

/** A list shared by several runners of one process: each item goes to one of them, and is offered again if left unfinished. */
export class ListSource implements ItemSource {
  readonly #left: WorkItem[];
  readonly #waiting = new Set<() => void>();
  #held = 0;

  constructor(items: Iterable<WorkItem>) {
    this.#left = [...items];
  }

  async take(limit: number, signal: AbortSignal): Promise<readonly TakenItem[] | undefined> {
    // What others hold may come back: only when nobody holds anything is there nothing more to come.
    while (this.#left.length === 0 && this.#held > 0 && !signal.aborted) await this.#change(signal);
    if (signal.aborted || this.#left.length === 0) return undefined;
    const taken = this.#left.splice(0, limit);
    this.#held += taken.length;
    return taken.map((item) => ({ item }));
  }

  settle(item: WorkItem, end: ItemEnd): Promise<void> {
    this.#held -= 1;
    if (end.kind === 'unfinished') this.#left.push(item);
    for (const wake of this.#waiting) wake();
    return Promise.resolve();
  }

  async #change(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    this.#waiting.delete(resolve);
  }
}
