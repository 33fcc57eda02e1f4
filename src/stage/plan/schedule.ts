import type { ItemRun } from '../execute/item-run.ts';
import type { Scheduling } from '../types.ts';

/** Items that wait for a worker, in the order in which they get one. */
export interface Schedule {
  readonly size: number;
  push(run: ItemRun): void;
  take(): ItemRun | undefined;
}

/** First in, first out, without moving what waits. */
class Fifo implements Schedule {
  #items: ItemRun[] = [];
  #first = 0;

  get size(): number {
    return this.#items.length - this.#first;
  }

  push(run: ItemRun): void {
    this.#items.push(run);
  }

  take(): ItemRun | undefined {
    const run = this.#items[this.#first];
    if (!run) return undefined;
    this.#first += 1;
    if (this.#first > 1_024 && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return run;
  }
}

/** A binary heap by cost; equal costs keep the plan's order. */
class ByCost implements Schedule {
  readonly #heap: { readonly run: ItemRun; readonly cost: number; readonly order: number }[] = [];
  readonly #sign: number;
  #order = 0;

  constructor(sign: 1 | -1) {
    this.#sign = sign;
  }

  get size(): number {
    return this.#heap.length;
  }

  push(run: ItemRun): void {
    this.#heap.push({ run, cost: this.#sign * run.item.costHint, order: (this.#order += 1) });
    let at = this.#heap.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfEarlier(at, parent)) break;
      at = parent;
    }
  }

  take(): ItemRun | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (!first || !last) return undefined;
    if (this.#heap.length > 0) {
      this.#heap[0] = last;
      for (let at = 0; ;) {
        const child = 2 * at + 1;
        const least = this.#isEarlier(child + 1, child) ? child + 1 : child;
        if (!this.#swapIfEarlier(least, at)) break;
        at = least;
      }
    }
    return first.run;
  }

  #isEarlier(left: number, right: number): boolean {
    const a = this.#heap[left];
    const b = this.#heap[right];
    return a !== undefined && b !== undefined && (a.cost - b.cost || a.order - b.order) < 0;
  }

  #swapIfEarlier(lower: number, upper: number): boolean {
    const a = this.#heap[lower];
    const b = this.#heap[upper];
    if (!a || !b || !this.#isEarlier(lower, upper)) return false;
    this.#heap[lower] = b;
    this.#heap[upper] = a;
    return true;
  }
}

/** fifo keeps the plan's order; sjf takes the cheapest first, lpt the dearest. */
export function createSchedule(scheduling: Scheduling): Schedule {
  return scheduling === 'fifo' ? new Fifo() : new ByCost(scheduling === 'sjf' ? 1 : -1);
}
