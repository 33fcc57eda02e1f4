import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ALL_BEHAVIOURS } from '../behaviours/behaviour.ts';
import { downHost } from '../services/down.ts';
import { renderWork } from '../services/openalex-work.ts';
import { World } from '../world/world.ts';
import type { ExpectedWork } from './outcome.ts';
import { expectedOutcome } from './outcome.ts';
import type { Policy } from './policy.ts';
import { DEFAULT_POLICY, parsePolicy, RESOLVERS } from './policy.ts';
import { isReason, REASONS } from './reasons.ts';
import { lossOf } from './verdict.ts';

const world = new World({ seed: 7, works: 500, hosts: 60, profile: 'realistic' });
const under = (policy: Partial<Policy>): ExpectedWork[] => expectedOutcome(world, { ...DEFAULT_POLICY, ...policy });
const saved = (works: readonly ExpectedWork[]): Set<string> =>
  new Set(works.filter(({ outcome }) => outcome === 'saved').map(({ work }) => work.id));
const from = (works: readonly ExpectedWork[], resolver: string): number =>
  works.filter(({ winner }) => winner?.plan.resolver === resolver).length;
const as = (works: readonly ExpectedWork[], form: string): number =>
  works.filter(({ winner }) => winner?.file.payload.form === form).length;
const usual = under({});

test('disabling a resolver loses exactly the works only it obtains, for every resolver', () => {
  const before = saved(usual);
  for (const resolver of RESOLVERS) {
    const after = saved(under({ resolvers: RESOLVERS.filter((one) => one !== resolver) }));
    const lost = [...before].filter((id) => !after.has(id));
    const only = usual.filter(({ by }) => by.length === 1 && by[0] === resolver).map(({ work }) => work.id);
    assert.deepEqual(lost, only, resolver);
  }
});

test('the order of resolvers changes which one obtains a work, never whether it is obtained', () => {
  const reversed = under({ resolvers: RESOLVERS.toReversed() });
  assert.deepEqual(saved(reversed), saved(usual));
  assert.notDeepEqual(
    RESOLVERS.map((resolver) => from(reversed, resolver)),
    RESOLVERS.map((resolver) => from(usual, resolver)),
  );
});

test('every attempt and work ends with a known reason', () => {
  for (const { reason, attempts } of usual) {
    assert.ok(isReason(reason));
    for (const attempt of attempts) assert.equal(REASONS[attempt.reason].scope, 'plan');
  }
});

test('a flaky file is obtained exactly when it fails no more often than the client retries', () => {
  for (const behaviour of ALL_BEHAVIOURS)
    if ('times' in behaviour && !(behaviour.kind === 'throttled' && behaviour.retryAfter === 'absurd'))
      for (const maxRetries of [0, 1, 99])
        assert.equal(lossOf(behaviour, { ...DEFAULT_POLICY, maxRetries }) === null, behaviour.times <= maxRetries);
  assert.ok(saved(under({ maxRetries: 0 })).size < saved(usual).size);
});

test('without a key the services that need one return nothing', () => {
  const keyless = under({ keys: [] });
  assert.equal(from(keyless, 'core'), 0);
  assert.equal(from(keyless, 'openalex_content'), 0);
  assert.ok(from(usual, 'core') > 0);
});

test('a budget is used in work order and defers what it cannot pay for', () => {
  const poor = under({ contentCredits: 350 });
  assert.equal(from(poor, 'openalex_content'), 3);
  const parked = poor.filter(({ reason }) => reason === 'budget-exhausted');
  assert.ok(parked.length > 0);
  assert.ok(parked.every(({ outcome, budgetDependent }) => outcome === 'parked' && budgetDependent));
});

test('a client that accepts only PDF obtains no XML, and one that ignores robots.txt obtains more', () => {
  const onlyPdf = under({ accept: ['pdf'] });
  assert.equal(as(onlyPdf, 'jats'), 0);
  assert.ok(as(onlyPdf, 'pdf') > as(usual, 'pdf'));
  assert.ok(saved(under({ robots: false })).size > saved(usual).size);
});

test('a file above the size limit is rejected, whichever resolver offers it', () => {
  const none = expectedOutcome(world, { ...DEFAULT_POLICY, maxBytes: 10 }, () => 11);
  assert.equal(saved(none).size, 0);
  assert.ok(none.some(({ attempts }) => attempts.some(({ reason }) => reason === 'too-large')));
});

test('retracted works are excluded on request, and a dead host gives nothing', () => {
  assert.ok(
    under({ retracted: 'skip' }).some(({ outcome, reason }) => outcome === 'skipped' && reason === 'retracted'),
  );
  const host = 'export.arxiv.org.sim.test';
  const dead = under({ deadHosts: [host] });
  assert.equal(from(dead, 'arxiv'), 0);
});

test('a policy with an unknown field, type or resolver is rejected', () => {
  assert.throws(() => parsePolicy({ retries: 3 }), { code: 'USAGE_SIM_POLICY' });
  assert.throws(() => parsePolicy({ maxRetries: 'many' }), { code: 'USAGE_SIM_POLICY' });
  assert.throws(() => parsePolicy({ resolvers: ['scihub'] }), { code: 'USAGE_SIM_POLICY' });
  assert.equal(parsePolicy({ maxRetries: 1 }).maxRetries, 1);
});

test('a selection limits the truth to what OpenAlex returns for it', () => {
  const coral = under({ selection: 'filter=topics.id:T10341' });
  assert.ok(coral.length > 0 && coral.length < usual.length);
  assert.ok(coral.every(({ work }) => work.topics.some(({ topic }) => topic === 18)));
  assert.equal(under({ selection: 'include_xpac=true' }).length, world.size);
  assert.throws(() => under({ selection: 'filter=colour:red' }), /colour is not a valid field/);
});

test('a small reality world has a work for every single resolver, a host with a Retry-After of a year and an unresolvable name', () => {
  const policy = { ...DEFAULT_POLICY, keys: [...DEFAULT_POLICY.keys, 'wiley', 'elsevier'] };
  for (const seed of [1, 2, 3]) {
    const reality = new World({ seed, works: 30, hosts: 12, profile: 'reality' });
    const works = expectedOutcome(reality, policy);
    const own = new Set(works.flatMap(({ by }) => (by.length === 1 ? by : [])));
    assert.deepEqual(
      RESOLVERS.filter((resolver) => !own.has(resolver)),
      [],
      `seed ${seed}`,
    );
    const reasons = new Set(works.flatMap(({ attempts }) => attempts.map(({ reason }) => reason)));
    assert.ok(reasons.has('host-given-up') && reasons.has('not-found'), `seed ${seed}`);
    // Requested fields may be missing in records of the older format.
    const shapes = [...reality.works()].map((work) => 'has_content' in renderWork(reality, work, false));
    assert.deepEqual([shapes[0], shapes.includes(false)], [true, true]);
  }
});

test('works known only to a service that is down are deferred', () => {
  const reality = new World({ seed: 4, works: 60, hosts: 12, profile: 'reality' });
  assert.equal(downHost(reality.parameters), 'doaj.org.sim.test');
  const works = expectedOutcome(reality, DEFAULT_POLICY);
  assert.equal(from(works, 'doaj'), 0);
  const lost = works.filter(({ outcome, work }) => outcome !== 'saved' && work.doi !== null);
  assert.ok(lost.length > 0 && lost.every(({ outcome, reason }) => outcome === 'parked' && reason === 'lookup-failed'));
  assert.ok(works.every(({ reason, work }) => reason !== 'no-plan' || work.doi === null));
});
