import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Admin, DEFAULT_POLICY, expectedOutcome } from '../../sim/index.ts';
import { openWorld, PATIENCE, readManifest } from '../support/harvest.ts';
import { startCommand } from './started-command.ts';

test('a work listed by its DOI in one file and by its PMID in another is one work, downloaded once', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-identity-'));
  const world = {
    works: 60,
    hosts: 6,
    seed: 11,
    profile: 'calm',
    timeScale: 0.05,
    documents: 'plain',
    workers: 4,
  } as const;
  await using simulation = await openWorld(world);
  await using admin = await Admin.open(simulation);
  const works = expectedOutcome(simulation.world, DEFAULT_POLICY);
  const saved = works.find(({ work, outcome }) => outcome === 'saved' && work.pmid !== null && work.doi !== null);
  assert.ok(saved?.work.pmid);
  const command = async (...parameters: string[]): Promise<string> => {
    await using run = startCommand(parameters[0] === 'export' ? 'docstokg' : 'contentdownload', parameters, {
      cwd: folder.path,
      env: PATIENCE,
    });
    const { code } = await run.ended;
    assert.equal(code, 0, run.stderr);
    return run.stdout;
  };
  writeFileSync(join(folder.path, 'a.txt'), `${saved.work.doi}\n`);
  writeFileSync(join(folder.path, 'b.txt'), `${saved.work.pmid}\n`);
  await command('--input', 'a.txt', 'b.txt', '--sim', admin.url, '--out', 'out', '--json');
  const out = join(folder.path, 'out');
  const rows = readManifest(out);
  assert.deepEqual([...rows.values()].map(({ outcome, reason }) => `${outcome} ${reason}`).toSorted(), [
    'saved success',
    'skipped duplicate',
  ]);
  assert.equal(readdirSync(join(out, 'PDF')).length, 1);
  // The ids were merged before any download: identical bytes would be noticed only afterwards.
  const tried = [...rows.values()].filter(({ attempts }) => attempts.length > 0);
  assert.equal(tried.length, 1, 'only one of them was tried');
  for (const { url } of tried[0]?.attempts ?? []) {
    const { href } = new URL(url);
    assert.equal(simulation.log.since(0).filter((request) => request.url === href).length, 1, `requests for ${href}`);
  }
  const prisma = JSON.parse(await command('export', 'out', '--format', 'prisma', '--json')) as object;
  const { identified, removed_before_screening: removed } = JSON.parse(JSON.stringify(prisma)) as {
    identified: number;
    removed_before_screening: { duplicates: number };
  };
  assert.deepEqual([identified, removed.duplicates], [2, 1]);
});
