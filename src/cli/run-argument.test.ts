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

test('the run is an optional first argument', () => {
  assert.deepEqual(splitRun([run, 'W1'], ['id']), { run, words: ['W1'] });
  assert.deepEqual(splitRun(['W1'], ['id']), { run: undefined, words: ['W1'] });
  assert.deepEqual(splitRun([run], ['[words]']), { run, words: [] });
  assert.deepEqual(splitRun(['coral'], ['[words]']), { run: undefined, words: ['coral'] });
});

test('too few or too many arguments are a usage error, and a folder without a run is named', () => {
  assert.throws(() => splitRun([], ['id']), { code: 'USAGE_ARGUMENTS' });
  assert.throws(() => splitRun([run], ['id']), { code: 'USAGE_ARGUMENTS' }, 'a run alone is not an id');
  assert.throws(
    () => splitRun([join(folder, 'nope'), 'W1'], ['id']),
    (error: Error & { hint?: string }) => {
      assert.match(error.hint ?? '', /nope is not a run folder/);
      return true;
    },
  );
});

test('a path is never read as the first word of a question', () => {
  assert.deepEqual(splitQuestion([run, 'why', 'corals']), { run, words: ['why', 'corals'] });
  assert.deepEqual(splitQuestion(['why', 'corals']), { run: undefined, words: ['why', 'corals'] });
  assert.deepEqual(splitQuestion(['TCP/IP in labs']), { run: undefined, words: ['TCP/IP in labs'] });
  assert.deepEqual(splitQuestion([folder, 'why']), { run: folder, words: ['why'] });
  assert.throws(() => splitQuestion([join(folder, 'nope'), 'why']), { code: 'USAGE_RUN' });
});
