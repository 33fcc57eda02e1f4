import { Command, Option } from 'commander';

import type { Graph } from '../../../ask/index.ts';
import type { EdgeKind, LookedUp, NamedWorks } from '../../../graph/index.ts';
import { EDGE_KINDS } from '../../../graph/index.ts';
import { simulatedLayer } from '../../../harvest/index.ts';
import { count } from '../../progress.ts';
import type { Session } from '../../session.ts';
import { corpusOf, runAndWords, runArgument, splitRun } from '../../run-argument.ts';
import { openSession, shared } from '../../session.ts';
import { settingOptions } from '../../setting-options.ts';
import { stopSignal } from '../../stop-signal.ts';
import { showStage } from '../docparse/stage-options.ts';
import { claimsCommand } from './claims.ts';
import { exportCommand } from './export.ts';
import { evidenceLine, neighbourLines, nodeLine } from './text.ts';
import { chosenWorks, simOption, wholeNumber, worksOption } from '../../options.ts';

interface GraphFlags {
  readonly works?: string;
  readonly run?: string;
  readonly vocabulary?: string;
  readonly force?: boolean;
  readonly mailto?: string;
  readonly sim?: string;
  readonly kind?: readonly EdgeKind[];
  readonly top: number;
  readonly minCitations: number;
  readonly brief?: boolean;
  readonly ids?: boolean;
}

export function graphCommand(): Command {
  const command = new Command('graph').description(
    'build and query the knowledge graph of a corpus; every edge has its evidence',
  );
  command.addCommand(buildCommand());
  command.addCommand(claimsCommand());
  command.addCommand(exportCommand());
  for (const question of QUESTIONS) command.addCommand(questionCommand(question));
  const list = new Command('list').description('list terms, quantities, works by year, or missing works');
  for (const question of LISTS) list.addCommand(questionCommand(question));
  return command.addCommand(list);
}

function buildCommand(): Command {
  return worksOption(runArgument(settingOptions(shared(new Command('build')), ['graph-build'])))
    .description('extract entities and citations from parsed documents and update the graph')
    .option('--vocabulary <file>', 'your own terms to find in the text: CSV (id, name, synonyms), SKOS (.ttl) or OBO')
    .option('--force', 'process all documents again')
    .option('--mailto <address>', 'contact e-mail address, sent to OpenAlex and Crossref with --lookup (http.contact)')
    .addOption(simOption())
    .addHelpText(
      'after',
      '\nExamples:\n  docstokg graph build\n  docstokg graph build runs/corals --vocabulary terms.csv\n  docstokg graph build runs/review --works included\n  docstokg graph build --lookup --mailto you@university.example\n',
    )
    .action(async (named: string | undefined, flags: GraphFlags, self: Command) => {
      const session = openSession(self);
      using stop = stopSignal();
      await using corpus = await corpusOf(session, named ?? flags.run, await simulatedLayer(flags));
      const show = showStage(session);
      const chosen = chosenWorks(corpus, flags.works);
      const request = { ...chosen, vocabulary: flags.vocabulary, flags: { ...(flags.force && { force: true }) } };
      for await (const event of corpus.graph.build(request, stop.signal)) {
        if (event.kind === 'stage') show(event.event);
        else if (event.kind === 'warning') session.log('warn', event.message);
        else {
          const { path, change, lookedUp, named } = event;
          if (event.outcome.failed > 0) process.exitCode ??= 1;
          if (change.staleClaims > 0)
            session.log(
              'warn',
              `${count(change.staleClaims)} documents were parsed again since their claims were extracted; run docstokg graph claims to update them`,
            );
          using graph = corpus.graph.open();
          const stats = graph.stats();
          const total = (counts: Record<string, number>): number =>
            Object.values(counts).reduce((sum, each) => sum + each, 0);
          session.print(
            { path, ...change, ...stats, looked_up: lookedUp, named },
            `${named ? `${namedLine(named)}\n` : ''}${lookedUp ? `${lookedUpLine(lookedUp)}\n` : ''}${path}: ${count(change.documents)} documents, ${count(total(stats.nodes))} nodes, ${count(total(stats.edges))} edges, ${count(stats.evidence)} pieces of evidence (${count(change.added)} added, ${count(change.removed)} removed)`,
          );
        }
      }
    });
}

