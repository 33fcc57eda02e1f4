import { Command, Option } from 'commander';

import type { ExportFormat } from '../../corpus/index.ts';
import { EXPORT_FORMATS, openCorpus } from '../../corpus/index.ts';
import { chooseRun, runArgument } from '../run-argument.ts';
import { openSession, shared } from '../session.ts';
import { chosenWorks, worksOption } from '../options.ts';

interface ExportFlags {
  readonly run?: string;
  readonly format: ExportFormat;
  readonly out?: string;
  readonly redistributable?: boolean;
  readonly saved?: boolean;
  readonly works?: string;
}

export function exportCommand(): Command {
  return worksOption(runArgument(shared(new Command('export'))))
    .description('export the works of a run for another tool')
    .addOption(new Option('-f, --format <format>', 'output format').choices(EXPORT_FORMATS).makeOptionMandatory())
    .option('--out <path>', 'output file, or folder for parquet and obsidian; default: stdout')
    .option('--redistributable', 'only works with a redistributable licence: CC0, public domain, CC BY, CC BY-SA')
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

Examples:
  docstokg export runs/corals --format bibtex --out corals.bib
  docstokg export runs/corals --format parquet --redistributable --out corals-dataset
`,
    )
    .action(async (run: string | undefined, flags: ExportFlags, self: Command) => {
      const session = openSession(self);
      await using corpus = await openCorpus(chooseRun(run ?? flags.run, session.load().config));
      for await (const text of corpus.export({ ...flags, works: undefined, ...chosenWorks(corpus, flags.works) }))
        process.stdout.write(text);
      if (flags.out !== undefined)
        for (const path of writtenTo(flags.out, flags.format))
          session.terminal.print(session.json ? JSON.stringify({ path }) : path);
    });
}

/** The files an export has written; `prisma` also writes an SVG. */
function writtenTo(out: string, format: string): string[] {
  if (format !== 'prisma') return [out];
  return ['.json', '.svg'].map((ending) => out.replace(/\.(?:json|svg)$/i, '') + ending);
}

interface VersionFlags {
  readonly run?: string;
  readonly split?: string;
  readonly merge?: string;
}

export function workVersionsCommand(): Command {
  return runArgument(shared(new Command('work-versions')))
    .description('list works merged as the same or as versions of one another, and split or merge them')
    .option('--split <work>', 'permanently undo the merges of this work; the next run downloads it')
    .option('--merge <work>', 'restore the merges of this work')
    .addHelpText(
      'after',
      '\nExamples:\n  docstokg work-versions runs/corals\n  docstokg work-versions runs/corals --split W2741809807\n',
    )
    .action(async (run: string | undefined, flags: VersionFlags, self: Command) => {
      const session = openSession(self);
      await using corpus = await openCorpus(chooseRun(run ?? flags.run, session.load().config));
      const { versions, same } = await corpus.versions({
        ...(flags.split !== undefined && { apart: flags.split }),
        ...(flags.merge !== undefined && { together: flags.merge }),
      });
      if (session.json) {
        session.terminal.print(JSON.stringify({ versions, same }));
        return;
      }
      if (versions.length + same.length === 0)
        session.log('info', 'no works have several versions or several listed ids');
      for (const { work, of, apart } of same)
        session.terminal.print(
          apart ? `${work} is another work than ${of}: split` : `${work} is the same work as ${of}`,
        );
      for (const { work, of, reason, score, undone } of versions)
        session.terminal.print(
          `${work} is a version of ${of}: ${reason} (${score.toFixed(2)})${undone ? ', undone' : ''}`,
        );
    });
}
