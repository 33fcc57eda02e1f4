import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';

import { writeSmallRun } from '../fixtures/small-run.ts';

const GUIDES = join(import.meta.dirname, '..', '..', 'docs', 'guides');
/** These are run with what their guide is about: `asking.test.ts`, `recipes.test.ts`. */
const ELSEWHERE = new Set(['asking-and-tabulating.md', 'recipes.md']);
/** Commands that only read a corpus, or write files from it. */
const READING = /^docstokg (?:export|search|graph list|graph same runs\/\S+$|screen \S+ --status|set)/;
/** What a corpus of six made-up works cannot have, or a test cannot reach. */
const NOT_HERE =
  /--database|<|\s\||--mailto|"low-cost coral|"interpretable|linalool|camphor|organism|"onset age"|"error rate"/;

/** The words of a command line, with quotes as a shell reads them. */
const words = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => double ?? single ?? bare ?? '');

const shown = globSync('*.md', { cwd: GUIDES })
  .filter((name) => !ELSEWHERE.has(name))
  .toSorted()
  .flatMap((name) =>
    [...readFileSync(join(GUIDES, name), 'utf8').matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].flatMap(([, block = '']) =>
      block
        .replaceAll(/\\\n/g, ' ')
        .split('\n')
        .map((line) => line.replace(/\s(?:#|>).*$/, '').trim())
        .filter((line) => READING.test(line) && !NOT_HERE.test(line))
        .map((line) => ({ name, line })),
    ),
  );

test('every command of the guides that only reads a corpus runs', async () => {
  assert.ok(shown.length >= 24, `${shown.length} commands`);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-guides-'));
  const small = join(folder.path, 'small');
  await writeSmallRun(small);
  const runs = new Set([
    'demo',
    ...shown.flatMap(({ line }) => [...line.matchAll(/runs\/([\w-]+)/g)].map(([, run = '']) => run)),
  ]);
  for (const run of runs) cpSync(small, join(folder.path, 'runs', run), { recursive: true });
  const program = new URL('../../src/cli/program.ts', import.meta.url).href;
  // In one process, which is much faster.
  const script = `const { runCommandLine } = await import(${JSON.stringify(program)});
for (const parameters of ${JSON.stringify(shown.map(({ line }) => words(line)))}) {
  process.stdout.write('\\0');
  await runCommandLine(parameters[0], '0.0.0', parameters.slice(1));
  if (process.exitCode) break;
}`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...process.execArgv, '--input-type=module', '-e', script],
    {
      encoding: 'utf8',
      cwd: folder.path,
      maxBuffer: 1 << 28,
      env: { ...process.env, NO_COLOR: '1' },
    },
  );
  const done = stdout.split('\0').length - 1;
  const { name = '', line = '' } = shown[done - 1] ?? {};
  assert.equal(status, 0, `${basename(name)}: ${line}\n${stderr.slice(-2_000)}`);
  assert.equal(done, shown.length);
});
