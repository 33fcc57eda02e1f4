// Harvests a simulated web and compares the time with the least that the limits of its hosts allow.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { harvest, openWorld } from '../test/support/harvest.ts';
import { lowerBound, makespanSeconds } from '../test/support/lower-bound.ts';
import { BenchReport, childCpuSeconds, flags } from './kit.ts';

const ROUNDS = flags.quick ? 1 : 3;
/** Waits shrink with the time scale and computing does not: a smaller one would make the harvest look slower. */
const WORLD = {
  seed: 7,
  works: flags.quick ? 60 : 300,
  hosts: 30,
  profile: 'realistic',
  timeScale: 0.1,
  documents: 'full',
  workers: 16,
} as const;

const report = new BenchReport('harvest');
const folder = mkdtempSync(join(tmpdir(), 'docstokg-bench-harvest-'));
try {
  const took: number[] = [];
  const bound: number[] = [];
  const cpu: number[] = [];
  const memory: number[] = [];
  const downloaded: number[] = [];
  let violations = 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    report.progress(`round ${round} of ${ROUNDS}`);
    await using simulation = await openWorld(WORLD);
    const out = join(folder, `run-${round}`);
    mkdirSync(out);
    const before = childCpuSeconds();
    const { code, stderr, summary, peakBytes } = await harvest(simulation, out, WORLD);
    if (code !== 0 && code !== 1) throw new Error(`the harvest ended with ${code}: ${stderr.slice(-500)}`);
    cpu.push(((childCpuSeconds() - before) * 1000) / WORLD.works);
    took.push(makespanSeconds(simulation));
    bound.push(lowerBound(simulation).seconds);
    memory.push(peakBytes / 1e6);
    downloaded.push(Number(summary['saved']));
    violations += simulation.log.violations.length;
  }
  report.setting('works', `${WORLD.works} on ${WORLD.hosts} hosts, ${WORLD.workers} workers, SQLite, every check on`);
  report.setting('web', `simulated, ${WORLD.profile}, seed ${WORLD.seed}, time scale ${WORLD.timeScale}, full papers`);
  const ratio = took.map((each, at) => each / (bound[at] ?? Number.NaN));
  report.add({ name: 'time of the harvest', unit: 'simulated s', samples: took });
  report.add({ name: 'least time that the limits allow', unit: 'simulated s', samples: bound });
  // With few works the first requests, before all hosts are known, weigh too much.
  report.add({ name: 'time / least time', unit: 'times', samples: ratio, ...(!flags.quick && { atMost: 1.25 }) });
  report.add({ name: 'works downloaded', unit: 'works', samples: downloaded });
  report.add({ name: 'CPU per work', unit: 'ms', samples: cpu });
  report.add({ name: 'memory', unit: 'MB', samples: memory, atMost: 300 });
  report.add({ name: 'politeness violations', unit: '', samples: [violations], atMost: 0 });
  report.finish();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
