import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Admin, Simulation } from '../../sim/index.ts';
import { openCorpus } from './corpus.ts';
import { FLAG } from '../../sim/world/world.ts';

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

test('an estimate says how many works there are, how many are open and what that takes, for two pages and no file', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-estimate-'));
  await using simulation = await Simulation.open({
    parameters: { seed: 4, works: 250, hosts: 12, profile: 'calm' },
    documents: 'plain',
    timeScale: 0.01,
  });
  await using admin = await Admin.open(simulation);
  await using corpus = await openCorpus(join(scratch.path, 'run'), {
    sim: admin.url,
    // A busy machine may keep an answer waiting for a second, which on this clock is minutes.
    settings: {
      estimate: { megabytes_per_work: 3, requests_per_work: 2 },
      http: { connect_s: 3600, headers_s: 3600, idle_s: 3600, total_s: 7200 },
    },
  });
  const { world, log } = simulation;
  const listed = [...world.works()].filter(({ isXpac }) => !isXpac);
  const open = listed.filter(({ index }) => ((world.columns.flags[index] ?? 0) & FLAG.open) !== 0);
  const asked = (): number => log.since(0).filter(({ url }) => !url.endsWith('/robots.txt')).length;

  const all = await corpus.estimate({ filter: 'publication_year:1900-2100' });
  assert.equal(all.works, listed.length);
  assert.equal(all.sampled, 100);
  assert.ok(Math.abs(all.likely_open - open.length) <= 0.1 * listed.length, `${all.likely_open} of ${open.length}`);
  assert.deepEqual([all.credits.listing, all.credits.spent], [Math.ceil(listed.length / 100), 2]);
  assert.equal(all.gigabytes, Number(((all.likely_open * 3) / 1000).toPrecision(3)));
  const [slowest] = all.hosts;
  assert.ok(slowest);
  const seconds = (slowest.works * 2) / slowest.per_second;
  assert.ok(Math.abs(all.hours * 3600 - seconds) <= 0.1 * seconds, 'the host with the most to give sets the time');
  assert.equal(asked(), 2);

  const few = await corpus.estimate({ filter: 'publication_year:1900-2100', max: 7 });
  assert.equal(few.works, 7);
  // Named ones: all of them are looked at, so the number is exact.
  const named = listed.filter(({ doi }) => doi !== null).slice(0, 30);
  const exact = await corpus.estimate({ ids: named.map(({ doi }) => doi ?? '') });
  assert.deepEqual([exact.works, exact.credits.listing], [30, 0]);
  assert.equal(exact.likely_open, named.filter((work) => open.includes(work)).length);
  assert.ok((await corpus.estimate({ cites: [named[0]?.id ?? ''], depth: 2 })).at_least);
  assert.deepEqual(readdirSync(scratch.path), [], 'nothing was written');
});
