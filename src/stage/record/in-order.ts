/** How far the items may run ahead of the oldest unfinished one: what bounds the rows held back for its sake. */
const WINDOW = 1 << 14;

/** Puts things that finish in any order back into the order they were numbered in. */
export class InOrder<T> {
  readonly #slots: (T | 'nothing' | undefined)[] = Array.from({ length: WINDOW }, () => undefined);
  readonly #emit: (value: T) => void;
  #first = 0;
  #next = 0;

  constructor(emit: (value: T) => void) {
    this.#emit = emit;
  }

  /** Whether another number may be given out. */
  get hasRoom(): boolean {
    return this.#next - this.#first < WINDOW;
  }

  /** Numbers given out and not yet emitted. */
  get pending(): number {
    return this.#next - this.#first;
  }

  number(): number {
    return this.#next++;
  }

  /** Whether that number is the next and nothing waits behind it: then its thing may pass without being put here. */
  passes(number: number): boolean {
    if (number !== this.#first || this.#slots[(number + 1) % WINDOW] !== undefined) return false;
    this.#first += 1;
    return true;
  }

  /** The thing of that number is there; it and those that waited for it are emitted. */
  finish(number: number, value: T): void {
    this.#put(number, value);
  }

  /** There will be no thing of that number. */
  pass(number: number): void {
    this.#put(number, 'nothing');
  }

  #put(number: number, value: T | 'nothing'): void {
    this.#slots[number % WINDOW] = value;
    if (number !== this.#first) return;
    for (let at = number % WINDOW; ; at = this.#first % WINDOW) {
      const ready = this.#slots[at];
      if (ready === undefined) return;
      this.#slots[at] = undefined;
      this.#first += 1;
      if (ready !== 'nothing') this.#emit(ready);
    }
  }
}
