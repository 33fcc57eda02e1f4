import type { Command } from 'commander';

import type { StageCommandOptions } from './stage-options.ts';

/** Stage options that are not settings. */
export interface DocparseOptions extends StageCommandOptions {
  readonly input?: string;
  readonly output?: string;
  readonly validateOnly?: boolean;
}

export const inputOption = (command: Command): Command =>
  command.option('-i, --input <path>', 'folder of papers (PDF, HTML, JATS, TEI), or one file');
