import { existsSync, mkdtempDisposableSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ModelOptions, Rankable } from '../src/screen/index.ts';
import { DEFAULT_MODEL, featuresOf, isTimeToSample, promiseOf, RankingModel, Screening } from '../src/screen/index.ts';
import { madeReview } from '../test/fixtures/made-review.ts';
import { seededRandom } from '../test/fixtures/random-document.ts';
import { writeReviewRun } from '../test/fixtures/review-run.ts';
import { checkOptions } from '../test/support/options.ts';
import { readJsonLines, SHARED } from './score/data.ts';
import { bm25 } from './score/words.ts';

// Scores the ranking of records and the rule for stopping on reviews whose decisions are known: NAME.jsonl with a line
// for each record. Each start knows one included and ten excluded records. Both models are trained again after every
// decision up to 40, then after every 2.5 % more. The rule for stopping is tried from 100 starts.
// Nothing was chosen on the reviews that are not in CHOSEN_ON.
const CHOSEN_ON = new Set(['ADHD', 'AtypicalAntipsychotics', 'CalciumChannelBlockers', 'Meijboom_2021', 'Sep_2021', 'van_der_Valk_2021']); // prettier-ignore
/** ASReview 2's default, ELAS u4: `asreview/models/models.py`, sklearn's TfidfVectorizer and LinearSVC. */
const ELAS_U4: ModelOptions = {
  maxShare: 0.95,
  joinsPlurals: false,
  referenceWeight: 0,
  cost: 0.11,
  includedWeight: 9.8,
};
const [KNOWN_EXCLUDED, TARGET] = [10, 0.95];

const values = checkOptions({
  data: join(SHARED, 'data', 'screening', 'open'),
  starts: 15,
  /** Starts of the rule for stopping. */
  stops: 100,
  reviews: '',
  /** Measures the CPU of a decision among this many made-up records instead. */
  speed: 0,
});
const { starts, stops } = values;

interface Review {
  readonly name: string;
  readonly question: string;
  readonly records: readonly Rankable[];
  readonly included: readonly boolean[];
}

interface Measures {
  readonly wss: number;
  readonly recall: number;
  readonly atd: number;
}

interface Line extends Record<'random' | 'question' | 'peer' | 'ours', Measures | undefined> {
  readonly name: string;
  readonly stops: readonly { readonly recall: number; readonly saved: number }[];
}

function readReview(path: string, name: string, question: string): Review {
  const rows = readJsonLines<{
    readonly id: string; readonly title: string | null; readonly abstract: string | null; readonly references: readonly string[] | null;
    readonly included: number;
  }>(path); // prettier-ignore
  return {
    name,
    question,
    records: rows.map(({ id, title, abstract, references }) => ({
      id,
      title: title ?? '',
      abstract: abstract ?? '',
      references: references ?? [],
    })),
    included: rows.map(({ included }) => included === 1),
  };
}

function shuffled(rows: readonly number[], random: () => number): number[] {
  const all = [...rows];
  for (let at = all.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [all[at], all[other]] = [all[other]!, all[at]!];
  }
  return all;
}

/** The records that are known at a start: one included, ten excluded. */
function knownAt({ included }: Review, start: number): Map<number, boolean> {
  const rows = shuffled([...included.keys()], seededRandom(1_000 + start));
  const first = rows.filter((row) => included[row]).slice(0, 1);
  return new Map([...first, ...rows.filter((row) => !included[row]).slice(0, KNOWN_EXCLUDED)].map((row) => [row, included[row]!])); // prettier-ignore
}

/** The order of a reviewer who always reads the best ranked record, at least until the sample begins. */
function readRanked(
  { included }: Review,
  known: ReadonlyMap<number, boolean>,
  model: RankingModel,
  untilSample = false,
): number[] {
  const decided = new Map(known);
  const order: number[] = [];
  while (decided.size < included.length) {
    if (
      untilSample &&
      isTimeToSample(
        order.map((row) => included[row]!),
        included.length,
      )
    ) {
      // The rest is only drawn from.
      order.push(...[...included.keys()].filter((row) => !decided.has(row)));
      break;
    }
    model.train(decided);
    const scores = model.scores();
    const rest = [...included.keys()].filter((row) => !decided.has(row)).sort((a, b) => scores[b]! - scores[a]!);
    for (const row of rest.slice(0, Math.max(1, Math.floor(decided.size / 40)))) {
      decided.set(row, included[row]!);
      order.push(row);
    }
  }
  return order;
}

