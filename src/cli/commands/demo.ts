import { join } from 'node:path';

import { Command } from 'commander';

import { askCorpus } from '../../ask/index.ts';
import { fillTable, parseColumns, tableText } from '../../table/index.ts';
import { settingsLayer } from '../../config/index.ts';
import type { Corpus } from '../../corpus/index.ts';
import { openCorpus } from '../../corpus/index.ts';
import { passageText } from '../passage-text.ts';
import { recordText } from '../record-text.ts';
import { printAnswer } from './ask.ts';
import type { Session } from '../session.ts';
import { openSession, shared, stopSignal } from '../session.ts';
import { compareWithTruth, loadSimulation, readManifest, startSimulation, webTimeOf } from '../simulation.ts';
import type { Terminal } from '../terminal.ts';
import { plain } from '../terminal.ts';
import { configFor, runCorpus } from './run/index.ts';
import { nextSteps, printAccount, printLines, printRun } from './run/summary.ts';
import { wholeNumber } from '../options.ts';

export const DEMO_WORLD = { seed: 7, works: 600, hosts: 60, profile: 'demo' } as const;
const TOPIC = 'coral and marine ecosystems';
/** The OpenAlex query that selects the works of TOPIC. */
const SELECTION = 'filter=topics.id:T10341';
/** Works that a selection can name; the topic has fewer. */
const MOST_WORKS = 100;
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

export function demoCommand() {
  return shared(new Command('demo'))
    .description(
      'run the whole pipeline offline against a simulated web: collect 60 works and answer questions about them',
    )
    .option('--out <folder>', 'output folder', join('runs', 'demo'))
    .option('--max <n>', 'maximum number of works; fewer is faster', wholeNumber(1))
    .addHelpText('after', HELP)
    .action(async (options, self) => demo(options.out, options.max, openSession(self)));
}

async function demo(out: string, max: number | undefined, session: Session): Promise<void> {
  const { terminal } = session;
  const tell = (message: string): void => {
    if (!session.json) terminal.print(message);
  };
  using stop = stopSignal((name) => session.info(`${name}: finishing running work; Ctrl-C again to quit`));
  const parameters = Object.entries({ ...DEMO_WORLD, 'time-scale': TIME_SCALE });
  await using web = await startSimulation(parameters.flatMap(([name, value]) => [`--${name}`, String(value)]));
  tell(
    `A simulated web of ${DEMO_WORLD.works} works at ${DEMO_WORLD.hosts} hosts is running on this machine; no external requests are made.`,
  );
  tell(`Searching for works on "${TOPIC}"\n`);
  const request = { topic: TOPIC, ...(max !== undefined && { max }) };
  await using corpus = await openCorpus(out, {
    config: await configFor(out, { sim: web.url }, session, DEMO_SETTINGS),
    web: await webTimeOf(web.url),
  });
  const end = await runCorpus(corpus, request, session, stop.signal);
  const { account } = end;
  if (!account.index) return printRun(end, corpus, session);
  const manifest = join(out, 'manifest.jsonl');
  // The truth has hashes, so the simulator writes the files of all works that it is asked for.
  const listed = [...(await readManifest(manifest)).keys()].slice(0, MOST_WORKS).join('|');
  const compared = await compareWithTruth(web.url, manifest, {
    policy: { selection: max === undefined ? SELECTION : `${SELECTION},ids.openalex:${listed}` },
    scope: max === undefined ? 'all' : 'manifest',
  });
  const { works = 0, differences = [] } = compared;
  const truth = { works, differences, violations: compared.violations.total };
  const answers = await askPlanted(corpus, manifest, stop.signal);
  const { answer, table } = await askAndTabulate(corpus, stop.signal);
  const isRight = differences.length === 0 && truth.violations === 0;
  if (!isRight || answers.some(({ rank }) => rank === null)) process.exitCode ??= 1;
  if (session.json) {
    const asked = { answer: answer.sentences, table: table.rows };
    terminal.print(JSON.stringify({ out, ...account, truth, answers, ...asked }));
    return;
  }
  const heading = (text: string): void => terminal.print(`\n${terminal.style('bold', text, 'stdout')}\n`);
  printAccount(end, session);
  heading('Questions with known answers');
  terminal.print(answers.map((each) => plantedText(each, out, terminal)).join('\n\n'));
  const result = isRight ? 'outcome, reason, resolver, file and attempts of all match' : recordText(truth, 0);
  terminal.print(`\n${mark(isRight, terminal)} ${works} works compared with the simulated web: ${result}`);
  heading(`docstokg ask "${plain(answer.question)}", without a model`);
  printAnswer(answer, 'text', session);
  heading('docstokg table --columns columns.yaml, without a model');
  terminal.print(`${TABLE_COLUMNS}\n\n${plain(tableText(table, 'markdown'))}`);
  printLines(terminal, nextSteps(account, out, corpus.config));
}

