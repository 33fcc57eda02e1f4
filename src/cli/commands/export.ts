import { Command, Option } from 'commander';

import type { ExportFormat } from '../../corpus/index.ts';
import { EXPORT_FORMATS, openCorpus } from '../../corpus/index.ts';
import { chooseRun, runArgument } from '../run-argument.ts';
import { openSession, shared } from '../session.ts';
import { chosenWorks, worksOption } from '../options.ts';
import { writeReport } from '../../serve/index.ts';

interface ExportFlags {
  readonly run?: string;
  readonly format: ExportFormat | 'report';
  readonly title?: string;
  readonly out?: string;
  readonly redistributable?: boolean;
  readonly saved?: boolean;
  readonly works?: string;
}

export function exportCommand(): Command {
  return worksOption(runArgument(shared(new Command('export'))))
    .description('export the works of a run for another tool')
    .addOption(
      new Option('-f, --format <format>', 'output format').choices([...EXPORT_FORMATS, 'report']).makeOptionMandatory(),
    )
    .option('--out <path>', 'output file, or folder for parquet and obsidian; default: stdout')
    .option('--redistributable', 'only works with a redistributable licence: CC0, public domain, CC BY, CC BY-SA')
    .option('--title <text>', 'report: heading of the page; default: the query')
    .option('--saved', 'only works with a downloaded file')
    .addHelpText(
      'after',
      `
Formats:
  bibtex, ris, csl   for Zotero and other reference managers, with links to the files
  csv                every work with its outcome
  prisma             counts for a PRISMA 2020 flow diagram; with --out also as SVG
  asreview           a table for ASReview or Rayyan; docstokg screen import reads it back
  documents          passages with their citations, one JSON document per line, as LangChain and LlamaIndex load them
  parquet            a folder for Hugging Face: Parquet shards and a dataset card
  obsidian           a folder of notes
  report             report.html in the run folder: a self-contained page with the results and a search

Examples:
  docstokg export runs/corals --format bibtex --out corals.bib
  docstokg export runs/corals --format parquet --redistributable --out corals-dataset
  docstokg export runs/corals --format report
`,
    )
    .action(async (run: string | undefined, flags: ExportFlags, self: Command) => {
      const session = openSession(self);
      const folder = chooseRun(run ?? flags.run, session.load().config);
      const { format, title } = flags;
      if (format === 'report') {
        const { path } = await writeReport({ folder, title });
        session.print({ path }, path);
        return;
      }
      await using corpus = await openCorpus(folder);
      for await (const text of corpus.export({
        ...flags,
        format,
        works: undefined,
        ...chosenWorks(corpus, flags.works),
      }))
        process.stdout.write(text);
      if (flags.out !== undefined)
        for (const path of writtenTo(flags.out, format))
          session.terminal.print(session.json ? JSON.stringify({ path }) : path);
    });
}

/** The files an export has written; `prisma` also writes an SVG. */
function writtenTo(out: string, format: string): string[] {
  if (format !== 'prisma') return [out];
  return ['.json', '.svg'].map((ending) => out.replace(/\.(?:json|svg)$/i, '') + ending);
}
