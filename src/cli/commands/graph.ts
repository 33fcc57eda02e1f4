import { Argument, Command, Option } from 'commander';

import type { Graph, GraphNode, Neighbour, ShownEvidence } from '../../ask/index.ts';
import type { Corpus } from '../../corpus/index.ts';
import type { ClaimsGathered } from '../../graph/index.ts';
import type { EdgeKind, LookedUp, NamedWorks } from '../../graph/index.ts';
import { EDGE_KINDS } from '../../graph/index.ts';
import { simulatedLayer } from '../../harvest/index.ts';
import { stageExitCode } from '../../stage/index.ts';
import { chosenWorks, webOptions, wholeNumber, worksOption } from '../options.ts';
import { count } from '../progress.ts';
import { corpusOf, runAndWords, runArgument, runOption, splitRun } from '../run-argument.ts';
import type { Session } from '../session.ts';
import { openSession, shared } from '../session.ts';
import { settingOptions } from '../setting-options.ts';
import { stopSignal } from '../stop-signal.ts';
import type { Terminal } from '../terminal.ts';
import { plain } from '../terminal.ts';
import { showStage } from './docparse/stage-options.ts';

interface GraphFlags {
  readonly works?: string;
  readonly run?: string;
  readonly vocabulary?: string;
  readonly force?: boolean;
  readonly claims?: boolean;
  readonly estimate?: boolean;
  readonly mailto?: string;
  readonly sim?: string;
  readonly kind?: readonly EdgeKind[];
  readonly top: number;
  readonly minCitations: number;
  readonly brief?: boolean;
  readonly ids?: boolean;
}

export function graphCommand(): Command {
  return new Command('graph')
    .description('build and query the knowledge graph of a corpus; every edge has its evidence')
    .addCommand(buildCommand())
    .addCommand(listCommand())
    .addCommand(showCommand());
}

function buildCommand(): Command {
  return webOptions(worksOption(runArgument(settingOptions(shared(new Command('build')), ['graph-build', 'claims']))))
    .description('extract entities and citations from parsed documents and update the graph')
    .option('--vocabulary <file>', 'your own terms to find in the text: CSV (id, name, synonyms), SKOS (.ttl) or OBO')
    .option(
      '--claims',
      'first let a language model extract claims; those whose quote is not in the passage are dropped',
    )
    .option('--estimate', 'only print the expected tokens and cost of --claims')
    .option('--force', 'process all documents again; cached answers of the model are free')
    .addHelpText(
      'after',
      '\nExamples:\n  docstokg graph build\n  docstokg graph build runs/corals --vocabulary terms.csv\n  docstokg graph build runs/review --works included\n  docstokg graph build --lookup --mailto you@university.example\n  docstokg graph build --claims --model-url http://127.0.0.1:11434/v1 --model qwen3:8b --estimate\n',
    )
    .action(async (named: string | undefined, flags: GraphFlags, self: Command) => {
      const session = openSession(self);
      using stop = stopSignal();
      await using corpus = await corpusOf(session, named ?? flags.run, await simulatedLayer(flags));
      if (flags.estimate === true || flags.claims === true) await claims(corpus, flags, session, stop.signal);
      if (flags.estimate !== true && !stop.signal.aborted) await build(corpus, flags, session, stop.signal);
    });
}

async function build(corpus: Corpus, flags: GraphFlags, session: Session, signal: AbortSignal): Promise<void> {
  const show = showStage(session);
  const chosen = chosenWorks(corpus, flags.works);
  const request = { ...chosen, vocabulary: flags.vocabulary, flags: { ...(flags.force && { force: true }) } };
  for await (const event of corpus.graph.build(request, signal)) {
    if (event.kind === 'stage') show(event.event);
    else if (event.kind === 'warning') session.log('warn', event.message);
    else {
      const { path, change, lookedUp, named } = event;
      if (event.outcome.failed > 0) process.exitCode ??= 1;
      if (change.staleClaims > 0)
        session.log(
          'warn',
          `${count(change.staleClaims)} documents were parsed again since their claims were extracted; docstokg graph build --claims updates them`,
        );
      using graph = corpus.graph.open();
      const stats = graph.stats();
      const total = (counts: Record<string, number>): number =>
        Object.values(counts).reduce((sum, each) => sum + each, 0);
      session.print(
        { path, ...change, ...stats, looked_up: lookedUp, named },
        [
          ...(named ? [namedLine(named)] : []),
          ...(lookedUp ? [lookedUpLine(lookedUp)] : []),
          `${path}: ${count(change.documents)} documents, ${count(total(stats.nodes))} nodes, ${count(total(stats.edges))} edges, ${count(stats.evidence)} pieces of evidence (${count(change.added)} added, ${count(change.removed)} removed)`,
        ].join('\n'),
      );
    }
  }
}

