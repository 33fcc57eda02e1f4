import type { Clock, Timer } from '../../base/index.ts';

/** Something that must end in time; a link of the list of all that run. */
export interface Due {
  dueAt: number;
  earlier: Due | undefined;
  later: Due | undefined;
}

/**
 * Deadlines of equal length: they fall due in the order they were set, so one timer and a linked list serve any
 * number of items, at a tenth of the cost of a timer each. An infinite length makes it a list of what runs.
 */
export class Deadlines implements Disposable {
  readonly #clock: Clock;
  readonly #afterMs: number;
  readonly #due: (due: Due) => void;
  #first: Due | undefined;
  #last: Due | undefined;
  #timer: Timer | undefined;

  constructor(clock: Clock, afterMs: number, due: (due: Due) => void) {
    this.#clock = clock;
    this.#afterMs = afterMs;
    this.#due = due;
  }

  add(due: Due, now: number): void {
    due.dueAt = now + this.#afterMs;
    due.earlier = this.#last;
    due.later = undefined;
    if (this.#last) this.#last.later = due;
    else this.#first = due;
    this.#last = due;
    if (this.#afterMs !== Infinity) this.#timer ??= this.#clock.setTimer(this.#afterMs, () => this.#fire());
  }

  remove(due: Due): void {
    if (due.earlier) due.earlier.later = due.later;
    else if (this.#first === due) this.#first = due.later;
    else return;
    if (due.later) due.later.earlier = due.earlier;
    else this.#last = due.earlier;
    due.earlier = undefined;
    due.later = undefined;
  }

  /** All that run, the oldest first. */
  list(): Due[] {
    const all: Due[] = [];
    for (let due = this.#first; due; due = due.later) all.push(due);
    return all;
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (let due = this.#first; due && due.dueAt <= now; due = this.#first) {
      this.remove(due);
      this.#due(due);
    }
    // Armed for whoever is first now: most items are long done when their time would have come.
    if (this.#first) this.#timer = this.#clock.setTimer(this.#first.dueAt - now, () => this.#fire());
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}
