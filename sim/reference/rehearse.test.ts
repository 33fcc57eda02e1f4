import assert from 'node:assert/strict';
import { test } from 'node:test';

import { scaledClock, systemClock } from '../../src/base/index.ts';
import { HeldClock } from '../../src/testing/index.ts';
import { ALL_BEHAVIOURS } from '../behaviours/behaviour.ts';
import { stream } from '../random/stream.ts';
import { breakResolver } from '../server/admin.ts';
import { Simulation } from '../server/simulation.ts';
import { SERVICES } from '../services/index.ts';
import { clientSettings } from '../settings.ts';
import { parseManifestLine } from '../truth/manifest.ts';
import { DEFAULT_POLICY, RESOLVERS } from '../truth/policy.ts';
import type { TruthLine } from '../truth/truth-lines.ts';
import { truthLines } from '../truth/truth-lines.ts';
import { verify } from '../truth/verify.ts';
import type { Profile } from '../world/types.ts';
import { World } from '../world/world.ts';
import { pauseOn, ReferenceClient } from './client.ts';
import { rehearse } from './rehearse.ts';

const open = (profile: Profile, works: number, seed: number, clock: HeldClock): Promise<Simulation> =>
  Simulation.open({ documents: 'plain', parameters: { seed, works, hosts: 40, profile }, clock, latency: false });

for (const [profile, works] of [
  ['calm', 120],
  ['realistic', 200],
  ['politeness', 60],
] as const) {
  test(`a correct client obtains the truth of the ${profile} world and breaks no rule`, async () => {
    const clock = new HeldClock();
    await using simulation = await open(profile, works, 7, clock);
    const { verification, truth } = await rehearse(simulation, {
      policy: { ...DEFAULT_POLICY, selection: 'include_xpac=true' },
      clock,
      pause: (ms) => clock.advance(ms),
    });
    assert.deepEqual(verification.differences, []);
    assert.deepEqual(simulation.log.violations, []);
    const missed = truth.filter((line) => line.outcome !== 'saved' && !['A13', 'A14'].includes(line.archetype));
    if (profile !== 'realistic') assert.deepEqual(missed, [], 'everything open can be had where nothing goes wrong');
    assert.ok(
      truth.some(({ outcome }) => outcome === 'skipped'),
      'something is closed',
    );
  });
}

test('neither the order of arrival nor the number of workers changes what a correct client obtains, over ten seeds', async () => {
  for (let seed = 1; seed <= 10; seed += 1) {
    await using simulation = await Simulation.open({
      documents: 'plain',
      parameters: { seed, works: 40, hosts: 20, profile: 'calm' },
      latency: false,
    });
    const { identity } = simulation.world;
    const order = stream(seed, 'shuffle');
    const { verification } = await rehearse(simulation, {
      policy: DEFAULT_POLICY,
      clock: systemClock,
      // A calm world has no limits, so nobody waits and everything happens at once.
      pause: () => Promise.resolve(),
      workers: 8,
      order: (records) =>
        records
          .map((record) => ({ record, key: order.next() }))
          .sort((a, b) => a.key - b.key)
          .map(({ record }) => record),
    });
    assert.deepEqual(verification.differences, [], `seed ${seed}`);
    assert.equal(new World(simulation.world.parameters).identity, identity);
  }
});

test('in the hostile world every behaviour ends in its expected word and no canary sings', async () => {
  const scale = 0.002;
  await using simulation = await Simulation.open({
    documents: 'plain',
    parameters: { seed: 7, works: 500, hosts: 60, profile: 'hostile' },
    timeScale: scale,
    latency: false,
  });
  const shown = new Map(ALL_BEHAVIOURS.map((behaviour) => [JSON.stringify(behaviour), new Set<string>()]));
  for (const work of simulation.world.works())
    for (const { file, host } of work.locations) if (file) shown.get(JSON.stringify(file.behaviour))?.add(host);
  assert.deepEqual(
    [...shown].filter(([, hosts]) => hosts.size < 2).map(([behaviour]) => behaviour),
    [],
    'each behaviour is on at least two hosts',
  );
  const clock = scaledClock(systemClock, scale);
  const policy = { ...DEFAULT_POLICY, maxRetries: 1, maxBytes: 20_000_000 };
  const { verification } = await rehearse(simulation, {
    policy,
    clock,
    pause: pauseOn(clock),
    workers: 24,
    idleMs: 2_000,
  });
  assert.deepEqual(verification.differences, []);
  assert.deepEqual(
    simulation.log.violations.filter(({ rule }) => rule === 'canary' || rule === 'key-leak' || rule === 'robots'),
    [],
  );
});

test('every service that is broken on purpose is noticed by somebody', async () => {
  const clock = new HeldClock();
  await using simulation = await open('calm', 300, 7, clock);
  const pause = (ms: number): Promise<void> => clock.advance(ms);
  const truth: TruthLine[] = [];
  for await (const line of truthLines(simulation.world, simulation.documents, DEFAULT_POLICY)) truth.push(line);
  const options = {
    settings: clientSettings(simulation),
    pause,
    now: () => clock.monotonic(),
    maxRetries: 0,
    maxBytes: 1e8,
    idleMs: 5_000,
    resolvers: RESOLVERS,
  };
  using whole = new ReferenceClient(options);
  const records = new Map(
    (await whole.records()).map((record) => [record.id.replace('https://openalex.org/', ''), record]),
  );
  // Nobody needs DataCite to obtain a file: a client may use it to describe one. A library of Zotero only names works. What
  // only publishers' own interfaces have is in the world of reality.
  const elsewhere = new Set(['datacite', 'springer_nature', 'wiley_tdm', 'elsevier_tdm', 'zotero']);
  for (const { name } of SERVICES) {
    if (elsewhere.has(name)) continue;
    using client = new ReferenceClient(options);
    breakResolver(simulation, `resolver:${name}`);
    if (name === 'openalex') await assert.rejects(client.records());
    else {
      const line = truth.find(({ resolver, attempts }) =>
        name === 'doi' ? attempts.some((attempt) => attempt.resolver === name) : resolver === name,
      );
      assert.ok(line, `no work needs ${name}`);
      const record = records.get(line.work);
      assert.ok(record);
      const found = parseManifestLine(await client.obtain(record));
      assert.ok(!('fault' in found));
      const { differences } = verify([line], new Map([[line.work, found]]));
      assert.ok(differences.length > 0, `nobody noticed that ${name} is broken`);
    }
    breakResolver(simulation, 'none');
  }
});

test('full papers can be obtained as plain ones can', async () => {
  const clock = new HeldClock();
  await using simulation = await Simulation.open({
    parameters: { seed: 7, works: 16, hosts: 10, profile: 'calm' },
    clock,
    latency: false,
  });
  const { verification } = await rehearse(simulation, {
    policy: DEFAULT_POLICY,
    clock,
    pause: (ms) => clock.advance(ms),
  });
  assert.deepEqual(verification.differences, []);
});
