import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { clientSettings, Simulation } from '../../../sim/index.ts';
import { TOPICS } from '../../../sim/world/topics.ts';
import { createClient, Secret } from '../../http/index.ts';
import { listOpenAlexWorks } from './provider.ts';

test('a listing out of budget or stopped resumes where it was; a finished one starts over', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-listing-'));
  const statePath = join(folder.path, 'state', 'listing.json');
  await using simulation = await Simulation.open({
    parameters: { seed: 7, works: 200, hosts: 12, profile: 'calm' },
    documents: 'plain',
  });
  const { dns, allowedAddresses, keys } = clientSettings(simulation);
  const [address = '', port = ''] = dns.address.split(':');
  const key = keys['openalex'] ?? '';
  const baseUrl = new URL('http://api.openalex.org.sim.test/');
  const topic = simulation.world.work(0).topics[0]?.topic ?? 0;
  const messages: string[] = [];
  const kept: string[] = [];
  const list = async (
    most = Infinity,
    text = TOPICS[topic]?.id ?? '',
    queued?: () => Promise<void>,
  ): Promise<string[]> => {
    await using client = createClient({
      contact: 'someone@docstokg.dev',
      perHost: { perSecond: Infinity },
      guard: {
        allow: allowedAddresses,
        dnsMap: [{ pattern: '*.sim.test', address, port: Number(port), trusted: true }],
      },
    });
    const found: string[] = [];
    for await (const work of listOpenAlexWorks(
      { topic: text },
      {
        send: client.send,
        baseUrl,
        credentials: [{ origin: baseUrl.origin, place: 'query', name: 'api_key', secret: new Secret(key) }],
        perPage: 2,
        statePath,
        records: { add: (records) => void kept.push(...Array.from(records, ({ id }) => id)) },
        tell: (message) => messages.push(message),
        queued,
      },
    )) {
      found.push(work.id);
      if (found.length >= most) break;
    }
    return found;
  };
  const all = await list();
  assert.ok(all.length > 6 && !existsSync(statePath), `${all.length} works`);
  assert.match(messages[0] ?? '', new RegExp(`^OpenAlex topic ".+" \\(T\\d+\\): ${all.length} works$`));
  assert.deepEqual(await list(1, 'nobody calls a topic so'), []);
  assert.equal(
    messages.at(-1),
    'no OpenAlex topic is called "nobody calls a topic so"; searching for its words: 0 works',
  );

  simulation.reset();
  simulation.run.allow(key, 2);
  const today = await list();
  assert.deepEqual(today, all.slice(0, 4));
  assert.match(messages.at(-1) ?? '', /stops here/);
  simulation.advance(86_400_000);
  simulation.run.allow(key, 10_000);
  assert.deepEqual(await list(3), all.slice(4, 7));
  // Stopped in the middle of a page, which is requested again as a whole: the record of its first work is kept.
  assert.deepEqual(kept.slice(-3), all.slice(4, 7));
  const rest = await list();
  assert.deepEqual(rest, all.slice(-rest.length));
  assert.ok([all.length - 5, all.length - 6].includes(rest.length), `${rest.length} of ${all.length}`);
  assert.equal(existsSync(statePath), false);
  assert.deepEqual(await list(1), all.slice(0, 1));
  // A cursor that OpenAlex no longer knows.
  const left = JSON.parse(readFileSync(statePath, 'utf8')) as { state: object };
  const expired = { ...left, state: { ...left.state, at: { kind: 'cursor', cursor: 'expired' } } };
  writeFileSync(statePath, JSON.stringify(expired));
  assert.deepEqual(await list(3), all.slice(0, 3));
  assert.ok(messages.some((message) => message.endsWith('starting over')));
  // Another query does not resume from that state.
  assert.ok(existsSync(statePath));
  const other = simulation.world.work(0).topics.length > 1 ? simulation.world.work(0).topics[1]?.topic : undefined;
  const another = TOPICS[other ?? (topic + 1) % TOPICS.length]?.id ?? '';
  const others = await list(Infinity, another);
  rmSync(statePath, { force: true });
  assert.deepEqual(others, await list(Infinity, another));
  assert.ok(others.length > 4, `${others.length} works`);
  // Killed while the queue is away: the works of the page before are listed again.
  let waits = 0;
  const away = list(Infinity, undefined, async () => {
    waits += 1;
    if (waits === 3) throw new Error('the queue is away');
  });
  await assert.rejects(away, /the queue is away/);
  assert.deepEqual(await list(3), all.slice(2, 5));
});
