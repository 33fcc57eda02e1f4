import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Command } from 'commander';

import { settingsTable } from '../config/index.ts';
import { parseCommand, chunkCommand } from './commands/docparse/stages.ts';

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (words) => void (text += words), getOutHelpWidth: () => 1_000 }).outputHelp();
  return text;
}

test('the help of a stage says the default of every setting, from the schema or as the stage prefers', () => {
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
        `Defaults of ${stage}: --policy \\w+.* --workers (?:\\d+|\\(one per processor\\)) --scheduling \\w+ (?:--timeout-s \\d+|\\d+ s of processor time per document)`,
      ),
    );
  assert.match(helpOf(chunkCommand()), /Defaults of chunk: --policy cpu .* 120 s of processor time per document /);
});