function namedLine({ asked, named, unknown, left }: NamedWorks): string {
  return `looked up ${count(asked)} cited works by id in OpenAlex: ${count(named)} found, ${count(unknown)} unknown${leftOver(left)}`;
}

function lookedUpLine({ asked, found, doubtful, unknown, unanswered, left }: LookedUp): string {
  const failed = unanswered > 0 ? `, ${count(unanswered)} without an answer` : '';
  return `looked up ${count(asked)} references without an identifier in Crossref: ${count(found)} found, ${count(doubtful)} doubtful, ${count(unknown)} unknown${failed}${leftOver(left)}`;
}

function leftOver(left: number): string {
  return left > 0 ? `, ${count(left)} left for the next build` : '';
}

async function claims(corpus: Corpus, flags: GraphFlags, session: Session, signal: AbortSignal): Promise<void> {
  const show = showStage(session);
  const request = { estimateOnly: flags.estimate, flags: { ...(flags.force && { force: true }) } };
  for await (const event of corpus.graph.claims(request, signal))
    if (event.kind === 'stage') show(event.event);
    else if (event.kind === 'gathered') printClaims(event.gathered, session);
    else {
      const { estimate } = event;
      const text = `${count(estimate.passages)} passages of ${count(estimate.documents)} documents, ${count(estimate.known)} cached; at most ${count(estimate.inputTokens)} input and ${count(estimate.mostOutputTokens)} output tokens${dollars(estimate.mostUsd, ', at most ')}`;
      if (flags.estimate) session.print(estimate, text);
      else session.log('info', text);
    }
}

function printClaims(gathered: ClaimsGathered, session: Session): void {
  session.terminal.clear();
  const { outcome, tooDear, claims, dropped, unreadable, inputTokens, outputTokens, usd } = gathered;
  const code = stageExitCode(outcome);
  if (code !== 0) process.exitCode ??= code;
  const lost = Object.entries({ ...dropped, ...(unreadable > 0 && { 'unreadable answers': unreadable }) });
  session.print({ ...gathered, outcome: undefined, failed: outcome.failed }, () =>
    [
      `${count(claims)} claims with a verified quote, from ${count(outcome.succeeded)} documents`,
      `dropped: ${lost.length === 0 ? 'none' : lost.map(([why, number]) => `${count(number)} ${why}`).join(', ')}`,
      `used: ${count(inputTokens)} input tokens, ${count(outputTokens)} output tokens${dollars(usd, ', ')}`,
      ...(tooDear > 0 ? [`over budget, not processed: ${count(tooDear)} documents`] : []),
    ].join('\n'),
  );
}

