import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { openSmallServer, TOKEN, writeSmallRun } from './small-run.ts';
import { skipWithout } from '../support/programs.ts';

const run = promisify(execFile);
const GUIDE = join(import.meta.dirname, '..', '..', 'docs', 'guides', 'http-interface.md');

test('every command in the HTTP interface guide works', async (context) => {
  const blocks = [...readFileSync(GUIDE, 'utf8').matchAll(/^```sh curl\n([\s\S]*?)^```/gm)];
  const lines = blocks.flatMap(([, block = '']) => block.trim().split('\n'));
  assert.ok(lines.length >= 20);
  const missing = skipWithout('curl');
  if (missing !== false) return context.skip(missing);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(folder.path);
  await using server = await openSmallServer(folder.path, { allowControl: true });
  const env = { ...process.env, URL: server.url.replace(/\/$/, ''), TOKEN };
  const script = lines
    .map((line) => `${line.replace('curl -s', "curl -s -f -w '\\n'")} || echo "FAILED: $?"`)
    .join('\n');
  const { stdout } = await run('bash', ['-c', script], { cwd: folder.path, env, maxBuffer: 10_000_000 });
  assert.doesNotMatch(stdout, /^FAILED/m);
  assert.match(readFileSync(join(folder.path, 'small-works.csv'), 'utf8'), /^id,doi/);
  assert.match(readFileSync(join(folder.path, 'small-works.bib'), 'utf8'), /^@/);
});
