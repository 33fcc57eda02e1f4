import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { askCorpus } from '../src/ask/ask.ts';
import { columnsFrom } from '../src/table/columns.ts';
import { fillTable } from '../src/table/fill-table.ts';
import { packageRoot } from '../src/base/index.ts';
import type { Corpus, SearchSession } from '../src/corpus/index.ts';
import { openCorpus } from '../src/corpus/index.ts';
import { checkOptions } from '../test/support/options.ts';
import { nothingMeasured, OPEN_PAPERS, SHARED } from './score/data.ts';

// Scores how well papers are understood without a language model, on questions and cells with evidence (ID.json beside
// each other, papers by name in the folders of --papers): is the gold passage among the first of `search`, is the right
// sentence first or among three, are questions that no paper answers refused, are cells of a table right, and are all
// papers cited that a question across papers is about.
//
// A sentence is right if it and a piece of the evidence share half of the shorter one, by letters and digits, in the same
// paper. A cell is right if its quote is right in that sense, or if its value means what the gold value does, in words: it
// has all numbers and most words of the gold value outside brackets ("Brazil" for "Brazil (city of São Paulo)"), or it says
// nothing else and has the first number or half of the words ("42" for "42 patients", "review" for "narrative review"). It
// is near if it has some of them. "right of filled" is also given with the cells counted as wrong that the gold standard
// leaves empty. Papers are divided in two by the hash of their names: settings were chosen on
// "worked on".
const values = checkOptions({
  data: join(SHARED, 'data', 'understanding', 'open'),
  papers: ['pmc', 'publishers'].map((folder) => join(OPEN_PAPERS, folder)).join(','),
  reader: ['best', 'rules', 'trained'],
  half: ['both', 'worked-on', 'kept-aside'],
  parts: 'search,ask,cells,across',
  run: '',
});

interface Question {
  readonly id: string;
  readonly kind: string;
  readonly wording: 'paper' | 'other';
  readonly question: string;
  readonly evidence: readonly string[];
}

interface GoldCell {
  readonly value: string;
  readonly evidence: string | readonly string[];
}

interface Paper {
  readonly paper: string;
  readonly questions: readonly Question[];
  readonly absent: readonly string[];
  readonly cells: Readonly<Record<string, GoldCell | null>>;
}

interface AcrossQuestion {
  readonly question: string;
  readonly papers: readonly string[];
}

interface FilledCell {
  readonly value: string;
  readonly quotes: readonly { readonly text: string }[];
}

type Half = 'worked on' | 'kept aside';
const DEPTHS = [1, 3, 10, 50] as const;
const FLOORS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] as const;

/** How the columns of the gold standard are asked. */
const COLUMN_QUESTIONS: Readonly<Record<string, string>> = {
  'study design': 'What is the design of the study?',
  'sample size': 'How many participants, samples or items were studied?',
  country: 'In which country was the study done?',
  'population or material': 'Which population or material was studied?',
  'intervention or exposure': 'Which intervention, treatment or exposure was studied?',
  comparison: 'What was it compared with?',
  'main outcome or measure': 'What was the main outcome or measure?',
  'main result': 'What is the main result?',
  'statistical method': 'Which statistical methods were used?',
  software: 'Which software was used?',
  limitations: 'What are the limitations of the study?',
  funding: 'Who funded the study?',
};

const files = globSync('*.json', { cwd: values.data }).sort();
if (files.length === 0) nothingMeasured(`there are no questions in ${values.data}: name a folder with --data`);
const papers = files
  .filter((name) => !name.startsWith('cross-'))
  .map((name) => JSON.parse(readFileSync(join(values.data, name), 'utf8')) as Paper);
const across = files
  .filter((name) => name.startsWith('cross-'))
  .flatMap((name) => JSON.parse(readFileSync(join(values.data, name), 'utf8')) as AcrossQuestion[]);
const workedOn = new Set(
  papers
    .map(({ paper }) => paper)
    .sort((one, other) => hashOf(one).localeCompare(hashOf(other)))
    .slice(0, Math.ceil(papers.length / 2)),
);
const halfOf = (paper: string): Half => (workedOn.has(paper) ? 'worked on' : 'kept aside');
const halves = (['worked on', 'kept aside'] as const).filter(
  (half) => values.half === 'both' || half.replace(' ', '-') === values.half,
);

