import { Command } from 'commander';

import { completionCommand } from './commands/completion.ts';
import { configCommand } from './commands/config.ts';
import { demoCommand } from './commands/demo.ts';
import { manifestCommand } from './commands/docparse/manifest.ts';
import { allCommand, chunkCommand, doctagsCommand, embedCommand, planCommand } from './commands/docparse/stages.ts';
import { downloadCommand } from './commands/download/index.ts';
import { queueCommand } from './commands/queue/index.ts';
import { runCommand } from './commands/run/index.ts';
import { showCommand } from './commands/show.ts';
import { simCommand } from './commands/sim.ts';

/** The names under which the one program is entered. */
export type Door = 'docstokg' | 'contentdownload' | 'docparse';

const INTRODUCTIONS: Readonly<Record<Door, string>> = {
  docstokg: 'Turns a research question into a corpus you can search and reason over.',
  contentdownload: 'Finds open full texts of scholarly works and downloads them, politely and completely.',
  docparse: 'Turns papers into structure, chunks and embeddings.',
};

/** The command tree as seen through a door. */
export function createProgram(door: Door, version: string): Command {
  const program = new Command(door)
    .description(INTRODUCTIONS[door])
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .showSuggestionAfterError()
    // `contentdownload` has options of its own; those behind a command's name are the command's.
    .enablePositionalOptions()
    .configureHelp({ showGlobalOptions: false });
  if (door === 'contentdownload') downloadCommand(program);
  if (door === 'docstokg') program.addCommand(runCommand()).addCommand(demoCommand());
  if (door === 'docstokg')
    program.addCommand(downloadCommand(new Command('download').description(INTRODUCTIONS.contentdownload)));
  if (door !== 'docparse') program.addCommand(queueCommand());
  if (door !== 'contentdownload') {
    for (const command of [
      doctagsCommand(),
      chunkCommand(),
      embedCommand(),
      allCommand(),
      planCommand(),
      manifestCommand(),
      showCommand(),
    ]) {
      program.addCommand(command);
    }
  }
  if (door === 'docstokg') program.addCommand(simCommand());
  program.addCommand(configCommand());
  program.addCommand(completionCommand());
  return program;
}
