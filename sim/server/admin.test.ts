import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';

import { HeldClock } from '../../src/testing/index.ts';
import type { ClientSettings } from '../settings.ts';
import type { TruthLine } from '../truth/truth-lines.ts';
import { Admin } from './admin.ts';
import { SIM_KEYS } from './run-state.ts';
import { Simulation } from './simulation.ts';

async function truthOf(admin: Admin, policy: unknown = {}): Promise<TruthLine[]> {
  const response = await fetch(`${admin.url}/__sim/truth`, { method: 'POST', body: JSON.stringify(policy) });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as TruthLine);
}

async function pull(admin: Admin, lever: string, given: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${admin.url}/__sim/${lever}`, { method: 'POST', body: JSON.stringify(given) });
  return { status: response.status, ...((await response.json()) as object) };
}

test('the admin API shows the world and supports every control', async () => {
  await using simulation = await Simulation.open({
    documents: 'plain',
    parameters: { seed: 7, works: 100, hosts: 20, profile: 'calm' },
    clock: new HeldClock(),
  });
  await using admin = await Admin.open(simulation);
  const world = (await (await fetch(`${admin.url}/__sim/world`)).json()) as {
    readonly identity: string;
    readonly client: ClientSettings;
  };
  assert.equal(world.identity, simulation.world.identity);
  assert.deepEqual(world.client.allowedAddresses, [`127.0.0.1:${simulation.port}`]);

  const before = await truthOf(admin);
  const host = before.find(({ resolver }) => resolver === 'arxiv')?.url?.split('/')[2] ?? '';
  await pull(admin, 'kill-host', { host });
  const after = await truthOf(admin);
  assert.ok(
    after.every(({ resolver }) => resolver !== 'arxiv'),
    'the truth reflects a host that was switched off',
  );
  await pull(admin, 'kill-host', { host, alive: true });
  assert.deepEqual(await truthOf(admin), before);
  assert.ok((await truthOf(admin, { accept: ['pdf'] })).every(({ kind }) => kind !== 'xml'));

  assert.equal((await pull(admin, 'clock', { advanceMs: 86_400_000 }))['now'], '2026-01-16T00:00:00.000Z');
  assert.equal((await pull(admin, 'budget', { credits: 3_000 }))['credits'], 3_000);
  assert.equal(simulation.run.limit(SIM_KEYS.openalex), 3_000);
  assert.equal((await pull(admin, 'reset', {}))['run'], 2);
  assert.deepEqual((await pull(admin, 'mutate', { break: 'resolver:hal' }))['broken'], ['hal']);
  assert.deepEqual((await pull(admin, 'mutate', { break: 'none' }))['broken'], []);
  assert.notEqual((await pull(admin, 'profile', { profile: 'hostile' }))['identity'], world.identity);
  for (const [lever, given] of [
    ['mutate', { break: 'resolver:nobody' }],
    ['clock', {}],
    ['profile', { profile: 'mild' }],
    ['nothing', {}],
    ['truth', { retries: 1 }],
  ] as const)
    assert.equal((await pull(admin, lever, given))['status'], 400, lever);
});

test('the admin API rejects other host names, and the web does not mention it', async () => {
  await using simulation = await Simulation.open({
    documents: 'plain',
    parameters: { seed: 7, works: 10, hosts: 8, profile: 'calm' },
    clock: new HeldClock(),
  });
  await using admin = await Admin.open(simulation);
  const status = (port: number, host: string, path: string): Promise<number> =>
    new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });
  assert.equal(await status(admin.port, 'evil.example', '/__sim/world'), 400);
  assert.equal(await status(simulation.port, 'doi.org.sim.test', '/__sim/world'), 404);
  assert.equal(await status(simulation.port, `127.0.0.1:${simulation.port}`, '/__sim/world'), 421);
});