/** Timeouts at about their real length, so that a busy machine is not mistaken for a slow host. */
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

type Planted = Awaited<ReturnType<typeof askPlanted>>[number];

/** Asks questions with planted answers about some downloaded works, spread evenly over the manifest. */
async function askPlanted(corpus: Corpus, manifest: string, signal: AbortSignal) {
  const { plantedQuestions, World } = await loadSimulation();
  const rows = [...(await readManifest(manifest)).values()];
  const saved = rows.flatMap(({ outcome, work }) => (outcome === 'saved' ? [work] : [])).sort();
  const world = new World(DEMO_WORLD);
  const answers = [];
  for (let number = 0; number < QUESTIONS; number += 1) {
    const work = saved[Math.floor(((number + 0.5) * saved.length) / QUESTIONS)];
    const planted = work === undefined ? undefined : [...plantedQuestions(world, new Set([work]))][number];
    if (!planted) continue;
    const { question, answer: expected, nonce, value } = planted;
    const hits = await corpus.search(question, { top: TOP }, signal);
    const at = hits.findIndex(({ passage: { text } }) => text.includes(nonce) && text.includes(value));
    // The rank of the passage that contains the answer, or null if none of the first does; that passage, or the first
    // hit.
    answers.push({ question, expected, rank: at === -1 ? null : at + 1, hit: hits[Math.max(0, at)] ?? null });
  }
  return answers;
}

function plantedText({ question, expected, rank, hit }: Planted, out: string, terminal: Terminal): string {
  const missed = `  not among the first ${TOP} passages; expected: ${expected}\n  found first:`;
  const lines = [`${mark(rank !== null, terminal)} ${question}`, ...(rank === null ? [missed] : [])];
  if (hit) {
    const { file } = hit.passage;
    // The excerpt starts at the answer; the search itself only saw the question.
    const view = { query: rank === null ? question : expected, full: false, link: file && join(out, file) };
    lines.push(passageText({ ...hit, work: null, link: null }, view, terminal).replaceAll(/^/gm, '  '));
  }
  return lines.join('\n');
}

/** One answer and a table of three papers, as `ask` and `table` give them without a model. */
async function askAndTabulate(corpus: Corpus, signal: AbortSignal) {
  await using search = await corpus.openSearch({}, signal);
  const answer = await askCorpus(search, ASKED, { sentences: 1 }, signal);
  const near = answer.passages.map(({ passage }) => passage.document);
  const documents = [...new Set([...near, ...(await search.documents()).map(({ document }) => document)])];
  const columns = parseColumns(TABLE_COLUMNS, 'columns.yaml');
  const works = new Set(documents.slice(0, TABLE_ROWS));
  return { answer, table: await fillTable(corpus, search, { columns, search: { works } }, signal) };
}

function mark(right: boolean, terminal: Terminal): string {
  return right ? terminal.style('green', '✓', 'stdout') : terminal.style('red', '✗', 'stdout');
}
