import type { Clock, Limiter } from '../base/index.ts';
import { equalJitterDelay } from '../base/index.ts';
import type { Report } from './events.ts';

/** How long a host is left alone when it asks for it without saying how long. */
const HOLD = { baseMs: 1_000, capMs: 60_000 };
/** From this many requests to slow down in a row on, the cap is halved with each. */
const STRIKES_TO_HALVE = 2;
/** Downloads that must go well before the cap is raised by one. */
const SUCCESSES_TO_RAISE = 10;

interface Throttled {
  cap: number;
  strikes: number;
  successes: number;
  heldUntil: number;
}

/** Lowers the cap of hosts that ask to slow down, and raises it step by step when they answer again. */
export class HostThrottle {
  readonly #limiter: Limiter;
  readonly #clock: Clock;
  readonly #fullCap: number;
  readonly #report: Report;
  readonly #key: (host: string) => string;
  readonly #hosts = new Map<string, Throttled>();

  constructor(options: {
    readonly limiter: Limiter;
    readonly clock: Clock;
    readonly cap: number;
    readonly report: Report;
    /** The limiter's key of a host. */
    readonly key: (host: string) => string;
  }) {
    this.#limiter = options.limiter;
    this.#clock = options.clock;
    this.#fullCap = options.cap;
    this.#report = options.report;
    this.#key = options.key;
  }

  /** Hosts that are not at their full cap, or are held. */
  get hosts(): { readonly host: string; readonly cap: number; readonly heldUntil: number | null }[] {
    const now = this.#clock.now();
    return [...this.#hosts].map(([host, { cap, heldUntil }]) => ({
      host,
      cap,
      heldUntil: heldUntil > now ? heldUntil : null,
    }));
  }

  /** Whether the host is left alone now. */
  isHeld(host: string): boolean {
    return (this.#hosts.get(host)?.heldUntil ?? 0) > this.#clock.now();
  }

  /** The host asked to slow down; answers until when it is left alone. */
  throttled(host: string, retryAt?: number): number {
    const state = this.#hosts.get(host) ?? { cap: this.#fullCap, strikes: 0, successes: 0, heldUntil: 0 };
    this.#hosts.set(host, state);
    state.strikes += 1;
    state.successes = 0;
    const now = this.#clock.now();
    state.heldUntil = Math.max(state.heldUntil, retryAt ?? now + equalJitterDelay(state.strikes, HOLD));
    if (state.strikes >= STRIKES_TO_HALVE) state.cap = Math.max(1, Math.floor(state.cap / 2));
    if (state.cap < this.#fullCap) this.#limiter.setLimit(this.#key(host), state.cap);
    if (state.heldUntil > now) this.#limiter.holdUntil(this.#key(host), state.heldUntil);
    this.#report({ kind: 'host-throttled', host, cap: state.cap, heldUntil: state.heldUntil });
    return state.heldUntil;
  }

  succeeded(host: string): void {
    const state = this.#hosts.get(host);
    if (!state) return;
    state.strikes = 0;
    state.successes += 1;
    if (state.cap < this.#fullCap && state.successes < SUCCESSES_TO_RAISE) return;
    state.successes = 0;
    if (state.cap < this.#fullCap) {
      state.cap += 1;
      this.#limiter.setLimit(this.#key(host), state.cap < this.#fullCap ? state.cap : undefined);
    }
    const full = state.cap >= this.#fullCap;
    if (full) this.#hosts.delete(host);
    this.#report({ kind: 'host-restored', host, cap: state.cap, full });
  }
}
