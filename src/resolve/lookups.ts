import type { z } from 'zod';

import type { Clock } from '../base/index.ts';
import { systemClock } from '../base/index.ts';
import type { Facts } from '../hosts/index.ts';
import type { Caller, HttpRequest, Send } from '../http/index.ts';
import { Secret, withCaller } from '../http/index.ts';
import type { Lookup } from '../works/index.ts';
import { lookupJson, lookupText } from '../works/index.ts';
import type { SharedAnswer } from './shared-answers.ts';
import { SharedAnswers } from './shared-answers.ts';
import type { Finding, ResolveContext } from './plan.ts';
import type { SameAs, Sameness } from './same-work.ts';
import { SERVICE_TABLE } from './service-table.ts';
import type { ServiceName, Services } from './services.ts';
import { Tokens } from './tokens.ts';

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

  /** The same for a job: another job uses its worker while a lookup waits. */
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
      cacheForMs: SERVICE_TABLE[service].cacheForMs,
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
  if (sameness.kind !== 'other') return sameness.kind === 'version' ? sameness.sameAs : null;
  const message = `the answer is about another work: ${sameness.why}`;
  yield { kind: 'problem', resolver, message, at: null, hasAnswered: true };
  return undefined;
}

/** Finding for a response that cannot be parsed. */
export function unreadable(resolver: string, what: string): Finding[] {
  return [{ kind: 'problem', resolver, message: `unexpected-shape: ${what}`, at: null }];
}