function measure({ included }: Review, order: readonly number[]): Measures {
  const found = order.flatMap((row, at) => (included[row] ? [(at + 1) / order.length] : []));
  const last = found[Math.ceil(TARGET * found.length - 1e-9) - 1] ?? 1;
  return {
    wss: 1 - last - (1 - TARGET),
    recall: found.filter((share) => share <= 0.1).length / found.length,
    atd: mean(found),
  };
}

/** Reads in the order of the ranking, then a random sample, until the rule says stop. */
function stopIn({ included }: Review, known: number, order: readonly number[], random: () => number) {
  const isIncluded = order.map((row) => included[row]!);
  let begins = 1;
  while (begins < order.length && !isTimeToSample(isIncluded.slice(0, begins), included.length)) begins += 1;
  const foundBefore = 1 + isIncluded.slice(0, begins).filter(Boolean).length;
  const sample = shuffled(order.slice(begins), random);
  let found = 0;
  let read = 0;
  while (!promiseOf({ foundBefore, population: sample.length, read, found }).isReached) {
    if (included[sample[read]!]) found += 1;
    read += 1;
  }
  const all = included.filter(Boolean).length;
  return { recall: (foundBefore + found) / all, saved: (sample.length - read) / (included.length - known) };
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / Math.max(1, numbers.length);
}

function meanOf(all: readonly Measures[]): Measures {
  return { wss: mean(all.map(({ wss }) => wss)), recall: mean(all.map(({ recall }) => recall)), atd: mean(all.map(({ atd }) => atd)) }; // prettier-ignore
}

function score(review: Review): Line {
  const known = Array.from({ length: starts }, (_, start) => knownAt(review, start));
  const orders = (options: ModelOptions): number[][] => {
    const features = featuresOf(review.records, options);
    return known.map((each) => readRanked(review, each, new RankingModel(features)));
  };
  const ours = featuresOf(review.records);
  const over = (all: readonly (readonly number[])[]): Measures => meanOf(all.map((order) => measure(review, order)));
  const rest = (each: ReadonlyMap<number, boolean>): number[] => [...review.included.keys()].filter((row) => !each.has(row)); // prettier-ignore
  const ranked = orders(DEFAULT_MODEL);
  const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  const asked = bm25(review.records.map(({ title, abstract }) => words(`${title} ${abstract}`)))(
    new Set(words(review.question)),
  );
  return {
    name: review.name,
    random: over(known.map((each, start) => shuffled(rest(each), seededRandom(5_000 + start)))),
    question: review.question === '' ? undefined : over(known.map((each) => rest(each).sort((a, b) => asked[b]! - asked[a]!))),
    peer: over(orders(ELAS_U4)),
    ours: over(ranked),
    stops: Array.from({ length: stops }, (_, start) => {
      const begun = knownAt(review, start);
      const order = ranked[start] ?? readRanked(review, begun, new RankingModel(ours), true);
      return stopIn(review, begun.size, order, seededRandom(9_000 + start));
    }),
  }; // prettier-ignore
}

