import * as z from 'zod';

import type { Clock } from '../base/index.ts';
import { systemClock } from '../base/index.ts';
import type { Facts, Fact } from '../hosts/index.ts';
import type { Caller, HttpRequest, Send } from '../http/index.ts';
import { Secret, SharedResults, withCaller } from '../http/index.ts';
import type { Lookup } from '../works/index.ts';
import { doiPath, lookupJson, lookupParsed, maybe } from '../works/index.ts';
import type { Finding } from './plan.ts';
import type { SameAs, Sameness } from './same-work.ts';
import { versionOf } from './same-work.ts';
import type { ServiceName, Services } from './services.ts';

/** A question to a service. */
export interface Question {
  /** The service that is asked. */
  readonly service: ServiceName;
  /** Below the service's base URL. */
  readonly path: string;
  /** Of the query; by default none. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Sent as JSON by POST. */
  readonly body?: unknown;
  /** The Accept header; that of the client by default. */
  readonly accept?: string;
}

const grant = z.object({ access_token: z.string().min(1), expires_in: maybe(z.union([z.number(), z.string()])) });

/** Tokens are renewed this long before they expire; short-lived ones at a tenth of their life. */
const MARGIN_MS = 5 * 60_000;
const MARGIN_SHARE = 0.1;
const USUAL_SECONDS = 3_600;

interface Token {
  readonly token: Secret;
  readonly freshMs: number;
}

export class Lookups {
  readonly #send: Send;
  readonly #services: Services;
  readonly #clock: Clock;
  #tokens: SharedResults<Lookup<Token>>;
  #shared: SharedResults<SharedAnswer>;
  readonly #facts: Facts | undefined;
  #caller: Caller | undefined;

  constructor(send: Send, services: Services, clock: Clock = systemClock, facts?: Facts) {
    this.#send = send;
    this.#services = services;
    this.#clock = clock;
    this.#tokens = new SharedResults(clock, (renewed) => (renewed.kind === 'found' ? renewed.value.freshMs : 0));
    this.#shared = new SharedResults(clock, ({ kind }) => (kind === 'known' ? KEPT_MS : 0));
    this.#facts = facts;
  }

