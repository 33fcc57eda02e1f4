import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Simulation } from '../../sim/index.ts';
import type { Work } from '../../sim/world/types.ts';
import { Records } from '../../src/database/index.ts';
import type { Harvest } from '../support/harvest.ts';
import { harvest, openWorld, readManifest, verifyFolder, wrongFiles } from '../support/harvest.ts';

// A small part of `npm run verify:download`, which has many seeds, sizes and numbers of workers.

const WORLD = { works: 40, hosts: 12, timeScale: 0.05 } as const;

const RUNS: readonly Harvest[] = [
  { ...WORLD, profile: 'calm', seed: 5, workers: 1, documents: 'plain' },
  { ...WORLD, profile: 'realistic', seed: 6, workers: 16, documents: 'full' },
  { ...WORLD, profile: 'politeness', seed: 3, workers: 32, documents: 'plain' },
  { ...WORLD, profile: 'reality', seed: 6, workers: 16, documents: 'plain' },
];

for (const run of RUNS) {
  test(`${run.workers} workers in a ${run.profile} world obtain the expected works, hashes, resolvers and reasons without violations, and a second run downloads nothing`, async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-harvest-'));
    await using simulation = await openWorld(run);
    const first = await harvest(simulation, folder.path, run);
    const code = Number(first.summary['failed']) > 0 ? 1 : 0;
    assert.equal(first.code, code, first.stderr);
    assert.deepEqual((await verifyFolder(simulation, folder.path)).differences, []);
    assert.deepEqual(simulation.log.violations, []);
    assert.deepEqual(wrongFiles(folder.path), []);
    assert.deepEqual(worksWithoutRecord(simulation, folder.path), []);
    const requests = simulation.log.since(0).length;
    const again = await harvest(simulation, folder.path, run);
    assert.deepEqual([again.code, again.summary['saved'], again.summary['bytes']], [code, 0, 0]);
    assert.equal(simulation.log.since(0).length, requests, 'not a single request');
  });
}

/** Works whose record differs from OpenAlex. */
function worksWithoutRecord(simulation: Simulation, folder: string): string[] {
  using records = Records.open(folder);
  const manifest = [...readManifest(folder).keys()];
  const isTwin = (work: Work, other: Work | undefined): boolean =>
    other?.duplicateOf === work.index || (other !== undefined && other.index === work.duplicateOf);
  return manifest.filter((id) => {
    const work = simulation.world.byId(id);
    const record = records.get(id);
    // Two works with one DOI share one record, with the words of either.
    const isShared = work !== undefined && manifest.some((other) => isTwin(work, simulation.world.byId(other)));
    return !isShared && (record?.title !== work?.title || record?.date !== work?.date);
  });
}

test('a hostile world neither crashes a download nor leads it to a private address, and every work ends with a reason', async () => {
  const run: Harvest = {
    profile: 'hostile',
    seed: 1,
    works: 70,
    hosts: 20,
    workers: 64,
    timeScale: 0.05,
    documents: 'plain',
  };
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-hostile-'));
  await using simulation = await openWorld(run);
  const { code, stderr, summary, peakBytes } = await harvest(simulation, folder.path, run);
  assert.deepEqual([code, summary['crashed']], [0, 0], stderr);
  const { differences, works } = await verifyFolder(simulation, folder.path);
  // The kept file must match; which of two time limits fired first depends on the machine.
  assert.deepEqual(
    differences.filter(({ aspect }) => ['works', 'hash', 'resolver'].includes(aspect)),
    [],
  );
  assert.equal(readManifest(folder.path).size, works);
  assert.deepEqual(wrongFiles(folder.path), []);
  assert.deepEqual(
    simulation.log.violations.filter(({ rule }) => ['canary', 'private-address', 'key-leak'].includes(rule)),
    [],
  );
  assert.ok(peakBytes < 350_000_000, `${peakBytes} bytes`);
});