await using corpus = await openedCorpus();
await using session = await corpus.openSearch();
const parts = new Set(values.parts.split(','));
console.log(`${papers.length} papers, ${session.passages} passages, reader ${session.reader.name}`);
if (parts.has('search')) await scoreSearch(session);
if (parts.has('ask')) await scoreAsk(session);
if (parts.has('cells')) await scoreCells(corpus, session);
if (parts.has('across')) await scoreAcross(session);

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A corpus of the papers, made once for a set of papers. */
async function openedCorpus(): Promise<Corpus> {
  const names = papers.map(({ paper }) => paper);
  const folder =
    values.run || join(packageRoot(), 'Data', `score-understanding-${hashOf(names.join(' ')).slice(0, 12)}`);
  const settings = { ask: { reader: values.reader } };
  if (existsSync(join(folder, 'report.html'))) return await openCorpus(folder, { settings });
  // Beside the folder: a run does not take files of its own folder for papers.
  const input = `${folder}-papers`;
  mkdirSync(input, { recursive: true });
  for (const name of names) {
    const places = values.papers.split(',').flatMap((each) => [join(each, `${name}.pdf`), join(each, `${name}.xml`)]);
    const path = places.find((each) => existsSync(each));
    if (path === undefined) nothingMeasured(`no paper ${name} in ${values.papers}: name its folder with --papers`);
    else copyFileSync(path, join(input, basename(path)));
  }
  const made = await openCorpus(folder, { settings });
  for await (const event of made.run({ input: [input] }))
    if (event.kind === 'ended')
      console.error(`${readdirSync(input).length} papers parsed, ${event.account.documents} documents`);
  return made;
}

function squash(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Whether two texts share half of the shorter one, by letters and digits. */
function overlaps(one: string, other: string): boolean {
  const [short, long] = [squash(one), squash(other)].sort((a, b) => a.length - b.length) as [string, string];
  const half = Math.ceil(short.length / 2);
  if (half < 6) return false;
  return (
    long.includes(short) || (half >= 12 && (long.includes(short.slice(0, half)) || long.includes(short.slice(-half))))
  );
}

/** Evidence without the mark of its table, and each row of a table apart. */
function pieces(evidence: readonly string[]): string[] {
  return evidence.map((text) => text.replace(/^\[[^\]]{1,40}\]\s*/, ''));
}

function isRight(
  quotes: readonly { readonly text: string; readonly document: string }[],
  paper: string,
  evidence: readonly string[],
): boolean {
  return quotes.some(
    ({ text, document }) => document === paper && pieces(evidence).some((piece) => overlaps(text, piece)),
  );
}

function share(some: number, all: number): string {
  return (all === 0 ? 0 : some / all).toFixed(2);
}

function questionsOf(half: Half): (Question & { readonly paper: string })[] {
  return papers
    .filter(({ paper }) => halfOf(paper) === half)
    .flatMap(({ paper, questions }) => questions.map((question) => ({ ...question, paper })));
}

async function scoreSearch(from: SearchSession): Promise<void> {
  console.log('\nsearch: gold passage among the first 1, 3, 10, 50');
  for (const half of halves)
    for (const wording of ['paper', 'other'] as const) {
      const own = questionsOf(half).filter((question) => question.wording === wording);
      const ranks: number[] = [];
      for (const { question, paper, evidence } of own) {
        const hits = await from.search(question, { top: Math.max(...DEPTHS), minFit: 0 });
        const at = hits.findIndex(
          ({ passage }) =>
            passage.document === paper && pieces(evidence).some((piece) => overlaps(passage.text, piece)),
        );
        ranks.push(at === -1 ? Number.POSITIVE_INFINITY : at + 1);
      }
      const line = DEPTHS.map((depth) => share(ranks.filter((rank) => rank <= depth).length, own.length)).join('  ');
      console.log(
        `  ${half.padEnd(11)} ${(wording === 'paper' ? "paper's words" : 'other words').padEnd(14)} ${line}  (${own.length})`,
      );
    }
}

interface Asked {
  readonly first: boolean;
  readonly three: boolean;
  readonly fit: number;
}

async function scoreAsk(from: SearchSession): Promise<void> {
  const { least } = from.reader;
  for (const half of halves) {
    const asked: (Asked & { readonly wording: string; readonly kind: string })[] = [];
    const started = process.cpuUsage();
    for (const { question, paper, evidence, wording, kind } of questionsOf(half)) {
      const { sentences } = await askCorpus(from, question, { least: 0 });
      const right = sentences.map(({ quotes }) => isRight(quotes, paper, evidence));
      asked.push({ wording, kind, first: right[0] === true, three: right.includes(true), fit: sentences[0]?.fit ?? 0 });
    }
    const { user, system } = process.cpuUsage(started);
    const absent: number[] = [];
    for (const { paper, absent: own } of papers)
      if (halfOf(paper) === half)
        for (const question of own) {
          const { sentences } = await askCorpus(from, question, { least: 0 });
          absent.push(sentences[0]?.fit ?? 0);
        }
    const line = (name: string, some: readonly Asked[]): void =>
      console.log(
        `  ${name.padEnd(16)} ${[
          share(some.filter(({ first, fit }) => first && fit >= least).length, some.length),
          share(some.filter(({ three, fit }) => three && fit >= least).length, some.length),
          share(some.filter(({ fit }) => fit < least).length, some.length),
          share(some.filter(({ first }) => first).length, some.length),
          share(some.filter(({ three }) => three).length, some.length),
        ].join('   ')}  (${some.length})`,
      );
    console.log(`\nask, ${half}: right sentence first, in three, refused; first, in three if nothing is refused`);
    line('all', asked);
    for (const [wording, some] of Map.groupBy(asked, (each) => each.wording)) line(`words: ${wording}`, some);
    const kinds = Map.groupBy(asked, (each) => each.kind);
    for (const kind of [...kinds.keys()].sort()) line(kind, kinds.get(kind) ?? []);
    console.log(
      `  absent questions refused at ${least}: ${share(absent.filter((fit) => fit < least).length, absent.length)} (${absent.length})`,
    );
    console.log('  floor: answerable answered, absent refused');
    for (const floor of FLOORS)
      console.log(
        `   ${floor.toFixed(2)}   ${share(asked.filter(({ fit }) => fit >= floor).length, asked.length)}   ${share(absent.filter((fit) => fit < floor).length, absent.length)}`,
      );
    console.log(`  CPU per question ${((user + system) / 1e6 / asked.length).toFixed(2)} s`);
  }
}

