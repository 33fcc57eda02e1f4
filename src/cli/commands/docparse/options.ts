import type { Command } from 'commander';

import type { StageCommandOptions } from './stage-options.ts';

/** What the stages take on the command line beside their settings. */
export interface DocparseOptions extends StageCommandOptions {
  readonly input?: string;
  readonly output?: string;
  readonly validateOnly?: boolean;
}

export const inputOption = (command: Command): Command =>
  command.option('-i, --input <path>', 'folder of papers (PDF, HTML, JATS, TEI), or one file');
