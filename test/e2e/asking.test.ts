import assert from 'node:assert/strict';
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

test('every command of the guide "Asking and tabulating" does what it says', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-asking-'));
  mkdirSync(join(folder.path, 'runs'));
  await writeSmallRun(join(folder.path, 'runs', 'reefs'));
  writeFileSync(join(folder.path, 'columns.yaml'), /```yaml columns.yaml\n([^]*?)```/.exec(GUIDE)?.[1] ?? '');
  const lines = [...GUIDE.matchAll(/```sh\n([^]*?)```/g)].flatMap(([, text = '']) => text.trim().split('\n'));
  const outputs = new Map<string, string>();
  for (const line of lines.filter((each) => !each.includes('--model-url'))) {
    const [door = '', ...rest] = words(line);
    assert.equal(door, 'docstokg');
    const run = command('docstokg', rest, { cwd: folder.path });
    assert.equal(run.status, 0, `${line}\n${run.stdout}${run.stderr}`);
    outputs.set(line, run.stdout);
  }
  const said = (part: string): string => [...outputs].find(([line]) => line.includes(part))?.[1] ?? '';
  assert.match(said('a decade?"'), /“Bleached corals recover within a decade where fishing is banned/);
  assert.match(said('--format markdown'), /## References/);
  assert.match(said('--format bibtex'), /@article\{/);
  assert.match(said('set show'), /^W1$/m);
  assert.match(said('export'), /10\.1000\/w2/);
  assert.match(said('--column year'), /\| 2024 \| We counted polyps along forty transects in three summers\. \[1\] \|/);
  const csv = readFileSync(join(folder.path, 'table.csv'), 'utf8');
  assert.match(csv, /yes or no needs a model or a person/);
  assert.ok(csv.split('\r\n').length >= 4);
});
