import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { splitQuestion, splitRun } from './run-argument.ts';

const folder = mkdtempSync(join(tmpdir(), 'run-argument-'));
after(() => rmSync(folder, { recursive: true }));
const run = join(folder, 'corals');
mkdirSync(join(run, 'Data'), { recursive: true });

test('the run may come first, after --run, or not at all', () => {
  assert.deepEqual(splitRun([run, 'W1'], ['id'], undefined), { run, words: ['W1'] });
  assert.deepEqual(splitRun(['W1'], ['id'], run), { run, words: ['W1'] });
  assert.deepEqual(splitRun(['W1'], ['id'], undefined), { run: undefined, words: ['W1'] });
  assert.deepEqual(splitRun([run], ['[words]'], undefined), { run, words: [] });
  assert.deepEqual(splitRun(['coral'], ['[words]'], undefined), { run: undefined, words: ['coral'] });
});

test('too few or too many words are misuse, and a folder that is not a run is named', () => {
  assert.throws(() => splitRun([], ['id'], undefined), { code: 'USAGE_ARGUMENTS' });
  assert.throws(
    () => splitRun([join(folder, 'nope'), 'W1'], ['id'], undefined),
    (error: Error & { hint?: string }) => {
      assert.match(error.hint ?? '', /nope is not a run folder/);
      return true;
    },
  );
});

test('a path that is not a run is never read as the first word of a question', () => {
  assert.deepEqual(splitQuestion([run, 'why', 'corals'], undefined), { run, words: ['why', 'corals'] });
  assert.deepEqual(splitQuestion(['why', 'corals'], run), { run, words: ['why', 'corals'] });
  assert.deepEqual(splitQuestion(['why', 'corals'], undefined), { run: undefined, words: ['why', 'corals'] });
  assert.deepEqual(splitQuestion(['TCP/IP in labs'], undefined), { run: undefined, words: ['TCP/IP in labs'] });
  for (const path of [join(folder, 'nope'), folder])
    assert.throws(() => splitQuestion([path, 'why'], undefined), { code: 'USAGE_RUN' });
});
