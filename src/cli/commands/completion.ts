import { Command } from 'commander';

import { completionScript } from '../completion.ts';
import { openSession, shared } from '../session.ts';

/** `completion bash|zsh|fish`. */
export function completionCommand(): Command {
  return shared(new Command('completion'))
    .description('print a script that lets the shell complete commands and options')
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText('after', '\nExample:\n  source <(docstokg completion bash)\n')
    .action((shell: string, _options, self: Command) => {
      if (self.parent) openSession(self).terminal.print(completionScript(self.parent, shell));
    });
}
