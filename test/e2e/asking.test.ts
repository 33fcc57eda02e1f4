import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { writeSmallRun } from '../fixtures/small-run.ts';
import { command } from './command.ts';

const GUIDE = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'guides', 'asking-and-tabulating.md'), 'utf8');

/** The words of a command line, with quotes as a shell reads them. */
const words = (line: string): string[] =>
  [...line.replace(/\s#.*$/, '').matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');

/** The output of command lines run in order in one process, which is much faster. */
function inOneProcess(lines: readonly string[], cwd: string): (readonly [string, string])[] {
  const program = new URL('../../src/cli/program.ts', import.meta.url).href;
  const script = `const { runCommandLine } = await import(${JSON.stringify(program)});
for (const parameters of ${JSON.stringify(lines.map(words))}) {
  await runCommandLine(parameters[0], '0.0.0', parameters.slice(1));
  process.stdout.write('\\0');
  if (process.exitCode) break;
}`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...process.execArgv, '--input-type=module', '-e', script],
    {
      encoding: 'utf8',
      cwd,
      env: { ...process.env, NO_COLOR: '1' },
    },
  );
  const outputs = stdout.split('\0');
  assert.equal(status, 0, `${lines[outputs.length - 1] ?? ''}\n${stdout}${stderr}`);
  assert.equal(outputs.length, lines.length + 1);
  return lines.map((line, at) => [line, outputs[at] ?? ''] as const);
}

test('every command of the guide "Asking and tabulating" does what it says', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-asking-'));
  mkdirSync(join(folder.path, 'runs'));
  await writeSmallRun(join(folder.path, 'runs', 'reefs'));
  writeFileSync(join(folder.path, 'columns.yaml'), /```yaml columns.yaml\n([^]*?)```/.exec(GUIDE)?.[1] ?? '');
  const lines = [...GUIDE.matchAll(/```sh\n([^]*?)```/g)].flatMap(([, text = '']) => text.trim().split('\n'));
  const [first = '', ...rest] = lines.filter((each) => !each.includes('--model-url'));
  const run = command('docstokg', words(first).slice(1), { cwd: folder.path });
  assert.equal(run.status, 0, `${first}\n${run.stdout}${run.stderr}`);
  const outputs = new Map([[first, run.stdout], ...inOneProcess(rest, folder.path)]);
  const printed = (part: string): string => [...outputs].find(([line]) => line.includes(part))?.[1] ?? '';
  assert.match(printed('a decade?"'), /“Bleached corals recover within a decade where fishing is banned/);
  assert.match(printed('--format markdown'), /## References/);
  assert.match(printed('--format bibtex'), /@article\{/);
  assert.match(outputs.get('docstokg set runs/reefs recent') ?? '', /^W1$/m);
  assert.match(printed('export'), /10\.1000\/w2/);
  assert.match(
    printed('--column year'),
    /\| 2024 \| We counted polyps along forty transects in three summers\. \[1\] \|/,
  );
  const csv = readFileSync(join(folder.path, 'table.csv'), 'utf8');
  assert.match(csv, /yes or no needs a model or a person/);
  assert.ok(csv.split('\r\n').length >= 4);
});
