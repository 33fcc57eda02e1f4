import assert from 'node:assert/strict';

import type { Clock } from '../../src/base/index.ts';
import type { Finding, Plan, ResolveContext } from '../../src/resolve/index.ts';
import { baseUrlsBelow, findPlans, Lookups, RESOLVERS, Services } from '../../src/resolve/index.ts';
import type { SeenRequest } from '../../src/testing/index.ts';
import { loopbackClient, openLoopback } from '../../src/testing/index.ts';
import type { Work } from '../../src/works/index.ts';
import { identify, NO_IDS, workFromIds } from '../../src/works/index.ts';

export const CONTACT = 'someone@university.edu';
export const KEYS = {
  openalex: 'key-openalex',
  core: 'key-core',
  semantic_scholar: 'key-s2',
  osf: 'key-osf',
  openaire: 'key-openaire',
  ncbi: 'key-ncbi',
  springer_nature: 'key-springer',
  wiley: 'key-wiley',
  elsevier: 'key-elsevier',
};

type Answer = string | Buffer | { readonly status: number; readonly body?: string; readonly type?: string };
/** Answers by host and decoded path; a function gets the request. */
export type Routes = Readonly<Record<string, Answer | ((request: SeenRequest) => Answer)>>;

/** A work of which no more is known than an id, and what is given. */
export function work(id: string, more: Partial<Work> = {}): Work {
  const made = workFromIds(identify(id) ?? NO_IDS);
  assert.ok(made, id);
  return { ...made, isComplete: true, ...more };
}

export interface Asked {
  readonly plans: readonly Plan[];
  readonly problems: readonly Extract<Finding, { kind: 'problem' }>[];
  readonly asked: readonly SeenRequest[];
}

/** Asks one resolver, with these answers behind the services; anything else they are asked is not there. */
export async function ask(
  name: string,
  about: Work,
  routes: Routes,
  { keys = KEYS, clock, ...context }: Partial<ResolveContext> & { readonly keys?: object; readonly clock?: Clock } = {},
): Promise<Asked> {
  await using server = await openLoopback((request, response) => {
    const place = `${request.host.replace('.sim.test', '')}${decodeURIComponent(request.url.split('?')[0] ?? '')}`;
    const route = routes[place];
    const answer = typeof route === 'function' ? route(request) : route;
    if (answer === undefined) return void response.writeHead(404).end('Resource not found.');
    if (typeof answer === 'string' || Buffer.isBuffer(answer)) return void response.end(answer);
    return void response
      .writeHead(answer.status, { 'content-type': answer.type ?? 'application/json' })
      .end(answer.body);
  });
  await using client = loopbackClient(server);
  const services = new Services({
    baseUrls: baseUrlsBelow('sim.test', 'http'),
    keys: keys as Record<string, string>,
  });
  const resolver = RESOLVERS.find((each) => each.name === name);
  assert.ok(resolver, name);
  const findings = await Array.fromAsync(
    findPlans(about, [resolver], {
      services,
      lookups: new Lookups(client.send, services, clock),
      contact: CONTACT,
      attempted: new Map(),
      thorough: true,
      ...context,
    }),
  );
  return {
    plans: findings.flatMap((finding) => (finding.kind === 'plan' ? [finding.plan] : [])),
    problems: findings.flatMap((finding) => (finding.kind === 'problem' ? [finding] : [])),
    asked: server.requests,
  };
}

/** Plans in a line each: what is expected, and where. The web of the test is shown as the real one. */
export function shown({ plans }: { readonly plans: readonly Plan[] }): string[] {
  return plans.map(({ expect, url }) => `${expect} ${real(url)}`);
}

/** Requests in a line each. */
export function sent({ asked }: Asked): string[] {
  return asked.map(({ method, host, url }) => `${method} ${real(`https://${host}${decodeURIComponent(url)}`)}`);
}

function real(url: string): string {
  return url.replace(/^http:\/\/([a-z0-9.-]+)\.sim\.test/, 'https://$1').replace('.sim.test', '');
}
