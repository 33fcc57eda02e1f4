import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { PROFILES } from '../../sim/index.ts';
import type { Harvest } from '../../test/support/harvest.ts';
import { lowerBound, makespanSeconds } from '../../test/support/lower-bound.ts';
import { asked, checkOptions, numbers, optionOf, someOf } from '../../test/support/options.ts';
import { harvest, openWorld, verifyFolder, wrongFiles } from '../../test/support/harvest.ts';

// npm run verify:download -- --seeds 1-20 --workers 1,16 --profiles calm,realistic [--works 40] [--parallel 4]
//   with --throughput 0.8 it must also reach that share of what the limits of the world allow
// Downloads simulated worlds through the command line and compares the results with the truth; exit 1 on a difference.

const given = checkOptions({
  seeds: '1-20',
  workers: '1,16',
  profiles: 'calm,realistic',
  works: 40,
  hosts: 12,
  documents: ['full', 'plain'],
  timeScale: 0.05,
  parallel: 2,
  quiet: false,
  throughput: 0.001,
  show: 10,
});

/** Memory use must not depend on the world. */
const MOST_MEMORY = 300_000_000;

const runs: Harvest[] = asked(() =>
  someOf('profiles', given.profiles, PROFILES).flatMap((profile) =>
    numbers('seeds', given.seeds).flatMap((seed) =>
      numbers('workers', given.workers).map((workers) => ({
        profile,
        seed,
        workers,
        works: given.works,
        hosts: given.hosts,
        timeScale: given.timeScale,
        documents: given.documents,
      })),
    ),
  ),
);

async function verifyRun(run: Harvest): Promise<boolean> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-verify-'));
  await using simulation = await openWorld(run);
  const out = folder.path;
  const startedAt = performance.now();
  const first = await harvest(simulation, out, run);
  const elapsed = performance.now() - startedAt;
  const { differences } = await verifyFolder(simulation, out, run.policy);
  const violations = [...simulation.log.violations];
  const wrong = wrongFiles(out);
  const requests = simulation.log.since(0).length;
  const [bound, tookSeconds] = [lowerBound(simulation), makespanSeconds(simulation)];
  const again = await harvest(simulation, out, run);
  const repeated = simulation.log.since(0).length - requests;
  const faults = [
    ...differences.map(
      ({ work, aspect, expected, found }) => `${work} ${aspect}: expected ${expected}, found ${found}`,
    ),
    ...violations.map(({ rule, url, detail }) => `violated ${rule} at ${url}: ${detail}`),
    ...wrong.map((path) => `${path} does not match the hash in its row`),
    ...[first, again]
      // 1: some works failed, as intended by the world.
      .filter(({ code }) => code !== 0 && code !== 1)
      .map(({ code, stderr }) => `ended with ${code}: ${stderr.slice(-500)}`),
    ...(bound.seconds / tookSeconds >= given.throughput
      ? []
      : [`less than ${given.throughput} of what the limits allow`]),
    ...(first.peakBytes < MOST_MEMORY ? [] : [`${first.peakBytes} bytes of memory at the peak`]),
    ...(again.summary['bytes'] === 0 ? [] : [`the second run transferred ${String(again.summary['bytes'])} bytes`]),
  ];
  console.log(
    [
      faults.length === 0 ? 'ok  ' : 'DIFF',
      run.profile.padEnd(10),
      `seed ${run.seed}`.padEnd(8),
      `workers ${run.workers}`.padEnd(11),
      `saved ${String(first.summary['saved'])} failed ${String(first.summary['failed'])} parked ${String(first.summary['parked'])}`.padEnd(
        34,
      ),
      `requests ${requests}+${repeated}`.padEnd(18),
      `${(elapsed / 1000).toFixed(1)} s`.padEnd(8),
      `${Math.round(first.peakBytes / 1e6)} MB`,
      `limits allow ${bound.seconds.toFixed(0)} s (${bound.key}), took ${tookSeconds.toFixed(0)} s: ${((100 * bound.seconds) / tookSeconds).toFixed(0)} %`,
    ].join(' '),
  );
  for (const fault of faults.slice(0, given.show)) console.log(`     ${fault}`);
  return faults.length === 0;
}

/** Concurrent worlds run in separate processes, so that none waits for another. */
async function verifyElsewhere(run: Harvest): Promise<boolean> {
  const { quiet: _quiet, ...rest } = given;
  const own = { seeds: run.seed, workers: run.workers, profiles: run.profile, parallel: 1 };
  const options = Object.entries({ ...rest, ...own }).flatMap(([name, value]) => [
    `--${optionOf(name)}`,
    String(value),
  ]);
  const child = spawn(process.execPath, [import.meta.filename, ...options, '--quiet'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [lines, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  process.stdout.write(lines);
  return code === 0;
}

let wrong = 0;
const waiting = runs.values();
const { parallel } = given;
await Promise.all(
  Array.from({ length: parallel }, async () => {
    for (const run of waiting) if (!(await (parallel > 1 ? verifyElsewhere : verifyRun)(run))) wrong += 1;
  }),
);
if (!given.quiet) console.log(`${runs.length} runs, ${wrong} with differences`);
process.exitCode = wrong === 0 ? 0 : 1;
