import { Command } from 'commander';

import type { CommandTable } from '../completion.ts';
import { openTerminal } from '../terminal.ts';

export function completionCommand(tableOf: (door: string) => Promise<CommandTable>): Command {
  return new Command('completion')
    .description('print a shell completion script for commands and options')
    .argument('<shell>', 'bash, zsh or fish')
    .helpOption('-h, --help', 'show this help')
    .addHelpText('after', '\nExample:\n  source <(docstokg completion bash)\n')
    .action(async (shell: string, _options, self: Command) => {
      const door = self.parent?.name() ?? '';
      const { completionScript } = await import('../completion.ts');
      openTerminal({ colour: false }).print(completionScript(door, await tableOf(door), shell));
    });
}
