import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';

import { PROGRAMS } from './support/programs.ts';

/** What every machine has on which the tests run: the programs of POSIX and of Linux's base system. */
const BASE = new Set(['bash', 'sh', 'ps', 'mkfifo', 'mount', 'umount', 'true', 'sync', 'id', 'npm', 'npx']);

test('tests start only programs of a base system, of npm, or listed in programs.json', () => {
  const unlisted = globSync(['src/**/*.test.ts', 'sim/**/*.test.ts', 'test/**/*.ts']).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\b(?:spawn|spawnSync|execFile|execFileSync)\(\s*'([^']+)'/g)]
      .map(([, path = '']) => basename(path))
      .filter((program) => !BASE.has(program) && !Object.hasOwn(PROGRAMS, program))
      .map((program) => `${file}: ${program}`),
  );
  assert.deepEqual(unlisted, []);
});