  /** Like this object, but for a job: another job uses its worker while a lookup waits. */
  withCaller(caller: Caller): Lookups {
    const lookups = new Lookups(withCaller(this.#send, caller), this.#services, this.#clock, this.#facts);
    lookups.#tokens = this.#tokens;
    lookups.#shared = this.#shared;
    lookups.#caller = caller;
    return lookups;
  }

  /** An answer valid for many works, requested once per process or fleet. */
  sharedAnswer(key: string, ask: () => Promise<Lookup<string>>, signal?: AbortSignal): Promise<SharedAnswer> {
    return this.#shared.get(key, () => askOnce(this.#facts, key, ask), this.#caller, signal);
  }

  now(): number {
    return this.#clock.now();
  }

  json<S extends z.ZodType>(question: Question, schema: S, signal?: AbortSignal): Promise<Lookup<z.output<S>>> {
    return this.#ask(question, (request) => lookupJson(this.#send, request, schema, signal), signal);
  }

  /** `read` returns undefined if the text is something else. */
  parsed<T>(question: Question, read: (text: string) => T | undefined, signal?: AbortSignal): Promise<Lookup<T>> {
    return this.#ask(question, (request) => lookupParsed(this.#send, request, read, signal), signal);
  }

  /** Retries once with a new token if the service rejects the current one. */
  async #ask<T>(
    question: Question,
    ask: (request: HttpRequest) => Promise<Lookup<T>>,
    signal: AbortSignal | undefined,
  ): Promise<Lookup<T>> {
    const { service } = question;
    const issuer = this.#services.renewal(service);
    if (issuer === undefined) return ask(this.#request(question, undefined));
    for (let attempt = 1; ; attempt += 1) {
      const renewed = await this.#tokens.get(service, () => this.#newToken(issuer), this.#caller, signal);
      if (renewed.kind !== 'found') return renewed;
      const answer = await ask(this.#request(question, renewed.value.token));
      if (answer.kind !== 'problem' || answer.reason !== 'unauthorized' || attempt > 1) return answer;
      this.#tokens.drop(service, renewed);
    }
  }

  /** An hour-long token, issued for a month-long one. */
  async #newToken(issuer: ServiceName): Promise<Lookup<Token>> {
    const request = {
      url: this.#services.url(issuer, 'getAccessToken'),
      credentials: this.#services.credentials(issuer),
      robots: 'terms',
      pool: issuer,
      cache: 'bypass',
    } as const;
    const found = await lookupJson(this.#send, request, grant);
    if (found.kind !== 'found') return found;
    const lifeMs = (Number(found.value.expires_in ?? USUAL_SECONDS) || USUAL_SECONDS) * 1000;
    const freshMs = lifeMs - Math.min(MARGIN_MS, lifeMs * MARGIN_SHARE);
    return { ...found, value: { token: new Secret(found.value.access_token), freshMs } };
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

export function crossrefQuestion(doi: string, contact: string | null): Question {
  const parameters: Record<string, string> = contact === null ? {} : { mailto: contact };
  return { service: 'crossref', path: `works/${doiPath(doi)}`, parameters };
}

/** Queries a service for a resolver; undefined if there is no answer, after a finding that says why. */
export async function* answerOf<S extends z.ZodType>(
  resolver: ServiceName,
  { lookups, signal }: { readonly lookups: Lookups; readonly signal?: AbortSignal | undefined },
  question: Omit<Question, 'service'> & { readonly service?: ServiceName },
  schema: S,
): AsyncGenerator<Finding, z.output<S> | undefined> {
  const found = await lookups.json({ service: resolver, ...question }, schema, signal);
  yield* problemsOf(resolver, found);
  return found.kind === 'found' ? found.value : undefined;
}

export function needsKey(resolver: string, message: string): Finding {
  return { kind: 'problem', resolver, message, at: null, wantsKey: true };
}

/** Findings for a service that failed; a missing record is not a problem. */
export function problemsOf(resolver: string, lookup: Lookup<unknown> | SharedAnswer): Finding[] {
  if (lookup.kind === 'found' || lookup.kind === 'known' || lookup.kind === 'missing') return [];
  if (lookup.kind === 'later') return [{ kind: 'problem', resolver, message: lookup.reason, at: lookup.at }];
  return [{ kind: 'problem', resolver, message: `${lookup.reason}: ${lookup.message}`, at: null }];
}

/**
 * The other DOI of an answer that is a version of the work, or null; undefined after a finding if it is another work.
 */
export function* sameAsOf(resolver: string, sameness: Sameness): Generator<Finding, SameAs | null | undefined> {
  if (sameness.kind !== 'other') return versionOf(sameness);
  const message = `the answer is about another work: ${sameness.why}`;
  yield { kind: 'problem', resolver, message, at: null, hasAnswered: true };
  return undefined;
}

export function unreadable(resolver: string, what: string): Finding[] {
  return [{ kind: 'problem', resolver, message: `unexpected-shape: ${what}`, at: null }];
}

type SharedAnswer =
  | { readonly kind: 'known'; readonly text: string }
  | Exclude<Lookup<string>, { readonly kind: 'found' }>;

const KEPT_MS = 7 * 24 * 3_600_000;

/** Machines of a fleet need the same answer at the same time: one of them requests it. */
async function askOnce(
  facts: Facts | undefined,
  key: string,
  ask: () => Promise<Lookup<string>>,
): Promise<SharedAnswer> {
  let own: Lookup<string> | undefined;
  const find = async (): Promise<Fact> => {
    own = await ask();
    if (own.kind !== 'found') throw new Error('not known yet');
    return { text: own.value, forMs: KEPT_MS };
  };
  const fact = await facts?.once(key, find).catch(() => undefined);
  if (!own && fact) return { kind: 'known', text: fact.text };
  // No fleet, or its database is down: answer for this process alone.
  const answer = own ?? (await ask());
  return answer.kind === 'found' ? { kind: 'known', text: answer.value } : answer;
}
