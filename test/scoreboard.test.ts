import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { boardWith, PARTS, resultsOf } from '../scripts/scoreboard.ts';
import { packageRoot } from '../src/base/index.ts';

test('the scoreboard is what its commands printed: a part that is not run keeps what was measured before', () => {
  const [first, second] = PARTS;
  assert.ok(first && second);
  const about = { date: '2026-11-19', machine: 'linux x64, 2 cores, load 1, Node 24' };
  const once = boardWith('', new Map([[first.name, resultsOf(first, '\n| a |\n', about)]]));
  assert.match(once, /Measured 2026-11-19, linux x64, 2 cores, load 1, Node 24\.\n\n\| a \|\n/);
  const twice = boardWith(once, new Map([[second.name, resultsOf(second, 'nDCG 1\n', about)]]));
  assert.ok(twice.includes('| a |') && twice.includes('```text\nnDCG 1\n```'));
  assert.equal(boardWith(twice, new Map()), twice);
  assert.equal(twice.match(/Not measured yet\./g)?.length, PARTS.length - 2);
});

test('docs/scoreboard.md is as its script writes it', () => {
  const page = readFileSync(join(packageRoot(), 'docs', 'scoreboard.md'), 'utf8');
  assert.equal(boardWith(page, new Map()), page);
  const { scripts } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  for (const { command } of PARTS) assert.ok(scripts[command.split(' ')[0] ?? ''], command);
});
