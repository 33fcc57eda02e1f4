import { z } from 'zod';

import type { Clock } from '../base/index.ts';
import { systemClock } from '../base/index.ts';
import type { Facts, Fact } from '../hosts/index.ts';
import type { Caller, HttpRequest, Send } from '../http/index.ts';
import { Secret, withCaller, raced, whileWaiting } from '../http/index.ts';
import type { Lookup } from '../works/index.ts';
import { lookupJson, lookupText, maybe } from '../works/index.ts';
import type { Finding, ResolveContext } from './plan.ts';
import type { SameAs, Sameness } from './same-work.ts';
import { versionOf } from './same-work.ts';
import type { ServiceName, Services } from './services.ts';

export interface Question {
  readonly service: ServiceName;
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** Sent as JSON by POST. */
  readonly body?: unknown;
  readonly accept?: string;
}

/** Queries services, adding keys, limits, terms and cache times. */
export class Lookups {
  readonly #send: Send;
  readonly #services: Services;
  readonly #clock: Clock;
  #tokens: Tokens;
  #shared: SharedAnswers;
  #caller: Caller | undefined;

  constructor(send: Send, services: Services, clock: Clock = systemClock, facts?: Facts) {
    this.#send = send;
    this.#services = services;
    this.#clock = clock;
    this.#tokens = new Tokens(send, services, clock);
    this.#shared = new SharedAnswers(facts);
  }

