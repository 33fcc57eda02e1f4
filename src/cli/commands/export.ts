import { Argument, Command, Option } from 'commander';

import type { ExportFormat, Label } from '../../corpus/index.ts';
import { EXPORT_FORMATS, LABELS, openCorpus } from '../../corpus/index.ts';
import { count } from '../progress.ts';
import { openSession, shared } from '../session.ts';

interface ExportFlags {
  readonly format: ExportFormat;
  readonly out?: string;
  readonly redistributable?: boolean;
  readonly saved?: boolean;
}

/** `export RUN --format bibtex`: the works of a run for another tool. */
export function exportCommand(): Command {
  return shared(new Command('export'))
    .description('write the works of a run for another tool')
    .addArgument(new Argument('<run>', 'run folder'))
    .addOption(new Option('-f, --format <format>', 'what to write').choices(EXPORT_FORMATS).makeOptionMandatory())
    .option('--out <path>', 'file, or folder for parquet and obsidian; default: the output')
    .option('--redistributable', 'only works that anybody may pass on: CC0, public domain, CC BY, CC BY-SA')
    .option('--saved', 'only works of which there is a file')
    .addHelpText(
      'after',
      `
Formats:
  bibtex, ris, csl   for Zotero and other reference managers, with links to the files
  csv                every work with what came of it
  prisma             counts of a PRISMA 2020 flow diagram; with --out also as SVG
  asreview           a table for ASReview or Rayyan; docstokg labels reads it back
  documents          passages with their citations, one JSON document per line, as LangChain and LlamaIndex load them
  parquet            a folder for Hugging Face: Parquet shards and a dataset card
  obsidian           a folder of notes

Examples:
  docstokg export runs/corals --format bibtex --out corals.bib
  docstokg export runs/corals --format parquet --redistributable --out corals-dataset
`,
    )
    .action(async (run: string, flags: ExportFlags, self: Command) => {
      const session = openSession(self);
      await using corpus = await openCorpus(run);
      for await (const text of corpus.export(flags)) process.stdout.write(text);
      if (flags.out !== undefined)
        for (const path of writtenTo(flags.out, flags.format))
          session.terminal.print(session.json ? JSON.stringify({ path }) : path);
    });
}

/** The files that an export has written: a flow diagram is counts and a picture. */
function writtenTo(out: string, format: string): string[] {
  if (format !== 'prisma') return [out];
  return ['.json', '.svg'].map((ending) => out.replace(/\.(?:json|svg)$/i, '') + ending);
}

/** `labels RUN labels.csv`: what a screening tool has decided. */
export function labelsCommand(): Command {
  return shared(new Command('labels'))
    .description('read the decisions of a screening tool (ASReview, Rayyan, a table) and obey them')
    .addArgument(new Argument('<run>', 'run folder'))
    .addArgument(
      new Argument('<file>', 'a CSV with ids, DOIs or titles and a column `included` or `label`, or any list'),
    )
    .addOption(
      new Option('--as <label>', 'the file lists works that were all decided so: RIS, BibTeX, CSL, ids …').choices(
        LABELS,
      ),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  docstokg labels runs/corals screened.csv\n  docstokg labels runs/corals excluded.ris --as excluded\n',
    )
    .action(async (run: string, file: string, flags: { readonly as?: Label }, self: Command) => {
      const session = openSession(self);
      await using corpus = await openCorpus(run);
      const { labels, unknown, undecided } = await corpus.label(file, flags);
      const included = [...labels.values()].filter((label) => label === 'included').length;
      const excluded = labels.size - included;
      if (session.json)
        session.terminal.print(JSON.stringify({ included, excluded, undecided, unknown_lines: unknown }));
      else
        session.terminal.print(
          `${count(included)} included, ${count(excluded)} excluded, ${count(undecided)} undecided`,
        );
      for (const line of unknown) session.log('warn', `${file}, line ${line}: no work of this run`);
    });
}

/** `versions RUN`: which records are taken for versions of one work, and why. */
export function versionsCommand(): Command {
  return shared(new Command('versions'))
    .description('show which works are versions of one another, and take some apart')
    .addArgument(new Argument('<run>', 'run folder'))
    .option('--apart <work>', 'this work is another one: undo its merges, for good')
    .option('--together <work>', 'put the merges of this work back')
    .addHelpText(
      'after',
      '\nExamples:\n  docstokg versions runs/corals\n  docstokg versions runs/corals --apart W2741809807\n',
    )
    .action(async (run: string, flags: { readonly apart?: string; readonly together?: string }, self: Command) => {
      const session = openSession(self);
      await using corpus = await openCorpus(run);
      const versions = await corpus.versions(flags);
      if (session.json) session.terminal.print(JSON.stringify(versions));
      else if (versions.length === 0) session.log('info', 'no work is here in several versions');
      else
        for (const { work, of, reason, score, undone } of versions)
          session.terminal.print(
            `${work} is a version of ${of}: ${reason} (${score.toFixed(2)})${undone ? ', undone' : ''}`,
          );
    });
}
