import { Argument, Command, Option } from 'commander';

import { AppError } from '../../base/index.ts';
import type { Corpus, NodeDecision } from '../../corpus/index.ts';
import { EDGE_KINDS } from '../../graph/index.ts';
import { simulatedLayer } from '../../run/index.ts';
import { askedRun, GRAPH_QUERIES, graphQuestion } from '../../questions/index.ts';
import type { FlagsOf } from '../options.ts';
import { webOptions, wholeNumber, worksOption } from '../options.ts';
import { corpusOf, runArgument, splitRun } from '../run-argument.ts';
import type { Session } from '../session.ts';
import { openSession, settingOptions, shared, stopSignal, databaseOptions } from '../session.ts';
import { webTimeOf } from '../simulation.ts';
import { count, counted, plain } from '../terminal.ts';
import { endStage, showStage } from './docparse/stage-options.ts';

export function graphCommand() {
  return new Command('graph')
    .description('build and query the knowledge graph of a corpus; every edge has its evidence')
    .addCommand(buildCommand())
    .addCommand(listCommand())
    .addCommand(sameCommand());
}

function buildOptions() {
  return webOptions(
    worksOption(
      runArgument(settingOptions(databaseOptions(shared(new Command('build'))), ['graph-build', 'findings'])),
    ),
  )
    .description('extract entities and citations from parsed documents and update the graph')
    .option('--vocabulary <file>', 'your own terms to find in the text: CSV (id, name, synonyms), SKOS (.ttl) or OBO')
    .option(
      '--findings',
      'first let a language model extract findings; those that their quote does not support are dropped',
    )
    .option('--estimate', 'only print the expected tokens and cost of --findings')
    .option('--force', 'process all documents again; cached answers of the model are free')
    .addHelpText(
      'after',
      `
Examples:
  docstokg graph build
  docstokg graph build runs/corals --vocabulary terms.csv
  docstokg graph build runs/review --works included
  docstokg graph build --lookup --mailto you@university.example
  docstokg graph build --findings --works included --model-url http://127.0.0.1:11434/v1 --model qwen3:8b --estimate
`,
    );
}

type BuildFlags = FlagsOf<typeof buildOptions>;

function buildCommand() {
  return buildOptions().action(async (named, flags, self) => {
    const session = { ...openSession(self), web: await webTimeOf(flags.sim) };
    using stop = stopSignal();
    await using corpus = await corpusOf(session, named, await simulatedLayer(flags));
    if (flags.estimate === true || flags.findings === true) await findings(corpus, flags, session, stop.signal);
    if (flags.estimate !== true && !stop.signal.aborted) await build(corpus, flags, session, stop.signal);
  });
}

async function build(corpus: Corpus, flags: BuildFlags, session: Session, signal: AbortSignal): Promise<void> {
  const show = showStage(session);
  const works = corpus.chooseWorks(flags.works);
  const request = { works, vocabulary: flags.vocabulary, flags: { ...(flags.force && { force: true }) } };
  for await (const event of corpus.graph.build(request, signal)) {
    if (event.kind === 'stage') show(event.event);
    else if (event.kind === 'warning') session.warn(event.message);
    else {
      const { path, change, lookedUp, named } = event;
      if (event.outcome.failed > 0) process.exitCode ??= 1;
      if (change.staleFindings > 0)
        session.warn(
          `findings of ${counted(change.staleFindings, 'document')} are older than the last parse; docstokg graph build --findings updates them`,
        );
      using graph = corpus.graph.open();
      session.print({ path, ...change, ...graph.stats(), looked_up: lookedUp, named });
    }
  }
}

async function findings(corpus: Corpus, flags: BuildFlags, session: Session, signal: AbortSignal): Promise<void> {
  const show = showStage(session);
  const request = {
    estimateOnly: flags.estimate,
    works: corpus.chooseWorks(flags.works),
    flags: { ...(flags.force && { force: true }) },
  };
  for await (const event of corpus.graph.findings(request, signal))
    if (event.kind === 'stage') show(event.event);
    else if (event.kind === 'extracted') {
      const { outcome, ...extracted } = event.extracted;
      endStage(outcome, session);
      session.print({ ...extracted, failed: outcome.failed });
    } else {
      const { estimate } = event;
      const { documents, inputTokens, mostOutputTokens: output } = estimate;
      if (flags.estimate) session.print(estimate);
      else
        session.info(
          `${counted(documents, 'document')}; about ${count(inputTokens)} input and ${count(output)} output tokens`,
        );
    }
}