function print(title: string, lines: readonly Line[]): void {
  if (lines.length === 0) return;
  const percent = (value: number | undefined): string =>
    (value === undefined ? '' : (100 * value).toFixed(1)).padStart(7);
  console.log(`\n${title.padEnd(26)}   WSS@95: peer   ours  recall@10%: peer   ours  ATD: random question   peer   ours  ours/peer`); // prettier-ignore
  for (const { name, random, question, peer, ours } of lines)
    console.log(
      `${name.padEnd(26)}${percent(peer?.wss).padStart(15)}${percent(ours?.wss)}${percent(peer?.recall).padStart(19)}${percent(ours?.recall)}${percent(random?.atd).padStart(13)}${percent(question?.atd).padStart(9)}${percent(peer?.atd)}${percent(ours?.atd)}${((ours?.atd ?? 0) / (peer?.atd ?? 1)).toFixed(2).padStart(11)}`,
    );
  const [peer, ours] = (['peer', 'ours'] as const).map((who) => mean(lines.map((line) => line[who]?.atd ?? 0)));
  const worst = Math.max(...lines.map((line) => (line.ours?.atd ?? 0) / (line.peer?.atd ?? 1)));
  const ends = lines.flatMap((line) => line.stops);
  const good = ends.filter(({ recall }) => recall >= TARGET - 1e-9).length;
  console.log(`mean ATD ${percent(ours).trim()} against ${percent(peer).trim()}: ${((ours ?? 0) / (peer ?? 1)).toFixed(3)} of the peer, at worst ${worst.toFixed(2)}`); // prettier-ignore
  console.log(`stopping: recall ≥ ${TARGET} in ${good} of ${ends.length} runs (${percent(good / ends.length).trim()} %), mean recall ${percent(mean(ends.map(({ recall }) => recall))).trim()} %, reading saved ${percent(mean(ends.map(({ saved }) => saved))).trim()} %`); // prettier-ignore
}

/** CPU milliseconds of what a reviewer waits for, and of learning, with 1,000 decisions made: the median of 20 decisions. */
function measureSpeed(records: number): void {
  using temporary = mkdtempDisposableSync(join(tmpdir(), 'score-screening-'));
  const folder = temporary.path;
  const review = madeReview(records, Math.ceil(records / 50), 2);
  writeReviewRun(folder, review);
  using screening = Screening.open(folder);
  const cpu = (what: () => unknown): number => {
    const before = process.cpuUsage();
    what();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const first = cpu(() => screening.train());
  const decide = (at: number): void =>
    screening.decide({ work: review[at]!.id, decision: review[at]!.included ? 'include' : 'exclude', by: 'ada' });
  for (let at = 0; at < 1_000; at += 1) decide(at);
  screening.train();
  const times = Array.from({ length: 20 }, (_, at) => ({
    decide: cpu(() => decide(1_000 + at)),
    // The order that is known is enough for the next record; the server learns in a thread.
    learn: cpu(() => screening.train()),
    next: cpu(() => [screening.next('ada'), screening.status(), screening.conflicts()]),
  }));
  const median = (name: 'decide' | 'learn' | 'next'): string =>
    times
      .map((each) => each[name])
      .toSorted((a, b) => a - b)[10]!
      .toFixed(0);
  console.log(`${records} records, CPU ms: first ranking ${first.toFixed(0)}, decision on the disk ${median('decide')}, next record and progress ${median('next')}, learning ${median('learn')}`); // prettier-ignore
}

if (values.speed > 0) {
  measureSpeed(values.speed);
  process.exit();
}

const manifest = join(values.data, 'MANIFEST.json');
const questions = new Map(
  existsSync(manifest)
    ? (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly name: string; readonly question?: string }[]).map(({ name, question = '' }) => [name, question]) // prettier-ignore
    : [],
);
const lines: Line[] = [];
for (const file of readdirSync(values.data)
  .filter((each) => each.endsWith('.jsonl'))
  .sort()) {
  const name = file.replace(/\.jsonl$/, '');
  if (values.reviews !== '' && !values.reviews.split(',').includes(name)) continue;
  lines.push(score(readReview(join(values.data, file), name, questions.get(name) ?? '')));
  const ends = lines.at(-1)?.stops ?? [];
  const good = ends.filter(({ recall }) => recall >= TARGET - 1e-9).length;
  console.error(`${name}: ${good} of ${ends.length} stops keep recall, reading saved ${(100 * mean(ends.map(({ saved }) => saved))).toFixed(1)} %`); // prettier-ignore
}
print('chosen on these', lines.filter(({ name }) => CHOSEN_ON.has(name))); // prettier-ignore
print('nothing chosen on these', lines.filter(({ name }) => !CHOSEN_ON.has(name))); // prettier-ignore
print('all', lines);