async function scoreCells(from: Corpus, at: SearchSession): Promise<void> {
  const columns = columnsFrom(Object.entries(COLUMN_QUESTIONS).map(([name, question]) => ({ name, question })));
  const { rows } = await fillTable(from, at, { columns });
  for (const half of halves) {
    console.log(`\ncells, ${half}: right, near, wrong, empty of those the paper answers; filled of those it does not`);
    const total = [0, 0, 0, 0, 0, 0];
    for (const [index, { name }] of columns.entries()) {
      const counts = [0, 0, 0, 0, 0, 0];
      for (const { paper, cells } of papers.filter((each) => halfOf(each.paper) === half)) {
        const gold = cells[name];
        const cell = rows.find(({ document }) => document === paper)?.cells[index];
        const filled = cell?.kind === 'value' ? cell : undefined;
        const verdict = !gold ? (filled ? 4 : 5) : !filled ? 3 : judge(filled, gold);
        counts[verdict] = (counts[verdict] ?? 0) + 1;
        total[verdict] = (total[verdict] ?? 0) + 1;
      }
      console.log(
        `  ${name.padEnd(26)} ${counts
          .slice(0, 5)
          .map((each) => String(each).padStart(4))
          .join('')}`,
      );
    }
    const [right = 0, near = 0, wrong = 0, empty = 0, extra = 0, rest = 0] = total;
    console.log(
      `  all: filled ${share(right + near + wrong, right + near + wrong + empty)}, right of filled ${share(right, right + near + wrong)} (right or near ${share(right + near, right + near + wrong)}, with absent ones ${share(right, right + near + wrong + extra)}); absent cells filled ${share(extra, extra + rest)}`,
    );
  }
}

/** 0 right, 1 near, 2 wrong. */
function judge({ value, quotes }: FilledCell, gold: GoldCell): 0 | 1 | 2 {
  const evidence = pieces(typeof gold.evidence === 'string' ? [gold.evidence] : gold.evidence);
  if (quotes.some(({ text }) => evidence.some((piece) => overlaps(text, piece)))) return 0;
  const [own, all] = [wordsOf(value), wordsOf(gold.value)];
  const core = wordsOf(gold.value.replaceAll(/\([^()]*\)/g, ' '));
  const wanted = core.length > 0 ? core : all;
  const found = wanted.filter((word) => own.includes(word)).length / Math.max(1, wanted.length);
  const numbers = wanted.filter((word) => /^\d/.test(word));
  const [firstNumber] = numbers;
  const hasNumbers = numbers.every((number) => own.includes(number));
  if (hasNumbers && found >= 0.6) return 0;
  const saysNothingElse = own.length > 0 && own.every((word) => all.includes(word));
  if (saysNothingElse && (firstNumber === undefined ? found >= 0.5 : own.includes(firstNumber))) return 0;
  return found >= 0.3 || (numbers.length > 0 && hasNumbers) ? 1 : 2;
}

function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}]{3,}|\d+(?:[.,]\d+)*/gu) ?? []
  ).map((word) => word.replaceAll(',', ''));
}

async function scoreAcross(from: SearchSession): Promise<void> {
  let [cited, wanted, all] = [0, 0, 0];
  for (const { question, papers: named } of across) {
    const { sentences } = await askCorpus(from, question, { sentences: 6 });
    const found = new Set(sentences.flatMap(({ quotes }) => quotes.map(({ document }) => document)));
    cited += named.filter((paper) => found.has(paper)).length;
    wanted += named.length;
    if (named.every((paper) => found.has(paper))) all += 1;
  }
  console.log(
    `\nacross papers: ${cited} of ${wanted} papers cited; all papers in ${all} of ${across.length} questions`,
  );
}
