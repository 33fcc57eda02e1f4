import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { HttpResult, Send } from '../http/index.ts';
import type { Finding, Resolver } from '../resolve/index.ts';
import { HeldClock } from '../testing/index.ts';
import { workFromPayload } from '../works/index.ts';
import { KeptFiles } from './kept-files.ts';
import type { WorkOutcome } from './manifest-row.ts';
import { processWork } from './try-plan.ts';
import { SameWorks } from './same-works.ts';

const NEVER = '/nonexistent/docstokg';

/** The outcome of a work whose only resolver has these findings, and whose URLs return these responses. */
async function outcomeOf(findings: readonly Finding[], ...answers: readonly HttpResult[]): Promise<WorkOutcome> {
  let asked = 0;
  const send: Send = async () => answers[asked++] as HttpResult;
  const resolver: Resolver = {
    name: 'test',
    async *plans() {
      yield* findings;
    },
  };
  using files = new KeptFiles(NEVER);
  // No body byte arrives, so no part file is created.
  files.newPart = async () => ({ part: NEVER, beginning: undefined });
  const clock = new HeldClock(0);
  const work = { ...workFromPayload('w', undefined), isComplete: true };
  const { outcome } = await processWork(work, {
    send, files, clock, inspect: undefined, accept: new Set(['pdf']), maxBytes: 1, budgetMs: 1_000, retries: 0,
    signal: new AbortController().signal, resolvers: [resolver],
    sameWorks: new SameWorks(() => undefined),
    resolve: {} as Parameters<typeof processWork>[1]['resolve'],
  }); // prettier-ignore
  return outcome;
}

const plan = (url: string): Finding => ({
  kind: 'plan',
  plan: {
    resolver: 'test', url, expect: 'pdf', isPromised: true, license: null, version: null, hostType: null, robots: 'obey',
    credentials: [], headers: {}, checksum: null, sameAs: null, terms: null,
  },
}); // prettier-ignore
const A = plan('http://a.test/a.pdf');
const B = plan('http://b.test/b.pdf');
const trail = { url: 'http://a.test/a.pdf', chain: [] };
const forbidden: HttpResult = { kind: 'refused', reason: 'robots-disallowed', message: 'no', trail };
const stalled: HttpResult = { kind: 'failed', reason: 'headers-timeout', message: 'no', retryable: true, trail };

test('a work known to be unavailable is skipped, with the reason of the last URL', async () => {
  const outcome = await outcomeOf([A], forbidden);
  assert.deepEqual([outcome.kind, outcome.kind !== 'saved' && outcome.reason], ['skipped', 'robots-disallowed']);
});

test('a work without any URL is skipped with its own reason', async () => {
  assert.deepEqual(await outcomeOf([]), { kind: 'skipped', reason: 'no-plan', detail: null });
});

test('a failure is retryable, even if other URLs were unavailable', async () => {
  const outcome = await outcomeOf([A, B], stalled, forbidden);
  assert.deepEqual([outcome.kind, outcome.kind !== 'saved' && outcome.reason], ['failed', 'timeout']);
});

test('an abandoned host is the reason, whatever else failed', async () => {
  const givenUp: HttpResult = { kind: 'refused', reason: 'retry-after-too-long', message: 'a year', trail };
  const outcome = await outcomeOf([A, B], givenUp, stalled);
  assert.deepEqual([outcome.kind, outcome.kind !== 'saved' && outcome.reason], ['failed', 'host-given-up']);
});

test('a rejected lookup is deferred, and never means that there is no copy', async () => {
  const problem: Finding = { kind: 'problem', resolver: 'openalex', message: 'forbidden: status 403', at: null };
  for (const findings of [[problem], [problem, A]]) {
    const outcome = await outcomeOf(findings, forbidden);
    assert.deepEqual([outcome.kind, outcome.kind !== 'saved' && outcome.reason], ['failed', 'lookup-failed']);
    assert.match(outcome.kind === 'failed' ? (outcome.detail ?? '') : '', /^openalex forbidden: status 403/);
  }
});

test('a service that is down until a given time is waited for, whatever the others returned', async () => {
  const problem: Finding = { kind: 'problem', resolver: 'openalex', message: 'rate-limited', at: 5_000 };
  for (const findings of [[problem], [problem, A]]) {
    const outcome = await outcomeOf(findings, forbidden);
    assert.deepEqual(
      [outcome.kind, outcome.kind === 'parked' && outcome.reason, outcome.kind === 'parked' && outcome.at],
      ['parked', 'lookup-failed', 5_000],
    );
  }
});

test('a work whose host is paused is deferred, with the reason', async () => {
  const paused: HttpResult = { kind: 'later', at: 60_000, reason: 'paused', trail };
  const outcome = await outcomeOf([A, B], paused, forbidden);
  assert.deepEqual(
    [outcome.kind, outcome.kind === 'parked' && outcome.reason, outcome.kind === 'parked' && outcome.at],
    ['parked', 'host-paused', 60_000],
  );
});

test('a response about another work is reported and not retried', async () => {
  const problem: Finding = {
    kind: 'problem',
    resolver: 'hal',
    message: 'the answer is about another work: its title differs',
    at: null,
    hasAnswered: true,
  };
  const outcome = await outcomeOf([problem]);
  assert.deepEqual([outcome.kind, outcome.kind === 'skipped' && outcome.reason], ['skipped', 'no-plan']);
});

test('the resolver named by a job is tried first', async () => {
  const asked: string[] = [];
  const resolvers = ['one', 'two', 'three'].map((name): Resolver => ({
    name,
    async *plans() {
      asked.push(name);
      yield* [];
    },
  }));
  using files = new KeptFiles(NEVER);
  const clock = new HeldClock(0);
  await processWork({ ...workFromPayload('w', undefined), isComplete: true }, {
    send: async () => assert.fail('nothing is to be fetched'), files, clock, inspect: undefined, accept: new Set(['pdf']),
    maxBytes: 1, budgetMs: 1_000, retries: 0, signal: new AbortController().signal, resolvers,
    sameWorks: new SameWorks(() => undefined), hint: 'three',
    resolve: {} as Parameters<typeof processWork>[1]['resolve'],
  }); // prettier-ignore
  assert.deepEqual(asked, ['three', 'one', 'two']);
});
