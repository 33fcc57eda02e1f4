import type { Clock } from '../base/index.ts';
import { hostKey } from '../base/index.ts';
import { raced } from './raced.ts';
import type { HttpResult, Wrap } from './send.ts';
import { trailOf } from './send.ts';

export interface CircuitOptions {
  /** Failures in a row after which a host is left alone. */
  readonly failures: number;
  readonly openMs: number;
  readonly longestOpenMs: number;
}

interface HostState {
  failures: number;
  opened: number;
  openUntil: number;
  probe: Promise<void> | undefined;
}

const SERVER_FAULTS = new Set([500, 502, 504]);

/**
 * Leaves a failing host alone for a while instead of asking it again and again.
 *
 *   closed ──failures in a row──▶ open ──time──▶ half-open ──one probe──▶ closed, or open for twice as long
 */
export class Circuit {
  readonly #clock: Clock;
  readonly #options: CircuitOptions;
  readonly #report: (host: string, until: number) => void;
  readonly #hosts = new Map<string, HostState>();

  constructor(clock: Clock, options: CircuitOptions, report: (host: string, until: number) => void) {
    this.#clock = clock;
    this.#options = options;
    this.#report = report;
  }

  /** The wrapper. While a host is held, requests end with `later` at once; while it is probed, they wait for the probe. */
  wrap: Wrap = (next) => async (request, signal) => {
    const host = hostKey(request.url);
    for (let state = this.#hosts.get(host); state && state.opened > 0; state = this.#hosts.get(host)) {
      if (state.openUntil > this.#clock.now()) {
        return { kind: 'later', at: state.openUntil, reason: 'host-held', trail: trailOf(request) };
      }
      if (!state.probe) {
        const probe = Promise.withResolvers<void>();
        state.probe = probe.promise;
        try {
          return await this.#try(() => next(request, signal), host);
        } finally {
          state.probe = undefined;
          probe.resolve();
        }
      }
      await raced(state.probe, signal);
    }
    return this.#try(() => next(request, signal), host);
  };

  async #try(send: () => Promise<HttpResult>, host: string): Promise<HttpResult> {
    const result = await send();
    const state = this.#hosts.get(host);
    if (!isFault(result)) {
      // A request that never reached the host says nothing about it.
      if (result.kind === 'response' || result.kind === 'stopped') this.#hosts.delete(host);
      return result;
    }
    const failing = state ?? { failures: 0, opened: 0, openUntil: 0, probe: undefined };
    failing.failures += 1;
    this.#hosts.set(host, failing);
    const wasOpen = failing.opened > 0;
    if (failing.failures >= this.#options.failures && (!wasOpen || failing.openUntil <= this.#clock.now())) {
      const openMs = Math.min(this.#options.longestOpenMs, this.#options.openMs * 2 ** Math.min(failing.opened, 30));
      failing.opened += 1;
      failing.openUntil = this.#clock.now() + openMs;
      this.#report(host, failing.openUntil);
    }
    return result;
  }
}

function isFault(result: HttpResult): boolean {
  if (result.kind === 'failed') return true;
  if (result.kind !== 'response') return false;
  const { status, headers } = result.response;
  // A 503 that names a time is obeyed as a hold; it is a server that manages its load, not one that fails.
  return SERVER_FAULTS.has(status) || (status === 503 && headers['retry-after'] === undefined);
}