/** Result of looking up cited works by OpenAlex id. */
function namedLine({ asked, named, unknown, left }: NamedWorks): string {
  return [
    `looked up ${count(asked)} cited works by id in OpenAlex: ${count(named)} found, ${count(unknown)} unknown`,
    ...(left > 0 ? [`${count(left)} left for the next build`] : []),
  ].join(', ');
}

/** Result of looking up references in Crossref. */
function lookedUpLine({ asked, found, doubtful, unknown, unanswered, left }: LookedUp): string {
  return [
    `looked up ${count(asked)} references without an identifier in Crossref: ${count(found)} found, ${count(doubtful)} doubtful, ${count(unknown)} unknown`,
    ...(unanswered > 0 ? [`${count(unanswered)} without an answer`] : []),
    ...(left > 0 ? [`${count(left)} left for the next build`] : []),
  ].join(', ');
}

/** A graph query and how to print its result. */
interface Question {
  readonly name: string;
  readonly example: string;
  readonly description: string;
  readonly words?: readonly string[];
  readonly options?: (command: Command) => Command;
  readonly ask: (graph: Graph, words: readonly string[], flags: GraphFlags) => unknown;
  readonly tell: (answer: never, session: Session) => readonly string[];
}

function question<Answer>(
  of: Omit<Question, 'ask' | 'tell'> & {
    ask: (graph: Graph, words: readonly string[], flags: GraphFlags) => Answer;
    tell: (answer: Answer, session: Session) => readonly string[];
  },
): Question {
  return of;
}

const top = (command: Command): Command => command.option('-n, --top <n>', 'rows to show', wholeNumber(1), 20);
const kinds = (command: Command): Command =>
  top(command).addOption(new Option('--kind <kinds...>', 'only edges of these kinds').choices(Object.keys(EDGE_KINDS)));
const weighted =
  (unit: string) =>
  (
    rows: readonly { readonly node: Parameters<typeof nodeLine>[0]; readonly weight: number }[],
    { terminal }: Session,
  ): string[] =>
    rows.map(({ node, weight }) => `${String(weight).padStart(5)} ${unit}  ${nodeLine(node, terminal)}`);

const QUESTIONS: readonly Question[] = [
  question({
    name: 'stats',
    example: 'docstokg graph stats',
    description: 'show documents, nodes and edges by kind, works with the highest PageRank, and groups of works',
    options: top,
    ask: (graph, _words, { top: limit }) => {
      const { works, communities } = graph.mostCentral(limit);
      return { ...graph.stats(), communities, most_weight: works };
    },
    tell: (stats, session) => [
      `${count(stats.documents)} documents, ${count(stats.evidence)} pieces of evidence, ${count(stats.communities)} groups of works`,
      ...Object.entries(stats.nodes).map(([kind, number]) => `${count(number).padStart(9)} ${kind}`),
      '',
      ...Object.entries(stats.edges).map(([kind, number]) => `${count(number).padStart(9)} ${kind}`),
      '',
      ...stats.most_weight.map(({ node, weight }) => `${weight.toFixed(4)}  ${nodeLine(node, session.terminal)}`),
    ],
  }),
  question({
    name: 'show',
    example: 'docstokg graph show work:doi:10.1038/nature02691',
    description: 'show a node and its edges, each with its source sentence',
    words: ['id'],
    options: (command) => kinds(command).option('--brief', 'only the neighbouring nodes, without sentences'),
    ask: (graph, [id = ''], flags) => ({
      node: graph.find(id),
      brief: flags.brief ?? false,
      neighbours: graph.neighbours(id, { kinds: flags.kind, limit: flags.top }),
    }),
    tell: ({ node, brief, neighbours }, { terminal }) => [
      terminal.style('bold', nodeLine(node, terminal)),
      ...neighbourLines(neighbours, terminal, !brief),
    ],
  }),
  question({
    name: 'path',
    example: 'docstokg graph path 10.1038/nature02691 10.1126/science.1109908',
    description: 'show a shortest path between two nodes',
    words: ['from', 'to'],
    ask: (graph, [from = '', to = '']) => graph.path(from, to) ?? [],
    tell: (way, { terminal }) =>
      way.length === 0
        ? ['no path with six or fewer steps']
        : way.map(
            ({ node, edge, direction }) =>
              `${edge === null ? '' : direction === 'out' ? `  ─ ${edge} → ` : `  ← ${edge} ─ `}${nodeLine(node, terminal)}`,
          ),
  }),
  question({
    name: 'cited-by',
    example: 'docstokg graph cited-by 10.1038/nature02691',
    description: 'list the works that cite a work, newest first, with the reference as printed',
    words: ['work'],
    ask: (graph, [work = '']) => graph.citedBy(work),
    tell: (rows, { terminal }) => neighbourLines(rows, terminal, true),
  }),
  question({
    name: 'related',
    example: 'docstokg graph related 10.1038/nature02691 --top 10',
    description: 'list works related to a work by co-citation or shared references',
    words: ['work'],
    options: top,
    ask: (graph, [work = ''], flags) => graph.related(work, flags.top),
    tell: weighted('shared'),
  }),
  question({
    name: 'sql',
    example: 'docstokg graph sql "select kind, count(*) from edges group by kind"',
    description: 'run a read-only SQL query on the tables of corpus.sqlite (nodes, edges, evidence, works, …)',
    words: ['statement'],
    ask: (graph, [statement = '']) => graph.sql(statement),
    tell: (rows) => rows.map((row) => JSON.stringify(row)),
  }),
];

