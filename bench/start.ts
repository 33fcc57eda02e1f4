// How long a command takes to start, against `node -e 0`: from a clone and from the packed package.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { BenchReport, flags, median, ROOT } from './kit.ts';

const ROUNDS = flags.quick ? 5 : 21;
const COMMANDS = [
  { words: ['--version'], atMost: 3 },
  { words: ['--help'], atMost: 3 },
  { words: ['queue', 'stats'], atMost: 6 },
] as const;

const folder = mkdtempSync(join(tmpdir(), 'docstokg-bench-start-'));
try {
  const places = { clone: join(ROOT, 'bin', 'docstokg'), package: packed(folder) };
  const cases = Object.entries(places).flatMap(([place, bin]) =>
    COMMANDS.map(({ words, atMost }) => ({ name: `${words.join(' ')}, ${place}`, words: [bin, ...words], atMost })),
  );
  // Once beforehand: the first start fills the compile cache, the generated tables and a queue.
  milliseconds([places.clone, 'queue', 'enqueue', 'first']);
  for (const { words } of cases) milliseconds(words);
  const bare: number[] = [];
  const measured = new Map<string, number[]>(cases.map(({ name }) => [name, []]));
  // Round by round, so that other work on the machine affects all alike.
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(milliseconds(['-e', '0']));
    for (const { name, words } of cases) measured.get(name)?.push(milliseconds(words));
  }
  const report = new BenchReport('start');
  report.add({ name: 'node -e 0', unit: 'ms', samples: bare });
  for (const { name, atMost } of cases) {
    const samples = measured.get(name) ?? [];
    report.add({ name, unit: 'ms', samples });
    report.add({ name: `${name} / node -e 0`, unit: 'times', samples: [median(samples) / median(bare)], atMost });
  }
  report.finish();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function milliseconds(words: readonly string[]): number {
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - startedAt;
}

/** The package as it would be installed, with the packages of this clone beside it. */
function packed(into: string): string {
  const run = (program: string, ...parameters: string[]): string => {
    const { status, stdout, stderr } = spawnSync(program, parameters, { cwd: ROOT, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} ${parameters.join(' ')}: ${stderr}`);
    return stdout.trim().split('\n').at(-1) ?? '';
  };
  const file = run('npm', 'pack', '--silent', '--pack-destination', into);
  run('tar', '-xzf', join(into, file), '-C', into);
  mkdirSync(join(into, 'package'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(into, 'node_modules'), 'junction');
  return join(into, 'package', 'bin', 'docstokg');
}
