import type { Pool } from './exchange.ts';

interface State {
  /** When the next request would be due if they came evenly (GCRA). */
  due: number;
  inFlight: number;
}

export type Admission =
  | { readonly kind: 'admitted' }
  | { readonly kind: 'refused'; readonly rule: 'rate' | 'concurrency'; readonly waitSeconds: number };

/**
 * Published limits, measured by time of arrival. A client that spaces its requests by the book must never be caught by
 * jitter of timers and scheduling, so a little is forgiven: see `slackOf`. What is forgiven is not forgotten: the next
 * request is due as if this one had been in time, so whoever is early again and again is caught.
 */
export class Limits {
  readonly #states = new Map<string, State>();
  readonly #slackMs: number;

  constructor(slackMs: number) {
    this.#slackMs = slackMs;
  }

  arrive(pool: Pool, now: number): Admission {
    const state = this.#state(pool.name);
    const interval = 1_000 / pool.perSecond;
    const slack = slackOf(interval, this.#slackMs);
    if (pool.concurrency !== undefined && state.inFlight >= pool.concurrency)
      return { kind: 'refused', rule: 'concurrency', waitSeconds: 1 };
    const allowedAt = state.due - (pool.burst - 1) * interval - slack;
    if (now < allowedAt)
      return { kind: 'refused', rule: 'rate', waitSeconds: Math.max(1, Math.ceil((allowedAt - now) / 1_000)) };
    state.due = Math.max(state.due, now) + interval;
    state.inFlight += 1;
    return { kind: 'admitted' };
  }

  leave(pool: Pool): void {
    this.#state(pool.name).inFlight -= 1;
  }

  #state(name: string): State {
    let state = this.#states.get(name);
    if (!state) {
      state = { due: -Infinity, inFlight: 0 };
      this.#states.set(name, state);
    }
    return state;
  }
}

/** How much too early a request may be: a twentieth of the interval, or `slackMs` where that is more, up to all of it. */
export function slackOf(interval: number, slackMs: number): number {
  return Math.max(interval / 20, Math.min(slackMs, interval));
}
