import type { Clock, Timer } from '../base/index.ts';
import type { HttpEvent } from '../http/index.ts';

interface Armed {
  readonly at: number;
  readonly order: number;
  readonly fire: () => void;
}

/** A clock that moves only when advanced; timers fire in order as it passes them. */
export class HeldClock implements Clock {
  #now: number;
  #elapsed = 0;
  #order = 0;
  readonly #armed = new Set<Armed>();

  constructor(startAt = Date.UTC(2026, 0, 15)) {
    this.#now = startAt;
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#armed.size;
  }

  /** Epoch milliseconds; stands still until advanced. */
  now(): number {
    return this.#now;
  }

  /** Milliseconds since the clock was made. */
  monotonic(): number {
    return this.#elapsed;
  }

  /** Fires when the clock is advanced past it. */
  setTimer(delayMs: number, fire: () => void): Timer {
    const armed: Armed = { at: this.#elapsed + Math.max(0, delayMs), order: (this.#order += 1), fire };
    this.#armed.add(armed);
    return { ref: () => undefined, unref: () => undefined, [Symbol.dispose]: () => void this.#armed.delete(armed) };
  }

  /** Advances the time, firing each timer at its time and letting its effects run before the next. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    await settle();
    await this.#fireUntil(end);
    // Concurrent calls never move the time back.
    if (end > this.#elapsed) this.#move(end);
    await settle();
  }

  /** Moves the calendar without letting time pass, as a corrected clock does. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** Advances to the earliest timer; false when none is set, or when the time may not move any more. */
  async advanceToNext(mayMove: () => boolean = () => true): Promise<boolean> {
    await settle();
    const next = mayMove() ? this.#next(Infinity) : undefined;
    if (!next) return false;
    await this.#fireUntil(next.at);
    return true;
  }

  async #fireUntil(end: number): Promise<void> {
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#move(next.at);
      this.#armed.delete(next);
      next.fire();
      await settle();
    }
  }

  #move(elapsed: number): void {
    this.#now += elapsed - this.#elapsed;
    this.#elapsed = elapsed;
  }

  #next(end: number): Armed | undefined {
    let first: Armed | undefined;
    for (const armed of this.#armed) {
      if (armed.at > end) continue;
      if (!first || armed.at < first.at || (armed.at === first.at && armed.order < first.order)) first = armed;
    }
    return first;
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await new Promise(setImmediate);
}

/** Moves a held clock only while no request is in flight: those on a real socket take the time they need. */
export class Wire {
  readonly #clock: HeldClock;
  #inFlight = 0;

  constructor(clock: HeldClock) {
    this.#clock = clock;
  }

  readonly report = (event: HttpEvent): void => {
    if (event.kind === 'request-sent') this.#inFlight += 1;
    if (event.kind === 'request-done') this.#inFlight -= 1;
  };

  /** Lets time pass until the promise is settled. */
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
