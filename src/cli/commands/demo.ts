import { join } from 'node:path';

import { Command } from 'commander';

// Types only: the simulator is loaded when the command runs.
import type { Verification } from '../../../sim/index.ts';
import type { Answer, Table } from '../../answers/index.ts';
import { askCorpus, fillTable, parseColumns, tableOptions, tableText } from '../../answers/index.ts';
import { settingsLayer } from '../../config/index.ts';
import type { Corpus } from '../../corpus/index.ts';
import { openCorpus } from '../../corpus/index.ts';
import { passageText } from '../passage-text.ts';
import { recordText } from '../record-text.ts';
import { printAnswer } from './ask.ts';
import type { Session } from '../session.ts';
import { openSession, shared, stopSignal } from '../session.ts';
import { loadSimulation, readManifest, readTruth, readViolations, startSimulation } from '../simulation.ts';
import type { Terminal } from '../terminal.ts';
import { plain, showProgress } from '../terminal.ts';
import { configFor, runCorpus } from './run/index.ts';
import { nextSteps, printAccount, printLines, printRun } from './run/summary.ts';
import { wholeNumber } from '../options.ts';

export const DEMO_WORLD = { seed: 7, works: 600, hosts: 60, profile: 'demo' } as const;
const TOPIC = 'coral and marine ecosystems';
/** The OpenAlex query that selects the works of TOPIC. */
const SELECTION = 'filter=topics.id:T10341';
/** Real seconds per simulated second. */
const TIME_SCALE = 0.05;
const QUESTIONS = 3;
const ASKED = 'How many colonies were still alive weeks after the heatwave?';
/** Questions of the final table, asked of three papers in which the answer was searched. */
const TABLE_COLUMNS = `- year\n- journal\n- {name: survival, question: ${ASKED}, type: number, unit: "%"}`;
const TABLE_ROWS = 3;
const TOP = 5;

const HELP = `
Nothing leaves this machine. Works are found, downloaded, parsed, chunked, embedded and
searched as in a real run; only the web is simulated, and its correct answers are known.

Example:
  docstokg demo --out runs/demo
`;

export function demoCommand(): Command {
  return shared(new Command('demo'))
    .description(
      'run the whole pipeline offline against a simulated web: collect 60 works and answer questions about them',
    )
    .option('--out <folder>', 'output folder', join('runs', 'demo'))
    .option('--max <n>', 'maximum number of works; fewer is faster', wholeNumber(1))
    .addHelpText('after', HELP)
    .action(async (options: { out: string; max?: number }, self: Command) =>
      demo(options.out, options.max, openSession(self)),
    );
}

async function demo(out: string, max: number | undefined, session: Session): Promise<void> {
  const tell = (message: string): void => {
    if (!session.json) session.terminal.print(message);
  };
  using stop = stopSignal((name) => session.info(`${name}: finishing running work; Ctrl-C again to quit`));
  const parameters = Object.entries({ ...DEMO_WORLD, 'time-scale': TIME_SCALE });
  await using web = await startSimulation(parameters.flatMap(([name, value]) => [`--${name}`, String(value)]));
  tell(
    `A simulated web of ${DEMO_WORLD.works} works at ${DEMO_WORLD.hosts} hosts is running on this machine; no external requests are made.`,
  );
  tell(`Searching for works on "${TOPIC}"\n`);
  const asked = { topic: TOPIC, ...(max !== undefined && { max }) };
  await using corpus = await openCorpus(out, {
    config: await configFor(out, { sim: web.url }, session, DEMO_SETTINGS),
  });
  const end = await runCorpus(corpus, asked, session, stop.signal);
  const { account } = end;
  if (!account.index) return printRun(end, corpus, session);
  const { verification, violations } = await compareWithTruth(web.url, out, max, session);
  const answers = await askQuestions(corpus, stop.signal);
  const { answer, table } = await askAndTabulate(corpus, stop.signal);
  const right = answers.filter(({ rank }) => rank !== null).length;
  if (verification.differences.length > 0 || violations > 0 || right < answers.length) process.exitCode ??= 1;
  const { works, differences } = verification;
  const truth = { works, differences, violations };
  if (session.json) {
    const asked = { answer: answer.sentences, table: table.rows };
    session.terminal.print(JSON.stringify({ out, ...account, truth, answers, ...asked }));
    return;
  }
  printAccount(end, session);
  printAnswers(answers, out, session);
  const isRight = differences.length === 0 && violations === 0;
  const compared = isRight ? 'outcome, reason, resolver, file and attempts of all match' : recordText(truth, 0);
  session.terminal.print(
    `\n${mark(isRight, session.terminal)} ${works} works compared with the simulated web: ${compared}`,
  );
  printAsked(answer, table, session);
  printLines(session.terminal, nextSteps(account, out, corpus.config));
}

/**
 * The simulation runs at twenty times real speed. These timeouts are scaled back to about their real-time length, so
 * that a busy machine is not mistaken for a slow host.
 */
