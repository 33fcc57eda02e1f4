import type { HttpEvent } from '../http/index.ts';
import type { HeldClock } from './held-clock.ts';

/**
 * Moves a held clock only while nothing is on the wire: waits of the program pass at once, requests on a real socket
 * take the time they take, and how busy the machine is makes no difference.
 */
export class Wire {
  readonly #clock: HeldClock;
  #inFlight = 0;

  constructor(clock: HeldClock) {
    this.#clock = clock;
  }

  /** To be given to the client, which says when a request goes on the wire and when it leaves it. */
  readonly report = (event: HttpEvent): void => {
    if (event.kind === 'request-sent') this.#inFlight += 1;
    if (event.kind === 'request-done') this.#inFlight -= 1;
  };

  /** Lets time pass until the promise is settled; answers its value and how much time passed. */
  async settle<T>(promise: Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
    const startedAt = this.#clock.monotonic();
    let settled = false;
    const done = promise.finally(() => (settled = true));
    // The rejection is the caller's, below; here it only must not count as unhandled.
    done.catch(() => undefined);
    for (;;) {
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
      if (settled) return { result: await done, ms: this.#clock.monotonic() - startedAt };
      if (this.#inFlight === 0) await this.#clock.advanceToNext();
    }
  }
}
