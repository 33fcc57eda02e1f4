import type { Pool } from './exchange.ts';

interface State {
  /** When the next request is due at an even rate (GCRA). */
  due: number;
  inFlight: number;
}

export type Admission =
  | { readonly kind: 'admitted' }
  | { readonly kind: 'refused'; readonly rule: 'rate' | 'concurrency'; readonly waitSeconds: number };

/**
 * Rate limits by arrival time. Clients that space their requests correctly must not be caught by timer jitter, so being
 * a little early is tolerated: see `slackOf`. The next request is due as if this one had been on time, so clients that
 * are repeatedly early are caught.
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

/** How early a request may be: a twentieth of the interval, or `slackMs` if that is more, up to the whole interval. */
export function slackOf(interval: number, slackMs: number): number {
  return Math.max(interval / 20, Math.min(slackMs, interval));
}