const DEMO_SETTINGS = settingsLayer(
  {
    http: {
      connect_s: 30 / TIME_SCALE,
      headers_s: 120 / TIME_SCALE,
      idle_s: 120 / TIME_SCALE,
      total_s: 900 / TIME_SCALE,
      floor_bytes_per_second: 0,
    },
    download: { work_budget_s: 180 / TIME_SCALE },
    // Three of its papers are scans, and OCR takes longer than everything else.
    parse: { ocr: 'off' },
  },
  'the demo',
);

/** Picks questions about downloaded works, spread evenly over the manifest. */
async function someQuestions(out: string) {
  const { plantedQuestions, World } = await loadSimulation();
  const saved = [...(await readManifest(join(out, 'manifest.jsonl'))).values()]
    .filter(({ outcome }) => outcome === 'saved')
    .map(({ work }) => work)
    .sort();
  const world = new World(DEMO_WORLD);
  return Array.from(
    { length: QUESTIONS },
    (_, at) => saved[Math.floor(((at + 0.5) * saved.length) / QUESTIONS)],
  ).flatMap((work, at) => {
    const questions = work === undefined ? [] : [...plantedQuestions(world, new Set([work]))];
    return questions.slice(at, at + 1);
  });
}

type Answered = Awaited<ReturnType<typeof askQuestions>>;

/** Asks questions with planted answers. */
async function askQuestions(corpus: Corpus, signal: AbortSignal) {
  const planted = await someQuestions(corpus.folder);
  const answers = [];
  for (const { question, answer: expected, nonce, value } of planted) {
    const hits = await corpus.search(question, { top: TOP }, signal);
    const at = hits.findIndex(({ passage: { text } }) => text.includes(nonce) && text.includes(value));
    answers.push({
      question,
      expected,
      /** Rank of the passage that contains the answer, or null if none of the first passages does. */
      rank: at === -1 ? null : at + 1,
      /** That passage, or else the first hit. */
      hit: hits[Math.max(0, at)] ?? null,
    });
  }
  return answers;
}

/** Fetches the expected result and the politeness violations from the simulator and compares them with the manifest. */
async function compareWithTruth(
  sim: string,
  out: string,
  max: number | undefined,
  session: Session,
): Promise<{ readonly verification: Verification; readonly violations: number }> {
  using _line = showProgress(session.terminal, session.clock, () => 'comparing with the simulated web');
  const { verify } = await loadSimulation();
  const truth = await readTruth(sim, { selection: SELECTION });
  const { total } = await readViolations(sim);
  const scope = max === undefined ? 'all' : 'manifest';
  return { verification: verify(truth, await readManifest(join(out, 'manifest.jsonl')), { scope }), violations: total };
}

function printAnswers(answers: Answered, out: string, session: Session): void {
  const { terminal } = session;
  terminal.print(`\n${terminal.style('bold', 'Questions with known answers', 'stdout')}`);
  for (const { question, expected, rank, hit } of answers) {
    terminal.print(`\n${mark(rank !== null, terminal)} ${question}`);
    if (rank === null) terminal.print(`  not among the first ${TOP} passages; expected: ${expected}\n  found first:`);
    if (!hit) continue;
    const { file } = hit.passage;
    const link = file === undefined ? undefined : join(out, file);
    // Start the excerpt at the answer; the search itself only saw the question.
    const query = rank === null ? question : expected;
    terminal.print(
      passageText({ ...hit, work: null, link: null }, { query, full: false, link }, terminal).replaceAll(/^/gm, '  '),
    );
  }
}

/** One answer and a table of three papers, as `ask` and `table` give them without a model. */
async function askAndTabulate(
  corpus: Corpus,
  signal: AbortSignal,
): Promise<{ readonly answer: Answer; readonly table: Table }> {
  await using search = await corpus.openSearch({}, signal);
  const answer = await askCorpus(search, ASKED, { sentences: 1 }, signal);
  const near = answer.passages.map(({ passage }) => passage.document);
  const documents = [...new Set([...near, ...search.documents().map(({ document }) => document)])];
  const table = await fillTable(
    corpus,
    search,
    {
      columns: parseColumns(TABLE_COLUMNS, 'columns.yaml'),
      search: { works: new Set(documents.slice(0, TABLE_ROWS)) },
      options: tableOptions(corpus, false),
    },
    signal,
  );
  return { answer, table };
}

function printAsked(answer: Answer, table: Table, session: Session): void {
  const { terminal } = session;
  const title = (text: string): void => terminal.print(`\n${terminal.style('bold', text, 'stdout')}\n`);
  title(`docstokg ask "${plain(answer.question)}", without a model`);
  printAnswer(answer, 'text', session);
  title('docstokg table --columns columns.yaml, without a model');
  terminal.print(`${TABLE_COLUMNS}\n`);
  terminal.print(plain(tableText(table, 'markdown')));
}

function mark(right: boolean, terminal: Terminal): string {
  return right ? terminal.style('green', '✓', 'stdout') : terminal.style('red', '✗', 'stdout');
}
