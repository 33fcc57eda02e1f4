import { Argument, Command, Option } from 'commander';

import type { ExportFormat, Label } from '../../corpus/index.ts';
import { EXPORT_FORMATS, LABELS, openCorpus } from '../../corpus/index.ts';
import { count } from '../progress.ts';
import { chooseRun, runArgument } from '../run-argument.ts';
import { openSession, shared } from '../session.ts';

interface ExportFlags {
  readonly run?: string;
  readonly format: ExportFormat;
  readonly out?: string;
  readonly redistributable?: boolean;
  readonly saved?: boolean;
}

/** `export RUN --format bibtex`: the works of a run for another tool. */
export function exportCommand(): Command {
  return runArgument(shared(new Command('export')))
    .description('write the works of a run for another tool')
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

/** `screen import RUN decisions.csv`: decisions made in another screening tool. */
export function screenCommand(): Command {
  const command = new Command('screen').description('decide which works of a run are included');
  return command.addCommand(importDecisionsCommand());
}

function importDecisionsCommand(): Command {
  return shared(new Command('import'))
    .description('read the decisions of a screening tool (ASReview, Rayyan, a table) and apply them')
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
      '\nExamples:\n  docstokg screen import runs/corals screened.csv\n  docstokg screen import runs/corals excluded.ris --as excluded\n',
    )
    .action(async (run: string, file: string, flags: { readonly as?: Label }, self: Command) => {
      const session = openSession(self);
      await using corpus = await openCorpus(run);
      const { labels, unknown, undecided, repeated, contradicting } = await corpus.label(file, flags);
      const included = [...labels.values()].filter((label) => label === 'included').length;
      const excluded = labels.size - included;
      if (session.json)
        session.terminal.print(
          JSON.stringify({
            included,
            excluded,
            undecided,
            unknown_lines: unknown,
            repeated_lines: repeated,
            contradicting_lines: contradicting,
          }),
        );
      else
        session.terminal.print(
          `${count(included)} included, ${count(excluded)} excluded, ${count(undecided)} undecided`,
        );
      if (repeated.length > 0)
        session.log('warn', `${file}: ${count(repeated.length)} lines repeat an earlier decision`);
      for (const line of contradicting)
        session.log('warn', `${file}, line ${line}: contradicts an earlier line about the same work; this one counts`);
      for (const line of unknown) session.log('warn', `${file}, line ${line}: no work of this run`);
    });
}

interface VersionFlags {
  readonly run?: string;
  readonly split?: string;
  readonly merge?: string;
}

/** `work-versions RUN`: which records are taken for versions of one work, and why. */
export function workVersionsCommand(): Command {
  return runArgument(shared(new Command('work-versions')))
    .description('show which works are versions of one another, and split or merge them')
    .option('--split <work>', 'this is another work: undo its merges, for good')
    .option('--merge <work>', 'redo the merges of this work')
    .addHelpText(
      'after',
      '\nExamples:\n  docstokg work-versions runs/corals\n  docstokg work-versions runs/corals --split W2741809807\n',
    )
    .action(async (run: string | undefined, flags: VersionFlags, self: Command) => {
      const session = openSession(self);
      await using corpus = await openCorpus(chooseRun(run ?? flags.run, session.load().config));
      const versions = await corpus.versions({
        ...(flags.split !== undefined && { apart: flags.split }),
        ...(flags.merge !== undefined && { together: flags.merge }),
      });
      if (session.json) session.terminal.print(JSON.stringify(versions));
      else if (versions.length === 0) session.log('info', 'no work has several versions');
      else
        for (const { work, of, reason, score, undone } of versions)
          session.terminal.print(
            `${work} is a version of ${of}: ${reason} (${score.toFixed(2)})${undone ? ', undone' : ''}`,
          );
    });
}
