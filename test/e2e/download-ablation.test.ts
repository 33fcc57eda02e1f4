import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { ablate } from '../support/ablation.ts';
import { openWorld } from '../support/harvest.ts';

test('disabling a resolver loses exactly the works that only it can obtain, for every resolver', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-ablation-'));
  await using simulation = await openWorld({
    profile: 'calm',
    seed: 6,
    works: 60,
    hosts: 12,
    workers: 32,
    documents: 'plain',
    timeScale: 0.02,
  });
  const found = await Array.fromAsync(ablate(simulation, folder.path, { scope: 'few' }));
  assert.equal(found.length, 23);
  for (const { resolver, only, lost, differences } of found)
    assert.deepEqual({ resolver, lost, differences }, { resolver, lost: only, differences: [] });
  assert.ok(
    found.filter(({ only }) => only.length > 0).length >= 14,
    'most resolvers have works that only they can obtain',
  );
});
