import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';

import { HeldClock } from '../../src/testing/index.ts';
import { SIM_KEYS } from '../server/run-state.ts';
import { Simulation } from '../server/simulation.ts';
import { NO_ROBOTS_HOST } from '../world/hosts.ts';
import type { Location } from '../world/types.ts';
import type { Rule } from './request-log.ts';
import { countByRule, RULES } from './request-log.ts';

const AGENT = 'NaiveBot/1.0 (+https://example.org; mailto:someone@example.org)';

/** A client without limits: it requests the given URLs at once. */
function ask(simulation: Simulation, url: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const { host, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port: simulation.port,
      path: pathname + search,
      headers: { host, 'user-agent': AGENT, ...headers },
      agent: new Agent(),
    });
    sent.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Waits until this many requests have arrived. */
async function arrived(simulation: Simulation, count: number): Promise<void> {
  while (simulation.log.since(0).length < count) await new Promise(setImmediate);
}

function find(simulation: Simulation, fits: (location: Location) => boolean): Location {
  for (const work of simulation.world.works())
    for (const location of work.locations)
      if (fits(location) && /^(missing|allow|forbidden)$/.test(simulation.world.host(location.host)?.robots ?? ''))
        return location;
  throw new Error('the world has no such location');
}

/** How the naive client breaks each rule. */
const VIOLATIONS: Readonly<Record<Rule, (simulation: Simulation, clock: HeldClock) => Promise<unknown>>> = {
  robots: (simulation) => ask(simulation, `http://${NO_ROBOTS_HOST}/articles/files/1000000.pdf`),
  'robots-refetch': async (simulation) => {
    await ask(simulation, `http://${NO_ROBOTS_HOST}/robots.txt`);
    await ask(simulation, `http://${NO_ROBOTS_HOST}/robots.txt`);
  },
  'retry-after': async (simulation, clock) => {
    const { url } = find(
      simulation,
      ({ behaviour }) => behaviour.kind === 'throttled' && behaviour.retryAfter === 'seconds',
    );
    assert.equal(await ask(simulation, url), 429);
    await clock.advance(500);
    await ask(simulation, url);
  },
  'min-interval': async (simulation) => {
    const host = simulation.world.hosts.find(({ robots }) => robots === 'crawl-delay')?.name ?? '';
    await ask(simulation, `http://${host}/robots.txt`);
    await ask(simulation, `http://${host}/a`);
    await ask(simulation, `http://${host}/b`);
  },
  rate: async (simulation) => {
    await ask(simulation, 'http://export.arxiv.org.sim.test/api/query?id_list=2401.00001');
    // All hosts of arXiv share one limit.
    assert.equal(await ask(simulation, 'http://arxiv.org.sim.test/abs/none'), 429);
  },
  concurrency: async (simulation) => {
    const slow = [1, 2, 3, 4].map((at) => ask(simulation, `http://api.crossref.org.sim.test/works/10.5555/none${at}`));
    await Promise.all(slow);
  },
  'post-ban': async (simulation, clock) => {
    const { url } = find(
      simulation,
      ({ behaviour }) => behaviour.kind === 'throttled' && behaviour.retryAfter === 'absurd',
    );
    await ask(simulation, url);
    await clock.advance(60_000);
    for (let more = 0; more < 12; more += 1) await ask(simulation, `${url}?again=${more}`);
  },
  'key-leak': async (simulation) => {
    await ask(simulation, 'http://doi.org.sim.test/10.5555/none', { authorization: `Bearer ${SIM_KEYS.openalex}` });
    await ask(simulation, 'http://doaj.org.sim.test/', { cookie: 'simwall=open.www.other.sim.test' });
  },
  'user-agent': (simulation) =>
    ask(simulation, 'http://doi.org.sim.test/10.5555/none', { 'user-agent': 'Mozilla/5.0' }),
  canary: (simulation) =>
    new Promise((resolve) => {
      const socket = connect(simulation.canaries.v4, '127.0.0.1', () => socket.end());
      socket.on('close', resolve);
    }),
  'private-address': (simulation) => ask(simulation, `http://127.0.0.1:${simulation.port}/`),
  'cursor-replay': async (simulation, clock) => {
    const url = `http://api.openalex.org.sim.test/works?cursor=*&per_page=1&select=id&api_key=${SIM_KEYS.openalex}`;
    await ask(simulation, url);
    await clock.advance(2_000);
    await ask(simulation, url);
  },
  'identical-in-flight': async (simulation) => {
    await Promise.all([1, 2].map(() => ask(simulation, 'http://doaj.org.sim.test/api/v4/search/articles/x')));
  },
};

test('an impolite client is caught by every rule', async () => {
  for (const rule of Object.keys(RULES) as Rule[]) {
    const clock = new HeldClock();
    const overlaps = rule === 'concurrency' || rule === 'identical-in-flight';
    await using simulation = await Simulation.open({
      documents: 'plain',
      parameters: { seed: 3, works: 500, hosts: 30, profile: 'hostile' },
      clock,
      latency: overlaps,
    });
    const sinning = VIOLATIONS[rule](simulation, clock);
    if (overlaps) {
      // Both requests have arrived before the clock allows a response.
      await arrived(simulation, rule === 'concurrency' ? 4 : 2);
      await clock.advance(10_000);
    }
    await sinning;
    const counts = countByRule(simulation.log.violations);
    assert.ok(counts[rule] > 0, `${rule} was not noticed`);
    const expected = rule === 'post-ban' ? ['post-ban', 'retry-after'] : [rule];
    assert.deepEqual(
      Object.entries(counts)
        .filter(([, count]) => count > 0)
        .map(([name]) => name)
        .sort(),
      expected,
      `${rule} was mistaken for something else`,
    );
  }
});

test('a robots.txt may be fetched again after a day', async () => {
  const clock = new HeldClock();
  await using simulation = await Simulation.open({
    documents: 'plain',
    parameters: { seed: 3, works: 500, hosts: 30, profile: 'hostile' },
    clock,
    latency: false,
  });
  await ask(simulation, `http://${NO_ROBOTS_HOST}/robots.txt`);
  simulation.advance(24 * 3_600_000);
  await ask(simulation, `http://${NO_ROBOTS_HOST}/robots.txt`);
  assert.deepEqual(simulation.log.violations, []);
});
