import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Command } from 'commander';

import { settingsTable } from '../config/index.ts';
import { openSession, shared } from './session.ts';
import { parseCommand, chunkCommand } from './commands/docparse/stages.ts';

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (words) => void (text += words), getOutHelpWidth: () => 1_000 }).outputHelp();
  return text;
}

test('the help of a stage lists the default of every setting, of the schema or of the stage', () => {
  const help = helpOf(parseCommand());
  for (const { name, default: value, flags } of settingsTable().keys) {
    const isHere = flags.some(({ at }) => ['stage', 'doctags', 'chunk', 'embed', 'format', 'data-root'].includes(at));
    if (isHere && (typeof value === 'number' || (typeof value === 'string' && value !== '')))
      assert.ok(help.includes(`(${name}, default ${value})`), name);
  }
  for (const stage of ['doctags', 'chunk', 'embed'])
    assert.match(
      help,
      new RegExp(
        `Defaults of ${stage}: --policy \\w+.* --workers (?:\\d+|\\(one per processor\\)) --scheduling \\w+.* (?:--timeout-s \\d+|and \\d+ s of processor time per document)`,
      ),
    );
  assert.match(helpOf(chunkCommand()), /Defaults of chunk: --policy cpu .* and 120 s of processor time per document$/m);
});

test('--set changes any setting; unknown keys and invalid values are refused', async () => {
  const loaded = async (...words: string[]) => {
    const command = shared(new Command('x')).argument('[word]').exitOverride();
    await command.parseAsync(words, { from: 'user' });
    return openSession(command).load();
  };
  const { config, origins } = await loaded('--set', 'parse.max_tokens=99', '--set', 'download.accept=pdf,xml', 'word');
  assert.deepEqual([config.parse.max_tokens, config.download.accept], [99, ['pdf', 'xml']]);
  assert.equal(origins.get('parse.max_tokens'), 'option --set parse.max_tokens');
  await assert.rejects(loaded('--set', 'parse.maxtokens=99'), {
    code: 'USAGE_SETTING',
    message: /did you mean parse\.max_tokens/,
  });
  await assert.rejects(loaded('--set', 'word'), { code: 'USAGE_SETTING', message: /KEY=VALUE/ });
  await assert.rejects(loaded('--set', 'parse.max_tokens=many'), { code: 'CONFIG_INVALID' });
});

test('commands that wait for an index print its progress, with “1 document” in the singular', (context) => {
  const session = openSession(shared(new Command('x')));
  const written = context.mock.method(process.stderr, 'write', () => true);
  const kept = undefined;
  session.tell({ kind: 'index', event: { kind: 'index-started', documents: 1, kept } });
  session.tell({ kind: 'index', event: { kind: 'index-words-only', document: 'a', reason: 'no vectors' } });
  session.tell({ kind: 'index', event: { kind: 'index-ended', passages: 1_234, documents: 1 } });
  const lines = written.mock.calls.map(({ arguments: [text] }) => String(text)).join('');
  assert.match(lines, /building the index of 1 document\n.*1,234 passages indexed in .*\n/);
  assert.match(lines, /1 document can only be found by words: no vectors\n/);
});
