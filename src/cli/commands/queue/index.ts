import { Command } from 'commander';

import { enqueueCommand, importCommand } from './enqueue.ts';
import { exportCommand, listCommand, showCommand } from './list.ts';
import { cancelCommand, pauseCommand, pruneCommand, retryFailedCommand } from './operate.ts';
import { drainCommand, runCommand } from './run.ts';
import { statsCommand } from './stats.ts';

/** `queue …`: the persistent work queue. */
export function queueCommand(): Command {
  const command = new Command('queue')
    .description('the persistent work queue')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText(
      'after',
      `
Example, from nothing to everything done:
  contentdownload queue import artifacts.jsonl
  contentdownload queue run --workers 8 --drain --mailto you@university.example
  contentdownload queue stats
`,
    );
  for (const child of [
    enqueueCommand(),
    importCommand(),
    runCommand(),
    drainCommand(),
    statsCommand(),
    retryFailedCommand(),
    pauseCommand('pause'),
    pauseCommand('resume'),
    listCommand(),
    showCommand(),
    cancelCommand(),
    pruneCommand(),
    exportCommand(),
  ]) {
    command.addCommand(child);
  }
  return command;
}
