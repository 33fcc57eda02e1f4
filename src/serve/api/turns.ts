import { Problem } from '../http/problem.ts';

const MOST_WAITING = 64;

/** A semaphore with a bounded number of waiters. */
export class Turns {
  readonly #atOnce: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  async take(signal: AbortSignal): Promise<Disposable> {
    if (this.#running >= this.#atOnce) {
      if (this.#waiting.length >= MOST_WAITING)
        throw new Problem(503, 'TOO_BUSY', 'too many requests of this kind are waiting', {
          headers: { 'retry-after': '2' },
        });
      await new Promise<void>((go) => this.#waiting.push(go));
    } else this.#running += 1;
    const turn = { [Symbol.dispose]: () => this.#next() };
    if (signal.aborted) {
      turn[Symbol.dispose]();
      throw new Problem(503, 'GONE', 'the client disconnected');
    }
    return turn;
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running -= 1;
  }
}
