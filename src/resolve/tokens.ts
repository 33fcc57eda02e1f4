import { z } from 'zod';

import type { Clock } from '../base/index.ts';
import type { Send } from '../http/index.ts';
import { Secret } from '../http/index.ts';
import type { Lookup } from '../works/index.ts';
import { lookupJson, maybe } from '../works/index.ts';
import type { ServiceName, Services } from './services.ts';

const grant = z.object({ access_token: z.string().min(1), expires_in: maybe(z.union([z.number(), z.string()])) });

/**
 * Tokens are renewed this long before they expire, so that no request arrives with an expired one; short-lived ones
 * at a tenth.
 */
const MARGIN_MS = 5 * 60_000;
const MARGIN_SHARE = 0.1;
const USUAL_SECONDS = 3_600;

interface Held {
  readonly token: Secret;
  readonly renewAt: number;
}

/** Hour-long tokens, issued for month-long ones: requested when needed, once for all waiting callers. */
export class Tokens {
  readonly #send: Send;
  readonly #services: Services;
  readonly #clock: Clock;
  readonly #held = new Map<ServiceName, Held>();
  readonly #asking = new Map<ServiceName, Promise<Lookup<Held>>>();

  constructor(send: Send, services: Services, clock: Clock) {
    this.#send = send;
    this.#services = services;
    this.#clock = clock;
  }

  /** A valid token, or why there is none. */
  async current(
    service: ServiceName,
    signal?: AbortSignal,
  ): Promise<Secret | Exclude<Lookup<never>, { kind: 'found' }>> {
    const held = this.#held.get(service);
    if (held && held.renewAt > this.#clock.now()) return held.token;
    const asking = this.#asking.get(service) ?? this.#renew(service, signal);
    this.#asking.set(service, asking);
    const renewed = await asking.finally(() => this.#asking.delete(service));
    if (renewed.kind !== 'found') return renewed;
    this.#held.set(service, renewed.value);
    return renewed.value.token;
  }

  /** Forgets a rejected token. */
  forget(service: ServiceName, token: Secret): void {
    if (this.#held.get(service)?.token === token) this.#held.delete(service);
  }

  async #renew(service: ServiceName, signal: AbortSignal | undefined): Promise<Lookup<Held>> {
    const at = this.#services.renewal(service) ?? service;
    const asked = this.#clock.now();
    const found = await lookupJson(
      this.#send,
      {
        url: this.#services.url(at, 'getAccessToken'),
        credentials: this.#services.credentials(at),
        robots: 'terms',
        pool: at,
        cache: 'bypass',
      },
      grant,
      signal,
    );
    if (found.kind !== 'found') return found;
    const seconds = Number(found.value.expires_in ?? USUAL_SECONDS) || USUAL_SECONDS;
    const lifeMs = seconds * 1000;
    const renewAt = asked + lifeMs - Math.min(MARGIN_MS, lifeMs * MARGIN_SHARE);
    return { ...found, value: { token: new Secret(found.value.access_token), renewAt } };
  }
}
