import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Admin, Simulation } from '../../sim/index.ts';
import { PATIENCE, readManifest } from '../support/harvest.ts';
import { startCommand } from './started-command.ts';

test('queue run downloads jobs enqueued by others, in every form of work', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-queue-download-'));
  await using simulation = await Simulation.open({
    parameters: { seed: 5, works: 40, hosts: 12, profile: 'calm' },
    timeScale: 0.02,
    documents: 'plain',
  });
  await using admin = await Admin.open(simulation);
  const env = { ...PATIENCE, DOCSTOKG_SIM: admin.url };
  const queue = async (...parameters: string[]): Promise<string> => {
    await using run = startCommand('contentdownload', ['queue', ...parameters], { cwd: folder.path, env });
    const { code } = await run.ended;
    assert.equal(code, 0, `${parameters.join(' ')}: ${run.stderr}`);
    return run.stdout;
  };
  const open = [...simulation.world.works()].filter(({ archetype, doi }) => archetype === 'A1' && doi !== null);
  const [byId, byDoi, ...others] = open;
  // A URL without a DOI: one with a DOI is looked up by it.
  const file = others
    .flatMap(({ locations }) => locations)
    .find(({ kind, isOa, url }) => kind === 'pdf' && isOa && !url.includes('/10.'));
  assert.ok(byId && byDoi && file);
  await queue('enqueue', byId.id);
  await queue('enqueue', 'some name', JSON.stringify({ doi: byDoi.doi, title: 'as somebody wrote it' }));
  await queue('enqueue', 'another name', JSON.stringify({ url: file.url }));
  await queue('run', '--drain-now', '--out', 'kept', '--json');
  const manifest = readManifest(join(folder.path, 'kept'));
  assert.deepEqual(
    new Map([...manifest.values()].map(({ work, outcome }) => [work, outcome])),
    new Map([
      [byId.id, 'saved'],
      [`doi:${byDoi.doi ?? ''}`, 'saved'],
      ['another name', 'saved'],
    ]),
  );
});
