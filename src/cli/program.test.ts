import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { CommandUnknownOpts } from 'commander';

import { settingsTable } from '../config/index.ts';
import { createProgram, optionsAfterCommand, renamedIn, runCommandLine, withHint } from './program.ts';

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

test('options of contentdownload itself are not moved', () => {
  for (const words of [['--json', '10.1/x'], ['--topic', 'queue'], ['-c', 'F'], ['queue', 'stats', '--json'], []])
    assert.deepEqual(optionsAfterCommand('contentdownload', words), words);
});

test('an old command name is refused with the new one, which exists', async () => {
  let printed = '';
  await assert.rejects(
    runCommandLine('docstokg', '0.0.0', ['report', 'no-such-folder'], (text) => (printed += text)),
    { exitCode: 1 },
  );
  assert.match(printed, /^error: 'report' is now 'export --format report'\n/);
  assert.deepEqual(renamedIn(['graph', 'gaps', 'x']), ['graph gaps', 'graph list gaps']);
  assert.equal(renamedIn(['graph', 'list']), undefined);
  assert.equal(renamedIn(['constructor']), undefined);
  const program = await createProgram('docstokg', '0.0.0');
  for (const old of [
    ['all'],
    ['plan'],
    ['manifest'],
    ['parts'],
    ['labels'],
    ['versions'],
    ['queue', 'show'],
    ['queue', 'drain'],
    ['queue', 'hosts'],
    ['screen', 'add'],
    ['graph', 'claims'],
    ['graph', 'path'],
    ['config', 'show'],
    ['set', 'create'],
    ['screen', 'import'],
    ['store', 'pull'],
  ]) {
    let command: CommandUnknownOpts = program;
    const [, name = ''] = renamedIn(old) ?? [];
    for (const word of name.split(' ').filter((each) => /^[a-z]/.test(each))) {
      // The remaining words are arguments.
      if (command.registeredArguments.length > 0) break;
      const next = command.commands.find((each) => each.name() === word);
      assert.ok(next, `${old.join(' ')} leads to ${word}, which is not a command of ${command.name()}`);
      command = next;
    }
  }
});

test('a removed command or option is refused with its replacement', async () => {
  let printed = '';
  await assert.rejects(
    runCommandLine('contentdownload', '0.0.0', ['10.1/x', '--max-bytes', '9'], (text) => (printed += text)),
    /unknown option/,
  );
  assert.match(printed, /unknown option '--max-bytes'; use --set download\.max_bytes=VALUE/);
  const names = settingsTable().keys.map(({ name }) => name);
  for (const option of ['--accept', '--allowed-hosts', '--passages-per-document', '--overlap-tokens', '--engine-dpi']) {
    const [, key = ''] = /--set ([\w.]+)=/.exec(withHint(`error: unknown option '${option}'\n`)) ?? [];
    assert.ok(names.includes(key), option);
  }
  assert.equal(withHint("error: unknown option '--what'\n"), "error: unknown option '--what'\n");
  assert.match(withHint("error: unknown command 'download'\n"), /contentdownload takes the same options/);
});
