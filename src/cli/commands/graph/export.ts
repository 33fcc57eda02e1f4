import { Command, Option } from 'commander';

import type { ExportFormat } from '../../../graph/index.ts';
import { EXPORT_FORMATS, exportGraph } from '../../../graph/index.ts';
import { runArgument } from '../../run-argument.ts';
import { openSession, shared } from '../../session.ts';
import { corpusOf } from './corpus-of.ts';

interface ExportFlags {
  readonly run?: string;
  readonly format: ExportFormat;
  readonly out?: string;
}

/** `graph export`: the graph as a file of another program. */
export function exportCommand(): Command {
  return runArgument(shared(new Command('export')))
    .description('write the graph for another program')
    .addOption(
      new Option('--format <format>', 'what it is written as')
        .choices(Object.keys(EXPORT_FORMATS))
        .makeOptionMandatory(),
    )
    .option('--out <path>', 'file or folder to write; default: beside the graph')
    .addHelpText(
      'after',
      '\nExamples:\n  docstokg graph export --format gexf\n  docstokg graph export --format obsidian --out vault\n',
    )
    .action(async (run: string | undefined, flags: ExportFlags, self: Command) => {
      const session = openSession(self);
      await using corpus = await corpusOf(session, run ?? flags.run);
      using graph = corpus.graph.open();
      const path = flags.out ?? corpus.graph.path.replace(/\.sqlite$/, EXPORT_FORMATS[flags.format].ending);
      await exportGraph(graph, flags.format, path);
      session.terminal.print(session.json ? JSON.stringify({ path, format: flags.format }) : path);
    });
}
