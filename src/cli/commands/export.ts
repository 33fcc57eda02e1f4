import { statSync } from 'node:fs';
import { join } from 'node:path';

import { Command, Option } from 'commander';

import type { GraphFormat } from '../../library/index.ts';
import { exportGraph, GRAPH_FORMATS } from '../../library/index.ts';
import { AppError, writeFileAtomic } from '../../base/index.ts';
import type { Corpus } from '../../corpus/index.ts';
import { EXPORT_FORMATS } from '../../corpus/index.ts';
import type { DecisionFormat } from '../../screen/index.ts';
import { DECISION_FORMATS, exportDecisions, openScreening } from '../../screen/index.ts';
import { corpusOf, runArgument } from '../run-argument.ts';
import { openSession, shared, databaseOptions } from '../session.ts';
import { worksOption } from '../options.ts';

const FORMATS = [
  ...EXPORT_FORMATS,
  ...DECISION_FORMATS,
  ...(Object.keys(GRAPH_FORMATS) as GraphFormat[]),
  'report',
] as const;
const isOneOf = <T extends string>(formats: readonly T[], format: string): format is T =>
  (formats as readonly string[]).includes(format);

const FOLDER_FORMATS: readonly string[] = [
  'parquet',
  'obsidian',
  'ro-crate',
  'neo4j',
  'graph-parquet',
  'graph-obsidian',
];

function checkOut(format: string, out: string): void {
  const isFolder = statSync(out, { throwIfNoEntry: false })?.isDirectory();
  const writesFolder = FOLDER_FORMATS.includes(format);
  if (isFolder === undefined || isFolder === writesFolder) return;
  const [is, wants] = isFolder ? ['a folder', 'a file'] : ['a file', 'a folder'];
  throw new AppError('USAGE_EXPORT', `--out ${out} is ${is}; ${format} writes ${wants}`, {
    hint: 'choose another path',
  });
}

export function exportCommand() {
  return worksOption(runArgument(databaseOptions(shared(new Command('export')))))
    .description('export works, screening decisions or the graph of a run for another tool, or write its report')
    .addOption(new Option('-f, --format <format>', 'output format').choices(FORMATS).makeOptionMandatory())
    .option('--out <path>', 'output file or folder; default: stdout; for a graph or the report, in the run folder')
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
  documents          passages with their citations, one JSON document per line, as LangChain and LlamaIndex load them
  parquet            a folder for Hugging Face: Parquet shards and a dataset card
  obsidian           a folder of notes
  ro-crate           a folder that describes itself: lists, the graph, and the papers that anyone may pass on
  notes              what people wrote beside papers and marked in them, as Markdown
  decisions          one line for each screening decision; decisions-ris for Covidence and Zotero
  asreview, rayyan   works with their decisions, for these tools; docstokg screen --import reads all of them back
  graphml            the graph, for Gephi and Cytoscape; also vosviewer, neo4j, graph-parquet, graph-obsidian
  turtle, n-quads,   the graph as RDF, each edge with its sentences as PROV
  json-ld
  report             report.html: a self-contained page with the results and a search

Examples:
  docstokg export runs/corals --format bibtex --out corals.bib
  docstokg export runs/corals --format parquet --redistributable --out corals-dataset
  docstokg export runs/corals --format rayyan --out rayyan.csv
  docstokg export runs/corals --format graphml
  docstokg export runs/corals --format turtle --out corals.ttl
  docstokg export runs/corals --format ro-crate --out corals-crate
`,
    )
    .action(async (run, flags, self) => {
      const session = openSession(self);
      const { format, title, out } = flags;
      if (!isOneOf(EXPORT_FORMATS, format) && (flags.works !== undefined || flags.saved || flags.redistributable))
        throw new AppError('USAGE_FORMAT', `${format} contains all works of the run`, {
          hint: 'omit --works, --saved and --redistributable',
        });
      if (out !== undefined) checkOut(format, out);
      await using corpus = await corpusOf(session, run);
      const { folder } = corpus;
      if (format === 'report') {
        const { writeReport } = await import('../../serve/index.ts');
        const { path } = await writeReport({ folder, title, path: out });
        return session.print({ path }, path);
      }
      if (isOneOf(EXPORT_FORMATS, format)) {
        const request = { ...flags, format, works: corpus.chooseWorks(flags.works) };
        for await (const text of corpus.export(request)) process.stdout.write(text);
      } else if (isOneOf(DECISION_FORMATS, format)) await writeDecisions(corpus, format, out);
      else {
        using graph = corpus.graph.open(session.warn);
        const path = out ?? join(folder, 'Graph', `graph${GRAPH_FORMATS[format].ending}`);
        await exportGraph(graph, format, path);
        return session.print({ path, format }, path);
      }
      if (out !== undefined) for (const path of writtenTo(out, format)) session.print({ path }, path);
    });
}

async function writeDecisions(corpus: Corpus, format: DecisionFormat, out: string | undefined): Promise<void> {
  using screening = openScreening(corpus);
  const text = [...exportDecisions(screening, format)].join('');
  if (out === undefined) process.stdout.write(text);
  else await writeFileAtomic(out, text);
}

/** The files an export has written; `prisma` also writes an SVG. */
function writtenTo(out: string, format: string): string[] {
  if (format !== 'prisma') return [out];
  return ['.json', '.svg'].map((ending) => out.replace(/\.(?:json|svg)$/i, '') + ending);
}
