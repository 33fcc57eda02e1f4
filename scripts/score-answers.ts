import { existsSync, mkdtempDisposableSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { checkQuote } from '../src/ask/check-answer.ts';
import type { AnswerSentence } from '../src/ask/check-answer.ts';
import { answerSentences, readCandidates } from '../src/ask/extract-answer.ts';
import { columnsFrom } from '../src/table/columns.ts';
import { extractedCell } from '../src/table/fill-cells.ts';
import { PASSAGES_READ } from '../src/ask/ask.ts';
import { LEAST_CHOICE, PASSAGES, SENTENCES } from '../src/table/fill-table.ts';
import { hasNumbersOf } from '../src/base/index.ts';
import type { CitedHit } from '../src/corpus/index.ts';
import { sentencesOf } from '../src/graph/index.ts';
import type { Chunk, DenseEngine } from '../src/parse/index.ts';
import {
  analyse,
  chunkDocument,
  embeddedText,
  embedTexts,
  openDenseEngine,
  openTokenizer,
  VectorCache,
} from '../src/parse/index.ts';
import { parseMarkup } from '../src/parse/doctags/parse-markup.ts';
import { openReader } from '../src/reader/index.ts';
import type { Hit, IndexedPassage, SearchMode } from '../src/search/index.ts';
import { openIndex, sectionOf } from '../src/search/index.ts';
import { buildIndex } from '../test/support/build-index.ts';
import { isAside } from '../src/search/section.ts';
import { checkOptions } from '../test/support/options.ts';
import { nothingMeasured, readJsonLines, SHARED, VECTORS } from './score/data.ts';
import { bm25 } from './score/words.ts';

// Scores answers on papers with questions whose evidence two readers have marked (papers/*.xml, questions.jsonl):
// where the evidence is among the passages found, what the extractive answer quotes, what the gate lets through, and how
// often a question is refused whose paper is not there. Papers are divided into halves by the hash of their name: rules and
// thresholds were chosen on the first; the second is printed apart.
const values = checkOptions({
  data: join(SHARED, 'data', 'answers', 'open'),
  precision: ['int8', 'fp32'],
  reader: ['best', 'rules', 'trained'],
  /** One in so many questions: the trained reader takes two seconds for each. */
  sample: 1,
  cache: VECTORS,
});

interface Question {
  readonly id: string;
  readonly paper: string;
  readonly question: string;
  readonly evidence: readonly string[];
  /** What two readers concluded; absent in data without conclusions. */
  readonly label?: string;
}

type Half = 'worked on' | 'kept aside';
const HALVES: readonly Half[] = ['worked on', 'kept aside'];
const DEPTHS = [5, 10] as const;
const CHUNKS = { maxTokens: 256, minTokens: 64, overlapTokens: 0 } as const;
const FLOORS = Array.from({ length: 15 }, (_, at) => Number((0.2 + at * 0.05).toFixed(2)));
/** What a trial can conclude, in words that papers use. */
const CHOICES = ['no significant difference', 'increased', 'decreased'];
/** The floor that is chosen refuses no more than this share of the questions that can be answered. */
const MOST_LOST = 0.05;

if (!existsSync(join(values.data, 'questions.jsonl')))
  nothingMeasured(`there is no questions.jsonl in ${values.data}: name a folder with --data`);

const questions = readJsonLines<Question>(values.data, 'questions.jsonl').filter((_, at) => at % values.sample === 0);
const tokenizer = await openTokenizer('model');
const chunks: Chunk[] = readdirSync(join(values.data, 'papers'))
  .filter((name) => name.endsWith('.xml'))
  .sort()
  .flatMap((name) =>
    chunkDocument(
      name.slice(0, -'.xml'.length),
      parseMarkup(readFileSync(join(values.data, 'papers', name))),
      tokenizer,
      CHUNKS,
    ),
  )
  .filter((chunk) => !isAside(sectionOf(chunk)));
const squashed = chunks.map(({ text }) => squash(text));
const placeOf = new Map(chunks.map(({ id }, at) => [id, at]));
const placesOf = Map.groupBy(chunks.keys(), (at) => (chunks[at] as Chunk).document);
const gold = new Map(questions.map((question) => [question.id, goldPlaces(question)]));

using cache = new VectorCache(values.cache);
await using model = await openDenseEngine({ engine: 'embedded', precision: values.precision, threads: 0 });
/** The same model with a memory: questions and sentences are embedded again and again. */
const engine: DenseEngine = {
  ...model,
  embed: async (texts, role, signal) =>
    (await embedTexts(texts, { engine: model, cache, role, ...(signal && { signal }) })).vectors,
};
const { vectors } = await embedTexts(chunks.map(embeddedText), { engine: model, cache, role: 'passage' });

const { reader } = await openReader(values.reader, { nearness, threads: 0 });
console.log(`reader ${reader.name}`);

using temporary = mkdtempDisposableSync(join(tmpdir(), 'score-answers-'));
const scratch = temporary.path;
const dense = { model: engine.model, dimensions: engine.dimensions } as const;
await buildIndex(scratch, passages(), { dense });
await using index = await openIndex(scratch, engine);
const without = questions.filter(({ id }) => gold.get(id)?.size === 0).length;
console.log(
  `${questions.length} questions to ${placesOf.size} papers of ${chunks.length} passages; evidence of ${without} in no passage`,
);
await scoreRetrieval();
await scoreExtractive();
await scoreCells();
const faults = scoreGate();
for (const fault of faults) console.error(`MISSED: ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;

function squash(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

function halfOf({ paper }: Question): Half {
  let hash = 0;
  for (const letter of paper) hash = (hash * 31 + letter.charCodeAt(0)) >>> 0;
  return hash % 2 === 0 ? 'worked on' : 'kept aside';
}

/** The passages of its paper that hold at least half of a piece of evidence, which a passage may end in the middle of. */
function goldPlaces({ paper, evidence }: Question): ReadonlySet<number> {
  const places = (placesOf.get(paper) ?? []).filter((place) =>
    evidence.some((each) => {
      const whole = squash(each);
      const half = Math.ceil(whole.length / 2);
      const text = squashed[place] ?? '';
      return whole.length >= 12 && (text.includes(whole.slice(0, half)) || text.includes(whole.slice(-half)));
    }),
  );
  return new Set(places);
}

function passageOf({ id, document, title, headings, text }: Chunk) {
  return { id, document, title, headings, text, page: undefined, file: undefined };
}

async function* passages(): AsyncGenerator<IndexedPassage> {
  for (const [at, chunk] of chunks.entries())
    yield {
      ...passageOf(chunk),
      section: sectionOf(chunk),
      searchText: embeddedText(chunk),
      vector: vectors[at],
    };
}

type Ranker = (question: Question, top: number, inside: string | undefined) => Promise<readonly number[]>;

/** Passages by their place among all chunks, as `rank` of the index gives them. */
function ranker(mode: SearchMode): Ranker {
  return async ({ question }, top, inside) => {
    const filter = inside === undefined ? {} : only(inside);
    return (await index.rank(question, { mode, top, filter })).map(({ place }) => place);
  };
}

function only(paper: string): { readonly documents: { key: string; accepts: (document: string) => boolean } } {
  return { documents: { key: `only ${paper}`, accepts: (document) => document === paper } };
}

/** What `ask` reads for a question. */
async function passagesFor(question: string, top: number, filter: object = {}): Promise<Hit[]> {
  return await index.search(question, { top, mode: 'hybrid', filter });
}

async function scoreRetrieval(): Promise<void> {
  const systems: readonly (readonly [string, Ranker])[] = [
    ['plain BM25', plainWords()],
    ['words', ranker('lexical')],
    ['hybrid', ranker('hybrid')],
    [
      'as ask reads it',
      async ({ question }, top, inside) => {
        const hits = await passagesFor(question, top, inside === undefined ? {} : only(inside));
        return hits.map(({ passage }) => placeOf.get(passage.id) ?? -1);
      },
    ],
  ];
  console.log('\nshare of questions with evidence among the first 5 and 10 passages');
  console.log(
    `${' '.repeat(22)}${HALVES.map((half) => `${half}: across @5  @10   inside @5  @10`.padEnd(54)).join('')}`,
  );
  for (const [name, rank] of systems) {
    const line = [];
    for (const half of HALVES)
      for (const isInside of [false, true]) {
        const found: boolean[][] = [];
        for (const question of questions.filter((each) => halfOf(each) === half)) {
          const places = await rank(question, Math.max(...DEPTHS), isInside ? question.paper : undefined);
          found.push(DEPTHS.map((depth) => places.slice(0, depth).some((place) => gold.get(question.id)?.has(place))));
        }
        const shares = DEPTHS.map((_, at) => share(found.filter((each) => each[at]).length, found.length));
        line.push(shares.join('  ').padEnd(27));
      }
    console.log(`${name.padEnd(33)}${line.join('')}`);
  }
}

/** BM25 over the bare text of passages. */
function plainWords(): Ranker {
  const scoresOf = bm25(chunks.map(({ text }) => analyse(text)));
  return async ({ question }, top, inside) => {
    const scores = scoresOf(analyse(question));
    const places = inside === undefined ? [...chunks.keys()] : (placesOf.get(inside) ?? []);
    return places.sort((one, other) => (scores[other] as number) - (scores[one] as number)).slice(0, top);
  };
}

interface Extracted {
  readonly fit: number;
  readonly right: boolean;
}

/** What a question gets without a model: with its paper, and with the paper taken away. */
async function scoreExtractive(): Promise<void> {
  const answer = async (question: Question, isThere: boolean): Promise<Extracted> => {
    const accepts = (document: string): boolean => isThere || document !== question.paper;
    const filter = { documents: { key: `${question.paper} ${isThere}`, accepts } };
    const sentences = await sentencesFor(question.question, PASSAGES_READ, filter);
    const right = sentences.some(
      ({ text, quotes }) => quotes[0]?.document === question.paper && isEvidence(text, question),
    );
    return { fit: fitOfAnswer(sentences), right };
  };
  const results: { half: Half; there: Extracted; gone: Extracted }[] = [];
  for (const question of questions)
    results.push({
      half: halfOf(question),
      there: await answer(question, true),
      gone: await answer(question, false),
    });
  const shareOf = (half: Half, test: (result: (typeof results)[number]) => boolean): string => {
    const own = results.filter((result) => result.half === half);
    return share(own.filter(test).length, own.length);
  };
  console.log('\nextractive answers: share whose quoted sentences overlap the evidence');
  for (const half of HALVES) console.log(`  ${half.padEnd(12)} ${shareOf(half, ({ there }) => there.right)}`);
  const answered = (half: Half, floor: number): string => shareOf(half, ({ there }) => there.fit >= floor);
  const chosen = FLOORS.findLast((floor) => Number(answered('worked on', floor)) >= 1 - MOST_LOST) ?? 0;
  console.log(`\nfloor of ask: ${reader.least.toFixed(2)}; chosen on this data: ${chosen.toFixed(2)}`);
  console.log(
    'refusal: answered = questions whose paper is there; refused = the same questions with their paper removed',
  );
  console.log(`floor  ${HALVES.map((half) => `${half}: answered  right  refused`.padEnd(44)).join('')}`);
  for (const floor of FLOORS) {
    const line = HALVES.map((half) => {
      const right = shareOf(half, ({ there }) => there.fit >= floor && there.right);
      const refused = shareOf(half, ({ gone }) => gone.fit < floor);
      return `           ${answered(half, floor)}    ${right}  ${refused}`.padEnd(44);
    });
    const mark = floor === chosen ? '  <- chosen on the half that was worked on' : '';
    console.log(` ${floor.toFixed(2)}  ${line.join('')}${mark}`);
  }
}

/** The best sentences of the passages found, whatever their fit. */
async function sentencesFor(question: string, top: number, filter: object): Promise<AnswerSentence[]> {
  const scored = await readCandidates(reader, question, cited(await passagesFor(question, top, filter)));
  return answerSentences(scored, { most: 3, least: 0 });
}

function fitOfAnswer(sentences: readonly AnswerSentence[]): number {
  return Math.max(0, ...sentences.map(({ fit }) => fit ?? 1));
}

function cited(hits: readonly Hit[]): CitedHit[] {
  return hits.map((hit) => ({ ...hit, work: null, link: null }));
}

async function nearness(question: string, texts: readonly string[]): Promise<readonly number[]> {
  const [about] = await engine.embed([question], 'query');
  return (await engine.embed(texts, 'passage')).map((vector) =>
    Math.max(
      0,
      vector.reduce((sum, value, at) => sum + value * (about?.[at] ?? 0), 0),
    ),
  );
}

/** Whether a text overlaps what the readers marked. */
function isEvidence(text: string, { evidence }: Question): boolean {
  const own = squash(text);
  return evidence.map(squash).some((each) => each.includes(own) || own.includes(each) || overlaps(own, each));
}

/**
 * Cells of a table without a model, each question a column that is put to its own paper: a text is right where its quote
 * overlaps the evidence, a number where the evidence has it, a choice where it is the conclusion of the readers. Cells from
 * records are copies; nothing to score.
 */
async function scoreCells(): Promise<void> {
  console.log('\ncells of a table without a model, each question put to its own paper: filled in; right among those');
  for (const half of HALVES) {
    const own = questions.filter((question) => halfOf(question) === half);
    const [texts, numbers, choices]: boolean[][] = [[], [], []];
    for (const question of own) {
      const hits = cited(await passagesFor(question.question, PASSAGES, only(question.paper)));
      const scored = await readCandidates(reader, question.question, hits);
      const sentences = answerSentences(scored, { most: SENTENCES, least: 0 });
      const filled = (type: object, least: number): { value: string; quote: string } | undefined => {
        const [column] = columnsFrom([{ name: 'cell', question: question.question, ...type }]);
        const cell = column && extractedCell(column, fitOfAnswer(sentences) >= least ? sentences : [], hits);
        return cell?.kind === 'value' ? { value: cell.value, quote: cell.quotes[0]?.text ?? '' } : undefined;
      };
      const text = filled({}, reader.least);
      const number = filled({ type: 'number' }, reader.least);
      const choice = filled({ type: 'choice', choices: CHOICES }, LEAST_CHOICE);
      if (text) texts?.push(isEvidence(text.quote, question));
      if (number) numbers?.push(question.evidence.some((each) => hasNumbersOf(number.value, [each])));
      if (choice) choices?.push(choice.value === concluded(question));
    }
    const shown = Object.entries({ text: texts, number: numbers, 'choice of three': choices }).map(
      ([name, some = []]) =>
        `${name} ${share(some.length, own.length)}; ${share(some.filter(Boolean).length, some.length)}`,
    );
    const most = own.filter((question) => concluded(question) === CHOICES[0]).length;
    console.log(`  ${half.padEnd(12)} ${shown.join('   ')}   (always "${CHOICES[0]}": ${share(most, own.length)})`);
  }
}

/** What the readers concluded, among the choices. */
function concluded({ label = '' }: Question): string | undefined {
  return CHOICES.find((each) => label.includes(each.replace(/d$/, '')));
}

function share(some = 0, all = 0): string {
  return (all === 0 ? 0 : some / all).toFixed(3);
}

/** Whether two texts share a stretch of half of the shorter one. */
function overlaps(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  const half = Math.ceil(short.length / 2);
  return half >= 12 && (long.includes(short.slice(0, half)) || long.includes(short.slice(-half)));
}

/** Every piece of evidence as a quote, true and in four false forms; returns what the gate did wrong. */
function scoreGate(): string[] {
  const hits = chunks.map((chunk): CitedHit => ({
    rank: 1,
    score: 1,
    fit: 1,
    by: 'words',
    work: null,
    link: null,
    passage: { ...passageOf(chunk), section: 'body', boxes: [], hasTable: false, hasFigure: false },
  }));
  const letThrough: Record<string, number> = { forged: 0, misattributed: 0, stitched: 0, 'number-changed': 0 };
  const tried: Record<string, number> = { forged: 0, misattributed: 0, stitched: 0, 'number-changed': 0 };
  let [trueQuotes, accepted, cutWords, notInPassage] = [0, 0, 0, 0];
  const papers = [...placesOf.keys()];
  for (const { paper, evidence } of questions)
    for (const quote of new Set(evidence)) {
      const places = placesOf.get(paper) ?? [];
      const whole = squash(quote);
      const place = places.find((each) => squashed[each]?.includes(whole));
      if (place === undefined || quote.trim().split(/\s+/).length < 4) {
        notInPassage += 1;
        continue;
      }
      const own = places.map((each) => hits[each] as CitedHit);
      const named = places.indexOf(place) + 1;
      trueQuotes += 1;
      const isTrue = (words: string): boolean => typeof checkQuote(words, own, named) !== 'string';
      if (isTrue(quote)) accepted += 1;
      else if (withoutCutWords(quote).some(isTrue)) cutWords += 1;
      else console.error(`refused: ${quote.slice(0, 200)}\n   from: ${(chunks[place] as Chunk).text.slice(0, 300)}`);
      const other = papers[(papers.indexOf(paper) + 1) % papers.length] ?? '';
      const foreign = (placesOf.get(other) ?? []).map((each) => hits[each] as CitedHit);
      const text = (chunks[place] as Chunk).text;
      for (const [kind, false_, passages, at] of [
        ['forged', forged(quote), own, named],
        ['misattributed', quote, [...foreign, ...own], 1],
        ['stitched', stitched(quote, text), own, named],
        ['number-changed', numberChanged(quote), own, named],
      ] as const) {
        if (false_ === undefined) continue;
        // A changed quote may happen to be in the paper as well.
        if (kind !== 'misattributed' && places.some((each) => squashed[each]?.includes(squash(false_)))) continue;
        if (kind === 'misattributed' && foreign.some(({ passage }) => squash(passage.text).includes(whole))) continue;
        tried[kind] = (tried[kind] ?? 0) + 1;
        if (typeof checkQuote(false_, passages, at) !== 'string') letThrough[kind] = (letThrough[kind] ?? 0) + 1;
      }
    }
  console.log(
    `\nthe gate: ${accepted} of ${trueQuotes} true quotes accepted, ${cutWords} more without a word that the readers cut in two (${notInPassage} pieces of evidence are in no single passage: table rows, or cut)`,
  );
  const faults =
    trueQuotes > accepted + cutWords ? [`the gate refuses ${trueQuotes - accepted - cutWords} true quotes`] : [];
  for (const [kind, number] of Object.entries(tried)) {
    const wrong = letThrough[kind] ?? 0;
    console.log(`  ${kind.padEnd(15)} ${number - wrong} of ${number} refused`);
    if (wrong > 0) faults.push(`the gate lets ${wrong} ${kind} quotes through`);
  }
  return faults;
}

/** The quote without its first word, its last, and both: some marks of readers begin or end inside a word. */
function withoutCutWords(quote: string): string[] {
  const words = quote.trim().split(/\s+/);
  return [words.slice(1), words.slice(0, -1), words.slice(1, -1)].map((some) => some.join(' '));
}

/** The quote with the opposite of what it says. */
function forged(quote: string): string {
  const words = quote.split(' ');
  const negated = words.findIndex((word) => /^(?:no|not)$/i.test(word));
  if (negated !== -1) return words.toSpliced(negated, 1).join(' ');
  return words.toSpliced(Math.floor(words.length / 2), 0, 'not').join(' ');
}

/** The beginning of the quote with the end of another sentence of the passage. */
function stitched(quote: string, text: string): string | undefined {
  const other = sentencesOf(text)
    .map(({ start, end }) => text.slice(start, end).trim())
    .find((sentence) => !sentence.includes(quote) && !quote.includes(sentence) && sentence.split(' ').length > 5);
  if (other === undefined) return undefined;
  const [own, foreign] = [quote.split(' '), other.split(' ')];
  return [...own.slice(0, Math.ceil(own.length / 2)), ...foreign.slice(Math.floor(foreign.length / 2))].join(' ');
}

function numberChanged(quote: string): string | undefined {
  const at = quote.search(/\d/);
  if (at === -1) return undefined;
  return `${quote.slice(0, at)}${(Number(quote[at]) + 1) % 10}${quote.slice(at + 1)}`;
}