function listOptions() {
  const names = [...Object.keys(GRAPH_QUERIES), 'sql'];
  const width = Math.max(...names.map((name) => name.length));
  const help = Object.entries(GRAPH_QUERIES).map(([name, { gives }]) => `  ${name.padEnd(width)}  ${gives}`);
  return databaseOptions(shared(new Command('list')))
    .description(`print a list from the graph: ${names.join(', ')}`)
    .addArgument(new Argument('<what>', 'what to list').choices(names))
    .argument('[words...]', '[run], then words, nodes or a work; default run: the newest')
    .option('-n, --top <n>', 'rows to show', wholeNumber(1), 20)
    .addOption(new Option('--kind <kinds...>', 'only edges of these kinds').choices(Object.keys(EDGE_KINDS)))
    .option('--brief', 'without the sentences that support an edge')
    .option('--min-citations <n>', 'gaps: minimum number of citing works', wholeNumber(1), 2)
    .option('--ids', 'gaps: print only ids, one per line, for docstokg run --input')
    .addHelpText(
      'after',
      `
${help.join('\n')}
  ${'sql'.padEnd(width)}  the rows of a read-only SQL query on corpus.sqlite (nodes, edges, evidence, works, …)

Examples:
  docstokg graph list stats
  docstokg graph list neighbours work:doi:10.1038/nature02691
  docstokg graph list path 10.1038/nature02691 10.1126/science.1109908
  docstokg graph list effect rituximab relapse
  docstokg graph list studies "children, Egypt, randomised controlled trial"
  docstokg graph list measured "viral load"
  docstokg graph list funding malaria
  docstokg graph list quantities "protein binding"
  docstokg graph list gaps --min-citations 3 --ids > gaps.txt
  docstokg graph list cited-by 10.1038/nature02691
  docstokg graph list sql "select kind, count(*) from edges group by kind"
`,
    );
}

function listCommand() {
  return listOptions().action(async (what, given, flags, self) => {
    const session = openSession(self);
    const takes = GRAPH_QUERIES[what]?.takes ?? ['statement'];
    const { run, words } = splitRun(given, takes);
    if (what === 'sql') return await printRows(words[0] ?? '', run, session);
    const inputs = words.map((word, at) => [takes[at]?.replaceAll(/[[\]]/g, '') ?? '', word]);
    await printAnswer({ ask: what, ...(Object.fromEntries(inputs) as object) }, run, flags, session);
  });
}

async function printAnswer(
  asked: object,
  named: string | undefined,
  flags: FlagsOf<typeof listOptions>,
  session: Session,
): Promise<void> {
  await using corpus = await corpusOf(session, named);
  await using run = askedRun(corpus.folder, corpus, session.tell);
  const kinds = flags.kind && { kind: flags.kind.join(',') };
  const request = { ...asked, ...kinds, limit: flags.top, min_citations: flags.minCitations };
  const { head, items, summary } = await graphQuestion.ask(request, [run], new AbortController().signal);
  const rows = items as readonly { readonly id: string; readonly evidence: string }[];
  if (flags.ids) {
    const ids = rows.flatMap(({ id }) => idForRun(id));
    return session.print(ids, ids.join('\n'));
  }
  session.info(summary);
  const shown = flags.brief ? rows.map((row) => ({ ...row, evidence: '' })) : rows;
  const lines = shown.map((row) => plain(graphQuestion.line(row as never)).replaceAll('\n', '\n    '));
  session.print({ ...head, rows: shown }, lines.join('\n'));
}

async function printRows(statement: string, named: string | undefined, session: Session): Promise<void> {
  await using corpus = await corpusOf(session, named);
  using graph = corpus.graph.open(session.warn);
  const rows = graph.sql(statement);
  session.print(rows, rows.map((row) => JSON.stringify(row)).join('\n'));
}

function sameOptions() {
  return runArgument(databaseOptions(shared(new Command('same'))))
    .description(
      'list what you decided about nodes; merge two that are one, split off a name that is another, or undo it',
    )
    .option('--merge <node>', 'this node is the same as --into')
    .option('--into <node>', 'the node that stays')
    .option('--split <node>', 'what papers print as --name is not this node, but one of its own')
    .option('--name <text>', 'the name as papers print it')
    .option('--undo', 'take the decision back')
    .addHelpText(
      'after',
      `
Nodes are given by id or name. The graph has the change at once, and every build keeps it.

Examples:
  docstokg graph same runs/corals
  docstokg graph same runs/corals --merge "A. millepora" --into "Acropora millepora"
  docstokg graph same runs/corals --split "heart failure" --name HF
  docstokg graph same runs/corals --split "heart failure" --name HF --undo
`,
    );
}

function sameCommand() {
  return sameOptions().action(async (named, flags, self) => {
    const session = openSession(self);
    await using corpus = await corpusOf(session, named);
    const decided = await corpus.graph.decide(nodeDecision(flags));
    const lines = decided.map(({ node, of, name, at }) =>
      of === '' ? `${node} is not what papers print as "${name}", since ${at}` : `${node} is ${of}, since ${at}`,
    );
    session.print(decided, lines.length === 0 ? 'nothing was decided about nodes' : lines.map(plain).join('\n'));
  });
}

function nodeDecision({ merge, into, split, name, undo }: FlagsOf<typeof sameOptions>): NodeDecision | undefined {
  if (merge !== undefined && into !== undefined && split === undefined)
    return { kind: undo ? 'undo merge' : 'merge', node: merge, into };
  if (split !== undefined && name !== undefined && merge === undefined)
    return { kind: undo ? 'undo split' : 'split', node: split, name };
  if ([merge, into, split, name].every((each) => each === undefined) && !undo) return undefined;
  throw new AppError('USAGE_SAME', 'expected --merge with --into, or --split with --name', {
    hint: 'docstokg graph same --help has examples',
  });
}

/** The id of a work as `docstokg run` accepts it; empty for works known only from a printed reference. */
function idForRun(id: string): string[] {
  const [, kind = '', name = ''] = /^work:(doi|openalex|arxiv|pmid|pmcid):(.+)$/.exec(id) ?? [];
  return kind === '' ? [] : [kind === 'arxiv' ? `arXiv:${name}` : kind === 'pmid' ? `pmid:${name}` : name];
}
