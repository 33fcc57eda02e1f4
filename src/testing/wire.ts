import type { HttpEvent } from '../http/index.ts';
import type { HeldClock } from './held-clock.ts';

/**
 * Moves a held clock only while no request is in flight: waits of the program pass at once, and requests on a real
 * socket take as long as they need, however busy the machine is.
 */
export class Wire {
  readonly #clock: HeldClock;
  #inFlight = 0;

  constructor(clock: HeldClock) {
    this.#clock = clock;
  }

  /** The `report` option of the client. */
  readonly report = (event: HttpEvent): void => {
    if (event.kind === 'request-sent') this.#inFlight += 1;
    if (event.kind === 'request-done') this.#inFlight -= 1;
  };

  /** Lets time pass until the promise is settled; returns its value and how much time passed. */
  async settle<T>(promise: Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
    const startedAt = this.#clock.monotonic();
    let settled = false;
    const done = promise.finally(() => (settled = true));
    // The rejection is thrown below; here it must not count as unhandled.
    done.catch(() => undefined);
    for (;;) {
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
      if (settled) return { result: await done, ms: this.#clock.monotonic() - startedAt };
      // A request may be sent while the clock lets promises run, so it checks again before it moves.
      await this.#clock.advanceToNext(() => this.#inFlight === 0);
    }
  }
}
