import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createProgram, optionsAfterCommand, renamedTo } from './program.ts';

test('options that every command takes may come before the command', () => {
  const moved = (...words: string[]) => optionsAfterCommand('contentdownload', words);
  assert.deepEqual(moved('--json', 'queue', 'stats'), ['queue', 'stats', '--json']);
  assert.deepEqual(moved('-c', 'F', 'queue', 'stats', '--watch'), ['queue', 'stats', '--watch', '-c', 'F']);
  assert.deepEqual(moved('--config=F', '--no-color', 'queue', 'list', '--', 'a'), [
    'queue',
    'list',
    '--config=F',
    '--no-color',
    '--',
    'a',
  ]);
});

test('options of contentdownload itself stay where they are', () => {
  for (const words of [['--json', '10.1/x'], ['--topic', 'queue'], ['-c', 'F'], ['queue', 'stats', '--json'], []])
    assert.deepEqual(optionsAfterCommand('contentdownload', words), words);
});

test('a command that was renamed is answered with its new name, which exists', async () => {
  assert.equal(renamedTo(['labels', 'runs/x']), 'screen import');
  assert.equal(renamedTo(['graph', 'gaps']), 'graph list gaps');
  assert.equal(renamedTo(['graph', 'show']), undefined);
  assert.equal(renamedTo(['constructor']), undefined);
  const program = await createProgram('docstokg', '0.0.0');
  for (const old of [
    ['all'],
    ['plan'],
    ['manifest'],
    ['show'],
    ['parts'],
    ['labels'],
    ['versions'],
    ['queue', 'show'],
  ]) {
    let command = program;
    for (const word of (renamedTo(old) ?? '').split(' ').filter((each) => /^[a-z]/.test(each))) {
      const next = command.commands.find((each) => each.name() === word);
      assert.ok(next, `${old.join(' ')} leads to ${word}, which is not a command of ${command.name()}`);
      command = next;
    }
  }
});
