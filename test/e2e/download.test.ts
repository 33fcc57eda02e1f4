import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { sha256 } from '../../src/base/index.ts';
import type { ManifestLine } from '../../sim/index.ts';
import { Admin, DEFAULT_POLICY, parseManifestLine, Simulation, truthLines, verify } from '../../sim/index.ts';
import { startCommand } from './started-command.ts';

const TIME_SCALE = 0.05;

/** Harvests a whole simulated world through the command line, as a user would. */
async function harvest(simulation: Simulation, out: string): Promise<Record<string, unknown>> {
  await using admin = await Admin.open(simulation);
  const ids = [...simulation.world.works()].map(({ id }) => id);
  const run = startCommand('contentdownload', [...ids, '--sim', admin.url, '--out', out, '--workers', '16', '--json'], {
    cwd: out,
  });
  const { code } = await run.ended;
  assert.equal(code, 0, run.stderr);
  return JSON.parse(run.stdout) as Record<string, unknown>;
}

function readManifest(out: string): Map<string, ManifestLine> {
  const lines = readFileSync(join(out, 'manifest.jsonl'), 'utf8').trim().split('\n');
  return new Map(
    lines.map((text) => {
      const line = parseManifestLine(JSON.parse(text));
      assert.ok(!('fault' in line), 'fault' in line ? line.fault : '');
      return [line.work, line];
    }),
  );
}

for (const [profile, seed] of [
  ['calm', 5],
  ['realistic', 6],
] as const) {
  test(`what is harvested from a ${profile} world is the truth, works, hashes, resolvers and reasons, and a second run fetches nothing`, async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-harvest-'));
    await using simulation = await Simulation.open({
      parameters: { seed, works: 40, hosts: 12, profile },
      timeScale: TIME_SCALE,
    });
    const summary = await harvest(simulation, folder.path);
    const truth = await Array.fromAsync(truthLines(simulation.world, simulation.documents, DEFAULT_POLICY));
    const manifest = readManifest(folder.path);
    assert.deepEqual(verify(truth, manifest).differences, []);
    assert.equal(summary['found'], 40);
    assert.deepEqual(simulation.log.violations, []);

    for (const line of manifest.values()) {
      if (line.outcome !== 'saved') continue;
      const { path } = line as unknown as { path: string };
      assert.equal(sha256(readFileSync(join(folder.path, path))), line.sha256, path);
    }
    const requests = simulation.log.since(0).length;
    const again = await harvest(simulation, folder.path);
    assert.deepEqual([again['saved'], again['bytes']], [0, 0]);
    assert.equal(simulation.log.since(0).length, requests, 'not a single request');
  });
}
