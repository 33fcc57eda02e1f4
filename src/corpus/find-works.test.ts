import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Admin, Simulation } from '../../sim/index.ts';
import { openCorpus } from './corpus.ts';

test('looking for works and for their places writes nothing down and fetches no file', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-find-'));
  await using simulation = await Simulation.open({
    parameters: { seed: 11, works: 6, hosts: 4, profile: 'calm' },
    documents: 'plain',
    timeScale: 0.01,
  });
  await using admin = await Admin.open(simulation);
  const ids = [...simulation.world.works()].map(({ id }) => id);
  await using corpus = await openCorpus(join(scratch.path, 'run'), { sim: admin.url });
  const works = await Array.fromAsync(corpus.find({ ids }));
  assert.deepEqual(
    works.map(({ id }) => id),
    ids,
  );
  const plans = await Array.fromAsync(corpus.plans({ ids }));
  assert.deepEqual(
    plans.map(({ work }) => work.id),
    ids,
    'in their order, each once',
  );
  const places = plans.flatMap(({ findings }) => findings.filter(({ kind }) => kind === 'plan'));
  assert.ok(places.length > ids.length / 2, `${places.length} places`);
  assert.deepEqual(readdirSync(scratch.path), [], 'not even a folder');
  await assert.rejects(Array.fromAsync(corpus.find({ ids: ['nonsense'] })), { code: 'USAGE_ID' });
  await assert.rejects(Array.fromAsync(corpus.gather({ ids: ['nonsense'] })), { code: 'USAGE_ID' });
  assert.deepEqual(readdirSync(scratch.path), []);
});
