import { join } from 'node:path';

import { Command, Option } from 'commander';

import type { ExportFormat } from '../../../ask/index.ts';
import { EXPORT_FORMATS, exportGraph } from '../../../ask/index.ts';
import { corpusOf, runArgument } from '../../run-argument.ts';
import { openSession, shared } from '../../session.ts';

interface ExportFlags {
  readonly run?: string;
  readonly format: ExportFormat;
  readonly out?: string;
}

export function exportCommand(): Command {
  return runArgument(shared(new Command('export')))
    .description('export the graph for another program')
    .addOption(
      new Option('--format <format>', 'output format').choices(Object.keys(EXPORT_FORMATS)).makeOptionMandatory(),
    )
    .option('--out <path>', 'output file or folder; default: in the folder Graph of the run')
    .addHelpText(
      'after',
      '\nExamples:\n  docstokg graph export --format graphml\n  docstokg graph export --format obsidian --out vault\n',
    )
    .action(async (run: string | undefined, flags: ExportFlags, self: Command) => {
      const session = openSession(self);
      await using corpus = await corpusOf(session, run ?? flags.run);
      using graph = corpus.graph.open();
      const path = flags.out ?? join(corpus.folder, 'Graph', `graph${EXPORT_FORMATS[flags.format].ending}`);
      await exportGraph(graph, flags.format, path);
      session.print({ path, format: flags.format }, path);
    });
}
