import type { z } from 'zod';

import type { HttpRequest, Send } from '../http/index.ts';
import type { Lookup } from '../works/index.ts';
import { lookupJson, lookupText } from '../works/index.ts';
import type { Finding } from './plan.ts';
import { SERVICE_TABLE } from './service-table.ts';
import type { ServiceName, Services } from './services.ts';

export interface Question {
  readonly service: ServiceName;
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** Sent as JSON by POST, for searches that demand it. */
  readonly body?: unknown;
  readonly accept?: string;
}

/** Questions to services: keys, pools, terms and freshness are put in here, so that resolvers say only what they ask. */
export class Lookups {
  readonly #send: Send;
  readonly #services: Services;

  constructor(send: Send, services: Services) {
    this.#send = send;
    this.#services = services;
  }

  json<S extends z.ZodType>(question: Question, schema: S, signal?: AbortSignal): Promise<Lookup<z.output<S>>> {
    return lookupJson(this.#send, this.#request(question), schema, signal);
  }

  text(question: Question, signal?: AbortSignal): Promise<Lookup<string>> {
    return lookupText(this.#send, this.#request(question), signal);
  }

  #request({ service, path, parameters, body, accept }: Question): HttpRequest {
    return {
      url: this.#services.url(service, path, parameters),
      credentials: this.#services.credentials(service),
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

/** What a resolver says when a service did not answer as it should; a record that is not there needs no words. */
export function problemsOf(resolver: string, lookup: Lookup<unknown>): Finding[] {
  if (lookup.kind === 'found' || lookup.kind === 'missing') return [];
  if (lookup.kind === 'later') return [{ kind: 'problem', resolver, message: lookup.reason, at: lookup.at }];
  return [{ kind: 'problem', resolver, message: `${lookup.reason}: ${lookup.message}`, at: null }];
}
