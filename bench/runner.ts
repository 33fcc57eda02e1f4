// What the stage runner costs per item, how fast it replaces a killed worker, resumes and commits, beside bare limits and pools.
import { arch, availableParallelism, cpus, platform } from 'node:os';

import { benchCpu, benchOutputs } from './runner/cpu.ts';
import { benchDurable } from './runner/durable.ts';
import type { Figure } from './runner/figures.ts';
import { isMet, load, printFigures } from './runner/figures.ts';
import { benchIo, benchMemory } from './runner/io.ts';
import { benchKill } from './runner/kill.ts';
import { benchMakespan } from './runner/makespan.ts';
import { loadPeers } from './runner/peers.ts';
import { benchResume } from './runner/resume.ts';

// `npm run bench runner -- [--quick] [--json] [--check] [--only io,memory,cpu,outputs,kill,resume,durable,makespan]`
const given = process.argv.slice(2);
const quick = given.includes('--quick');
const json = given.includes('--json');
const only = given[given.indexOf('--only') + 1]?.split(',') ?? [];
const isWanted = (name: string): boolean => !given.includes('--only') || only.includes(name);

const peers = await loadPeers();
const machine = {
  machine: `${platform()} ${arch()}, ${cpus()[0]?.model ?? 'unknown'} × ${availableParallelism()}`,
  node: process.version,
  peers: peers?.versions ?? 'not installed: npm install --prefix bench/peers',
  mode: quick ? 'quick' : 'full',
  loadBefore: load(),
};
if (!json) {
  for (const [name, value] of Object.entries(machine)) console.log(`${name}: ${value}`);
  if (!peers)
    console.log('THE PEERS ARE NOT INSTALLED: figures beside them are left out (npm install --prefix bench/peers)');
}
const parts: readonly (readonly [string, () => Figure[] | Promise<Figure[]>])[] = [
  ['io', () => benchIo(quick, peers)],
  ['memory', () => benchMemory()],
  ['cpu', () => benchCpu(quick, peers)],
  ['outputs', () => benchOutputs(quick)],
  ['kill', () => benchKill(quick)],
  ['resume', () => benchResume(quick)],
  ['durable', () => benchDurable(quick)],
  ['makespan', () => benchMakespan(quick)],
];
const figures: Figure[] = [];
for (const [name, run] of parts) {
  if (!isWanted(name)) continue;
  const found = await run();
  figures.push(...found);
  if (!json) printFigures(found);
}
const missed = figures.filter((figure) => isMet(figure) === false);
if (json)
  console.log(
    JSON.stringify({ ...machine, loadAfter: load(), figures, missed: missed.map(({ name }) => name) }, undefined, 2),
  );
else
  console.log(
    `load after: ${load()}; ${missed.length === 0 ? 'every target met' : `missed: ${missed.map(({ name }) => name).join('; ')}`}`,
  );
if (given.includes('--check') && missed.length > 0) process.exitCode = 1;
