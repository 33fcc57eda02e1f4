// How long a command takes to start, against `node -e 0`: from a clone and from the packed package.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Figure } from './measure.ts';
import { quick, report } from './measure.ts';

const ROOT = join(import.meta.dirname, '..');
const ROUNDS = quick ? 5 : 21;
const COMMANDS = [
  { words: ['--version'], atMost: 3 },
  { words: ['--help'], atMost: 3 },
  { words: ['completion', 'bash'], atMost: 3 },
  { words: ['queue', 'stats'], atMost: 5 },
] as const;

const folder = mkdtempSync(join(tmpdir(), 'docstokg-bench-start-'));
try {
  const places = { clone: join(ROOT, 'bin', 'docstokg'), package: packed(folder) };
  const cases = Object.entries(places).flatMap(([place, bin]) =>
    COMMANDS.map(({ words, atMost }) => ({ name: `${words.join(' ')}, ${place}`, words: [bin, ...words], atMost })),
  );
  // Once beforehand: the compile cache is filled by the first start, and a queue is made by the first look at it.
  for (const { words } of cases) seconds(words);
  const base: number[] = [];
  const measured = new Map<string, number[]>(cases.map(({ name }) => [name, []]));
  // Round by round, so that whatever else the machine does falls on all of them.
  for (let round = 0; round < ROUNDS; round += 1) {
    base.push(seconds(['-e', '0']));
    for (const { name, words } of cases) measured.get(name)?.push(seconds(words));
  }
  const bare = median(base);
  const figures = cases.flatMap(({ name, atMost }): Figure[] => {
    const value = median(measured.get(name) ?? []);
    return [
      { name: `${name}, against node -e 0`, value: value / bare, unit: 'times', atMost },
      { name, value: value * 1000, unit: 'ms' },
    ];
  });
  report('start', { rounds: ROUNDS }, [{ name: 'node -e 0', value: bare * 1000, unit: 'ms' }, ...figures]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Wall time of one start. */
function seconds(words: readonly string[]): number {
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`);
  return (performance.now() - startedAt) / 1000;
}

/** The package as it would be installed, with what this clone has installed beside it. */
function packed(into: string): string {
  const run = (program: string, ...parameters: string[]): void => {
    const { status, stderr } = spawnSync(program, parameters, { cwd: ROOT, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} ${parameters.join(' ')}: ${stderr}`);
  };
  run('npm', 'pack', '--pack-destination', into);
  run('tar', '-xzf', join(into, 'docstokg-0.1.0.tgz'), '-C', into);
  const modules = join(into, 'node_modules');
  mkdirSync(join(into, 'package'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), modules, 'junction');
  return join(into, 'package', 'bin', 'docstokg');
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