const LISTS: readonly Question[] = [
  question({
    name: 'terms',
    example: 'docstokg graph list terms coral',
    description: 'list terms by number of works',
    options: top,
    ask: (graph, words, flags) => graph.most('term', { like: words[0], limit: flags.top }),
    tell: weighted('works'),
    words: ['[words]'],
  }),
  question({
    name: 'quantities',
    example: 'docstokg graph list quantities "protein binding"',
    description: 'list the quantities about a subject, each with its sentence',
    words: ['words'],
    options: top,
    ask: (graph, [words = ''], flags) => graph.quantities(words, flags.top),
    tell: (rows, { terminal }) =>
      rows.flatMap(({ quantity, evidence }) => [nodeLine(quantity, terminal), `    ${evidenceLine(evidence)}`]),
  }),
  question({
    name: 'timeline',
    example: 'docstokg graph list timeline --json',
    description: 'count works by year: in the corpus and cited by it',
    ask: (graph) => graph.timeline(),
    tell: (rows) =>
      rows.map(
        ({ year, corpus, cited }) =>
          `${year}  ${String(corpus).padStart(6)} in the corpus ${String(cited).padStart(6)} cited`,
      ),
  }),
  question({
    name: 'gaps',
    example: 'docstokg graph list gaps --min-citations 3 --ids > gaps.txt',
    description: 'list works that the corpus often cites but does not contain, for docstokg run --input',
    options: (command) =>
      top(command)
        .option('--min-citations <n>', 'minimum number of citing works', wholeNumber(1), 2)
        .option('--ids', 'print only ids, one per line, for docstokg run --input'),
    ask: (graph, _words, flags) => {
      const gaps = graph.gaps({ least: flags.minCitations, limit: flags.top });
      return flags.ids ? gaps.flatMap(({ node }) => askedAs(node.id)) : gaps;
    },
    tell: (rows, session) =>
      rows.flatMap((row) => (typeof row === 'string' ? [row] : weighted('times')([row], session))),
  }),
];

/** The id of a work as `docstokg run` accepts it; undefined for works known only from a printed reference. */
function askedAs(id: string): string[] {
  const [, kind = '', name = ''] = /^work:(doi|openalex|arxiv|pmid|pmcid):(.+)$/.exec(id) ?? [];
  return kind === '' ? [] : [kind === 'arxiv' ? `arXiv:${name}` : kind === 'pmid' ? `pmid:${name}` : name];
}

function questionCommand({ name, example, description, words = [], options, ask, tell }: Question): Command {
  const command = runAndWords(shared(new Command(name)), words)
    .description(description)
    .addHelpText('after', `\nExample:\n  ${example}\n`);
  return (options?.(command) ?? command).action(async (given: string[], flags: GraphFlags, self: Command) => {
    const session = openSession(self);
    const asked = splitRun(given, words, flags.run);
    await using corpus = await corpusOf(session, asked.run);
    using graph = corpus.graph.open();
    const answer = ask(graph, asked.words, flags);
    const lines = session.json ? [JSON.stringify(answer)] : tell(answer as never, session);
    if (lines.length === 0) session.log('info', 'no results in this graph');
    else session.terminal.print(lines.join('\n'));
  });
}