  /** Like this object, but for a job: another job uses its worker while a lookup waits. */
  withCaller(caller: Caller): Lookups {
    const lookups = new Lookups(withCaller(this.#send, caller), this.#services, this.#clock);
    lookups.#tokens = this.#tokens;
    lookups.#shared = this.#shared;
    lookups.#caller = caller;
    return lookups;
  }

  /** An answer valid for many works, requested once per process or fleet. */
  sharedAnswer(key: string, ask: () => Promise<Lookup<string>>, signal?: AbortSignal): Promise<SharedAnswer> {
    return this.#shared.find(key, ask, this.#caller, signal);
  }

  /** The current time, to decide what is in force. */
  now(): number {
    return this.#clock.now();
  }

  json<S extends z.ZodType>(question: Question, schema: S, signal?: AbortSignal): Promise<Lookup<z.output<S>>> {
    return this.#ask(question, (request) => lookupJson(this.#send, request, schema, signal), signal);
  }

  text(question: Question, signal?: AbortSignal): Promise<Lookup<string>> {
    return this.#ask(question, (request) => lookupText(this.#send, request, signal), signal);
  }

  /** Requests; retries once with a new token if the service rejects the current one. */
  async #ask<T>(
    question: Question,
    ask: (request: HttpRequest) => Promise<Lookup<T>>,
    signal: AbortSignal | undefined,
  ): Promise<Lookup<T>> {
    const { service } = question;
    if (this.#services.renewal(service) === undefined) return ask(this.#request(question, undefined));
    for (let attempt = 1; ; attempt += 1) {
      const token = await this.#tokens.current(service, signal);
      if (!(token instanceof Secret)) return token;
      const answer = await ask(this.#request(question, token));
      if (answer.kind !== 'problem' || answer.reason !== 'unauthorized' || attempt > 1) return answer;
      this.#tokens.forget(service, token);
    }
  }

  #request({ service, path, parameters, body, accept }: Question, token: Secret | undefined): HttpRequest {
    return {
      url: this.#services.url(service, path, parameters),
      credentials: this.#services.credentials(service, token),
      robots: 'terms',
      pool: service,
      cacheForMs: this.#services.cacheForMs(service),
      ...(accept !== undefined && { headers: { accept } }),
      ...(body !== undefined && {
        method: 'POST' as const,
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
        repeatable: true,
      }),
    };
  }
}

/** Queries a service for a resolver; undefined if there is no answer, after a finding that says why. */
export async function* answerOf<S extends z.ZodType>(
  resolver: ServiceName,
  { lookups, signal }: Pick<ResolveContext, 'lookups' | 'signal'>,
  question: Omit<Question, 'service'> & { readonly service?: ServiceName },
  schema: S,
): AsyncGenerator<Finding, z.output<S> | undefined> {
  const found = await lookups.json({ service: resolver, ...question }, schema, signal);
  yield* problemsOf(resolver, found);
  return found.kind === 'found' ? found.value : undefined;
}

/** Finding for a resolver that is skipped because it has no key. */
export function needsKey(resolver: string, message: string): Finding {
  return { kind: 'problem', resolver, message, at: null, wantsKey: true };
}

/** Findings for a service that failed; a missing record is not a problem. */
export function problemsOf(resolver: string, lookup: Lookup<unknown> | SharedAnswer): Finding[] {
  if (lookup.kind === 'found' || lookup.kind === 'known' || lookup.kind === 'missing') return [];
  if (lookup.kind === 'later') return [{ kind: 'problem', resolver, message: lookup.reason, at: lookup.at }];
  return [{ kind: 'problem', resolver, message: `${lookup.reason}: ${lookup.message}`, at: null }];
}

/** The other DOI of an answer that is a version of the work, or null; undefined after a finding if it is another work. */
export function* sameAsOf(resolver: string, sameness: Sameness): Generator<Finding, SameAs | null | undefined> {
  if (sameness.kind !== 'other') return versionOf(sameness);
  const message = `the answer is about another work: ${sameness.why}`;
  yield { kind: 'problem', resolver, message, at: null, hasAnswered: true };
  return undefined;
}

/** Finding for a response that cannot be parsed. */
export function unreadable(resolver: string, what: string): Finding[] {
  return [{ kind: 'problem', resolver, message: `unexpected-shape: ${what}`, at: null }];
}

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
class Tokens {
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

/** The answer, or why there is none. */
type SharedAnswer =
  | { readonly kind: 'known'; readonly text: string }
  | Exclude<Lookup<string>, { readonly kind: 'found' }>;

/** How long a fleet stores an answer; a process stores it while it runs. */
const KEPT_MS = 7 * 24 * 3_600_000;

/**
 * Answers valid for many works, such as the registration agency of a DOI prefix. Machines of a fleet need the same
 * answer at the same time; one of them requests it.
 */
export class SharedAnswers {
  readonly #facts: Facts | undefined;
  readonly #known = new Map<string, string>();
  readonly #underway = new Map<string, Promise<SharedAnswer>>();

  constructor(facts: Facts | undefined) {
    this.#facts = facts;
  }

  /** The answer for a key. `ask` ignores the first caller's signal, because others wait too. */
  async find(
    key: string,
    ask: () => Promise<Lookup<string>>,
    caller?: Caller,
    signal?: AbortSignal,
  ): Promise<SharedAnswer> {
    const text = this.#known.get(key);
    if (text !== undefined) return { kind: 'known', text };
    const underway = this.#underway.get(key);
    // A waiting job gives up its worker: the job that asks may need it.
    if (underway) return whileWaiting(caller, () => raced(underway, signal));
    const finding = this.#find(key, ask).finally(() => this.#underway.delete(key));
    this.#underway.set(key, finding);
    return raced(finding, signal);
  }

  async #find(key: string, ask: () => Promise<Lookup<string>>): Promise<SharedAnswer> {
    let own: Lookup<string> | undefined;
    const find = async (): Promise<Fact> => {
      own = await ask();
      if (own.kind !== 'found') throw new Error('not known yet');
      return { text: own.value, forMs: KEPT_MS };
    };
    const fact = await this.#facts?.once(key, find).catch(() => undefined);
    // No fleet, or its database is down: answer for this process alone.
    const answer: Lookup<string> | { readonly kind: 'found'; readonly value: string } =
      own ?? (fact ? { kind: 'found', value: fact.text } : await ask());
    if (answer.kind !== 'found') return answer;
    this.#known.set(key, answer.value);
    return { kind: 'known', text: answer.value };
  }
}