function dollars(usd: number | null, before: string): string {
  return usd === null ? '' : `${before}$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

interface List {
  readonly name: string;
  readonly example: string;
  readonly description: string;
  readonly words: readonly string[];
  readonly run: (graph: Graph, words: readonly string[], flags: GraphFlags) => unknown;
  readonly lines: (result: never, session: Session) => readonly string[];
}

function list<Result>(
  of: Omit<List, 'run' | 'lines'> & {
    run: (graph: Graph, words: readonly string[], flags: GraphFlags) => Result;
    lines: (result: Result, session: Session) => readonly string[];
  },
): List {
  return of;
}

const top = (command: Command): Command => command.option('-n, --top <n>', 'rows to show', wholeNumber(1), 20);
const weighted =
  (unit: string) =>
  (rows: readonly { readonly node: GraphNode; readonly weight: number }[], { terminal }: Session): string[] =>
    rows.map(({ node, weight }) => `${String(weight).padStart(5)} ${unit}  ${nodeLine(node, terminal)}`);

const LISTS: readonly List[] = [
  list({
    name: 'stats',
    example: 'docstokg graph list stats',
    description: 'documents, nodes and edges by kind, works with the highest PageRank, and groups of works',
    words: [],
    run: (graph, _words, flags) => {
      const { works, communities } = graph.mostCentral(flags.top);
      return { ...graph.stats(), communities, most_weight: works };
    },
    lines: (stats, session) => [
      `${count(stats.documents)} documents, ${count(stats.evidence)} pieces of evidence, ${count(stats.communities)} groups of works`,
      ...Object.entries(stats.nodes).map(([kind, number]) => `${count(number).padStart(9)} ${kind}`),
      '',
      ...Object.entries(stats.edges).map(([kind, number]) => `${count(number).padStart(9)} ${kind}`),
      '',
      ...stats.most_weight.map(({ node, weight }) => `${weight.toFixed(4)}  ${nodeLine(node, session.terminal)}`),
    ],
  }),
  list({
    name: 'terms',
    example: 'docstokg graph list terms coral',
    description: 'terms by number of works',
    words: ['[words]'],
    run: (graph, [words], flags) => graph.most('term', { like: words, limit: flags.top }),
    lines: weighted('works'),
  }),
  list({
    name: 'quantities',
    example: 'docstokg graph list quantities "protein binding"',
    description: 'the quantities about a subject, each with its sentence',
    words: ['words'],
    run: (graph, [words = ''], flags) => graph.quantities(words, flags.top),
    lines: (rows, { terminal }) =>
      rows.flatMap(({ quantity, evidence }) => [nodeLine(quantity, terminal), `    ${evidenceLine(evidence)}`]),
  }),
  list({
    name: 'timeline',
    example: 'docstokg graph list timeline --json',
    description: 'works by year: in the corpus and cited by it',
    words: [],
    run: (graph) => graph.timeline(),
    lines: (rows) =>
      rows.map(
        ({ year, corpus, cited }) =>
          `${year}  ${String(corpus).padStart(6)} in the corpus ${String(cited).padStart(6)} cited`,
      ),
  }),
  list({
    name: 'gaps',
    example: 'docstokg graph list gaps --min-citations 3 --ids > gaps.txt',
    description: 'works that the corpus often cites but does not contain',
    words: [],
    run: (graph, _words, flags) => {
      const gaps = graph.gaps({ least: flags.minCitations, limit: flags.top });
      return flags.ids ? gaps.flatMap(({ node }) => idForRun(node.id)) : gaps;
    },
    lines: (rows, session) =>
      rows.flatMap((row) => (typeof row === 'string' ? [row] : weighted('times')([row], session))),
  }),
  list({
    name: 'cited-by',
    example: 'docstokg graph list cited-by 10.1038/nature02691',
    description: 'the works that cite a work, newest first, with the reference as printed',
    words: ['work'],
    run: (graph, [work = '']) => graph.citedBy(work),
    lines: (rows, { terminal }) => neighbourLines(rows, terminal, true),
  }),
  list({
    name: 'related',
    example: 'docstokg graph list related 10.1038/nature02691 --top 10',
    description: 'works related to a work by co-citation or shared references',
    words: ['work'],
    run: (graph, [work = ''], flags) => graph.related(work, flags.top),
    lines: weighted('shared'),
  }),
  list({
    name: 'sql',
    example: 'docstokg graph list sql "select kind, count(*) from edges group by kind"',
    description: 'the rows of a read-only SQL query on corpus.sqlite (nodes, edges, evidence, works, …)',
    words: ['statement'],
    run: (graph, [statement = '']) => graph.sql(statement),
    lines: (rows) => rows.map((row) => JSON.stringify(row)),
  }),
];

/** The id of a work as `docstokg run` accepts it; empty for works known only from a printed reference. */
function idForRun(id: string): string[] {
  const [, kind = '', name = ''] = /^work:(doi|openalex|arxiv|pmid|pmcid):(.+)$/.exec(id) ?? [];
  return kind === '' ? [] : [kind === 'arxiv' ? `arXiv:${name}` : kind === 'pmid' ? `pmid:${name}` : name];
}

function showCommand(): Command {
  const names = ['id', '[to]'];
  return top(runAndWords(shared(new Command('show')), names))
    .description('show a node and its edges, each with its source sentence; or a shortest path to another node')
    .addOption(new Option('--kind <kinds...>', 'only edges of these kinds').choices(Object.keys(EDGE_KINDS)))
    .option('--brief', 'only the neighbouring nodes, without sentences')
    .addHelpText(
      'after',
      '\nExamples:\n  docstokg graph show work:doi:10.1038/nature02691\n  docstokg graph show 10.1038/nature02691 10.1126/science.1109908\n',
    )
    .action(async (given: string[], flags: GraphFlags, self: Command) => {
      const session = openSession(self);
      const { run, words } = splitRun(given, names, flags.run);
      const [id = '', to] = words;
      await withGraph(session, run, (graph) => {
        if (to !== undefined) return shownPath(graph.path(id, to) ?? [], session);
        const node = graph.find(id);
        const neighbours = graph.neighbours(id, { kinds: flags.kind, limit: flags.top });
        const { terminal } = session;
        const lines = [nodeLine(node, terminal), ...neighbourLines(neighbours, terminal, flags.brief !== true)];
        return [{ node, neighbours }, lines];
      });
    });
}

function shownPath(path: NonNullable<ReturnType<Graph['path']>>, { terminal }: Session): [unknown, string[]] {
  const lines = path.map(
    ({ node, edge, direction }) =>
      `${edge === null ? '' : direction === 'out' ? `  ─ ${edge} → ` : `  ← ${edge} ─ `}${nodeLine(node, terminal)}`,
  );
  return [path, lines.length === 0 ? ['no path with six or fewer steps'] : lines];
}

function listCommand(): Command {
  const width = Math.max(...LISTS.map(({ name }) => name.length));
  const help = LISTS.map(({ name, description }) => `  ${name.padEnd(width)}  ${description}`).join('\n');
  return top(shared(new Command('list')))
    .description(`print a list from the graph: ${LISTS.map(({ name }) => name).join(', ')}`)
    .addArgument(new Argument('<what>', 'what to list').choices(LISTS.map(({ name }) => name)))
    .argument('[words...]', '[run], then words or a work; default run: the newest')
    .addOption(runOption())
    .option('--min-citations <n>', 'gaps: minimum number of citing works', wholeNumber(1), 2)
    .option('--ids', 'gaps: print only ids, one per line, for docstokg run --input')
    .addHelpText('after', `\n${help}\n\nExamples:\n${LISTS.map(({ example }) => `  ${example}\n`).join('')}`)
    .action(async (what: string, given: string[], flags: GraphFlags, self: Command) => {
      const session = openSession(self);
      const wanted = LISTS.find(({ name }) => name === what);
      if (!wanted) return;
      const { run, words } = splitRun(given, wanted.words, flags.run);
      await withGraph(session, run, (graph) => {
        const result = wanted.run(graph, words, flags);
        return [result, wanted.lines(result as never, session)];
      });
    });
}

/** Opens a graph and prints what `ask` returns, as data or as lines. */
async function withGraph(
  session: Session,
  run: string | undefined,
  ask: (graph: Graph) => readonly [value: unknown, lines: readonly string[]],
): Promise<void> {
  await using corpus = await corpusOf(session, run);
  using graph = corpus.graph.open((message) => session.log('warn', message));
  const [value, lines] = ask(graph);
  if (!session.json && lines.length === 0) session.log('info', 'no results in this graph');
  else session.print(value, () => lines.join('\n'));
}

/** A node in one line: author, year and title of a work, the label of anything else, and its id. */
function nodeLine(node: GraphNode, terminal: Terminal): string {
  return `${plain(nodeName(node))}  ${terminal.style('dim', plain(node.id))}`;
}

function nodeName(node: GraphNode): string {
  const label = shortened(node.label, 140);
  if (node.kind !== 'work') return label;
  const authors = Array.isArray(node.data['authors']) ? (node.data['authors'] as string[]) : [];
  const who = authors[0] === undefined ? '' : authors.length > 1 ? `${authors[0]} et al. ` : `${authors[0]} `;
  return `${who}${node.year === null ? '' : `(${node.year}) `}${label}`;
}

function shortened(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** The source of an edge: a quoted sentence with its page, or a catalogue. */
function evidenceLine({ quote, origin, readAt, page, document }: ShownEvidence): string {
  if (quote === null) return `${origin ?? ''}${readAt === null ? '' : `, read ${readAt}`}`;
  return `“${plain(shortened(quote, 240))}” (${plain(page === null ? document : `${document}, page ${page}`)})`;
}

function neighbourLines(neighbours: readonly Neighbour[], terminal: Terminal, withEvidence: boolean): string[] {
  const lines: string[] = [];
  let group = '';
  for (const { kind, direction, node, evidence } of neighbours) {
    const heading = direction === 'out' ? `${kind} →` : `← ${kind}`;
    if (heading !== group) lines.push(terminal.style('bold', heading));
    group = heading;
    lines.push(`  ${nodeLine(node, terminal)}`);
    if (withEvidence && evidence[0]) lines.push(`      ${terminal.style('dim', evidenceLine(evidence[0]))}`);
  }
  return lines;
}
