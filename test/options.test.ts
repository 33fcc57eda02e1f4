import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

import { checkOptions, Misuse, numbers, oneOf, readOptions, someOf, wholeNumber } from './support/options.ts';

test('invalid options of a check are refused', () => {
  assert.deepEqual(numbers('seeds', '1-3,16'), [1, 2, 3, 16]);
  for (const text of ['900-890', '', 'x', '1-', '-1', '1,,2'])
    assert.throws(() => numbers('seeds', text), Misuse, text);
  assert.deepEqual(someOf('profiles', 'a, b', ['a', 'b']), ['a', 'b']);
  assert.throws(() => someOf('profiles', 'a,reallity', ['a', 'reality']), Misuse);
  assert.throws(() => oneOf('profile', '', ['a']), Misuse);
  for (const text of ['0', '-1', '1.5', 'many', '']) assert.throws(() => wholeNumber('works', text), Misuse, text);
  const defaults = { seed: 1, timeScale: 0.5, quiet: false, only: '', profile: ['calm', 'hostile'] } as const;
  assert.deepEqual(checkOptions(defaults, []), { ...defaults, profile: 'calm' });
  const given = ['--seed', '7', '--time-scale', '2', '--quiet', '--only', 'a', '--profile', 'hostile'];
  const read = { seed: 7, timeScale: 2, quiet: true, only: 'a', profile: 'hostile' };
  assert.deepEqual(checkOptions(defaults, given), read);
  assert.throws(() => readOptions({ args: ['--nonsense'], options: {} }), Misuse);
});

test('a check that would prove nothing exits with 2', () => {
  for (const [script, ...options] of [
    ['verify', 'download', '--profiles', 'reallity'],
    ['verify', 'download', '--seeds', '900-890'],
    ['verify', 'kill', '--time-scale', 'NaN'],
    ['verify', 'kill', '--works', '-1'],
    ['verify', 'run', '--nonsense', '1'],
    ['verify', 'nonsense'],
  ] as const) {
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(import.meta.dirname, `../scripts/${script}.ts`), ...options],
      { encoding: 'utf8' },
    );
    assert.equal(status, 2, `${script} ${options.join(' ')}: ${stderr}`);
    assert.doesNotMatch(stderr, /\n {4}at /, script);
  }
});
