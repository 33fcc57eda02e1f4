import assert from 'node:assert/strict';
import { test } from 'node:test';

import { settingsTable } from '../config/index.ts';
import { optionsAfterCommand, runCommandLine, withHint } from './program.ts';

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

test('an unknown option that is a setting is refused with the setting', async () => {
  let printed = '';
  await assert.rejects(
    runCommandLine('contentdownload', '0.0.0', ['10.1/x', '--max-bytes', '9'], (text) => (printed += text)),
    /unknown option/,
  );
  assert.match(printed, /unknown option '--max-bytes'; use --set download\.max_bytes=VALUE/);
  const names = settingsTable().keys.map(({ name }) => name);
  for (const option of ['--accept', '--allowed-hosts', '--overlap-tokens', '--engine-dpi']) {
    const [, key = ''] = /--set ([\w.]+)=/.exec(withHint(`error: unknown option '${option}'\n`)) ?? [];
    assert.ok(names.includes(key), option);
  }
  assert.equal(withHint("error: unknown option '--what'\n"), "error: unknown option '--what'\n");
});
