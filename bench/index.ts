// What a change of one document costs in a small and in a large index, beside building it whole; what the largest answers,
// how well and in how much memory. Words are real, vectors made up: points around a few thousand centres, as texts on a few
// thousand subjects are. --quick takes a tenth of the passages; --passages N builds the largest with N, `largest` builds nothing else.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { DenseEngine } from '../src/parse/index.ts';
import { analyse } from '../src/parse/index.ts';
import { Catalogue } from '../src/search/catalogue.ts';
import type { IndexedPassage } from '../src/search/index.ts';
import { openIndex } from '../src/search/index.ts';
import type { IndexedDocument } from '../src/search/update-index.ts';
import { rebuildIndex, updateIndex } from '../src/search/update-index.ts';
import { paragraphs } from '../test/fixtures/papers.ts';
import { seededRandom } from '../test/fixtures/random-document.ts';
import type { Figure } from './measure.ts';
import { cpuSeconds, quick, report } from './measure.ts';

const DIMENSIONS = 384;
const CENTRES = 4000;
const PER_DOCUMENT = 20;
const MODEL = { name: 'made-up', revision: '1', precision: 'exact' };
const QUESTIONS = [
  'protein folding at high temperature',
  'treatment of older adults',
  'gene expression in the brain',
  'resistance of bacteria',
  'damage and ageing',
];
const SIZES = quick ? [10_000, 100_000] : [100_000, 1_000_000];
const given = process.argv.indexOf('--passages');
const LARGEST = given === -1 ? (quick ? 200_000 : 5_000_000) : Number(process.argv[given + 1]);
const WARM_ROUNDS = 4;
const ROUNDS = 11;

const fresh = process.argv.indexOf('--fresh-process');
const random = seededRandom(11);
const gauss = (): number => random() + random() + random() + random() - 2;
// A fresh process only asks: what it asks was written down by the one that built.
const centres = Array.from({ length: fresh === -1 ? CENTRES : 0 }, () =>
  unit(Float32Array.from({ length: DIMENSIONS }, gauss)),
);
const texts = (fresh === -1 ? paragraphs(2_000) : []).map((text) => text.split(' '));

function unit(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const length = Math.sqrt(sum) || 1;
  for (let at = 0; at < vector.length; at += 1) vector[at] = (vector[at] as number) / length;
  return vector;
}

function near(draw: () => number): Float32Array {
  const centre = centres[Math.floor(draw() * CENTRES)] as Float32Array;
  const vector = new Float32Array(DIMENSIONS);
  for (let at = 0; at < DIMENSIONS; at += 1) vector[at] = (centre[at] as number) + (draw() - 0.5) * 0.12;
  return unit(vector);
}

const questions =
  fresh === -1
    ? QUESTIONS.map((text) => ({ text, vector: near(random) }))
    : (JSON.parse(readFileSync(join(process.argv[fresh + 1] ?? '', 'questions.json'), 'utf8')) as number[][]).map(
        (vector, at) => ({
          text: QUESTIONS[at] ?? '',
          vector: Float32Array.from(vector),
        }),
      );

/** Answers from what was made up for each question. */
const engine: DenseEngine = {
  model: MODEL,
  dimensions: DIMENSIONS,
  batchSize: 1,
  concurrency: 1,
  embed: (wanted) =>
    Promise.resolve(
      wanted.map((text) => questions.find((each) => each.text === text)?.vector ?? new Float32Array(DIMENSIONS)),
    ),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

function document(
  number: number,
  draw: () => number,
  seen?: (id: string, vector: Float32Array) => void,
): IndexedDocument {
  const passages = Array.from({ length: PER_DOCUMENT }, (_, at): IndexedPassage => {
    const words = texts[Math.floor(draw() * texts.length)] ?? [];
    const from = Math.floor(draw() * Math.max(1, words.length - 40));
    const id = `${number}-${at}`;
    const vector = near(draw);
    seen?.(id, vector);
    const place = { title: `Paper ${number}`, headings: [], page: 1, file: undefined };
    return { id, document: String(number), ...place, text: words.slice(from, from + 40).join(' '), vectors: [vector] };
  });
  return { id: String(number), stamp: '', passages };
}

function* documents(count: number, seen?: (id: string, vector: Float32Array) => void): Generator<IndexedDocument> {
  const draw = seededRandom(count);
  for (let number = 0; number < count / PER_DOCUMENT; number += 1) yield document(number, draw, seen);
}

if (fresh === -1) await measure();
else await answerOnce(process.argv[fresh + 1] ?? '');

/** What a fresh process does for its first answers; it prints what they took. */
async function answerOnce(folder: string): Promise<void> {
  using index = await openIndex(folder, engine);
  const ask = (text: string): ReturnType<typeof index.rank> => index.rank(text, { mode: 'hybrid', top: 10 });
  await ask(questions[0]?.text ?? '');
  const firstMs = performance.now();
  const { user, system } = process.cpuUsage();
  for (const { text } of questions) await ask(text);
  const cpu = await cpuSeconds(async () => {
    for (const { text } of questions) await ask(text);
  });
  const found = [];
  for (const { text } of questions)
    found.push((await index.search(text, { mode: 'dense', top: 10 })).map(({ passage }) => passage.id));
  console.log(
    JSON.stringify({
      firstMs,
      firstCpuMs: (user + system) / 1000,
      cpuMs: (cpu * 1000) / questions.length,
      rssMb: process.resourceUsage().maxRSS / 1e3,
      found,
    }),
  );
}

async function measure(): Promise<void> {
  const figures: Figure[] = [];
  if (!process.argv.includes('largest')) {
    const costs: number[] = [];
    for (const size of SIZES) costs.push(await addOne(size, figures));
    figures.push({
      name: 'one document more, the larger index / the smaller',
      value: (costs[1] ?? 0) / (costs[0] ?? 1),
      unit: 'times',
      atMost: 1.3,
    });
  }
  await largest(figures);
  report('index', { passages: [...SIZES, LARGEST], dimensions: DIMENSIONS }, figures);
}

/** CPU seconds of taking one document into an index of a size, beside building that whole. */
async function addOne(size: number, figures: Figure[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-index-'));
  try {
    using catalogue = Catalogue.open(folder);
    const dense = { model: MODEL, dimensions: DIMENSIONS, dtype: 'float32' } as const;
    const building = await cpuSeconds(() => rebuildIndex(catalogue, documents(size), dense));
    const draw = seededRandom(1);
    const each: number[] = [];
    for (let round = 0; round < WARM_ROUNDS + ROUNDS; round += 1) {
      const one = document(size + round, draw);
      const cost = await cpuSeconds(() => updateIndex(catalogue, { documents: [one] }));
      if (round >= WARM_ROUNDS) each.push(cost);
    }
    const cost = each.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
    const name = size.toLocaleString('en');
    figures.push({ name: `building ${name} passages whole`, value: building, unit: 'CPU s' });
    figures.push({
      name: `one document of ${PER_DOCUMENT} passages more in ${name}`,
      value: cost * 1000,
      unit: 'CPU ms',
    });
    if (size === SIZES[0]) await besideFts5(folder, size, figures);
    return cost;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The same terms in SQLite's FTS5: what its ranking costs beside ours. */
async function besideFts5(folder: string, size: number, figures: Figure[]): Promise<void> {
  using database = new DatabaseSync(':memory:');
  database.exec("CREATE VIRTUAL TABLE passages USING fts5(terms, content='', tokenize='ascii')");
  const insert = database.prepare('INSERT INTO passages (terms) VALUES (?)');
  database.exec('BEGIN');
  for (const { passages } of documents(size))
    for (const { text } of passages as IndexedPassage[]) insert.run(analyse(text).join(' '));
  database.exec('COMMIT');
  const ask = database.prepare('SELECT rowid FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT 10');
  using index = await openIndex(folder);
  const cpu = { ours: 0, fts5: 0 };
  for (let round = 0; round < 2; round += 1) {
    for (const { text } of questions) {
      const terms = analyse(text)
        .map((term) => `"${term}"`)
        .join(' OR ');
      const fts5 = await cpuSeconds(() => void ask.all(terms));
      const ours = await cpuSeconds(() => index.rank(text, { mode: 'lexical', top: 10 }));
      // The first round only warms the code.
      if (round > 0) [cpu.ours, cpu.fts5] = [cpu.ours + ours, cpu.fts5 + fts5];
    }
  }
  const name = size.toLocaleString('en');
  figures.push({
    name: `words alone, ${name} passages`,
    value: (cpu.ours * 1000) / questions.length,
    unit: 'CPU ms per query',
  });
  figures.push({
    name: 'the same by SQLite FTS5',
    value: (cpu.fts5 * 1000) / questions.length,
    unit: 'CPU ms per query',
  });
}

async function largest(figures: Figure[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-index-'));
  try {
    const best = questions.map(() => [] as { id: string; score: number }[]);
    const seen = (id: string, vector: Float32Array): void => {
      for (const [at, { vector: wanted }] of questions.entries()) {
        let score = 0;
        for (let each = 0; each < DIMENSIONS; each += 1) score += (vector[each] as number) * (wanted[each] as number);
        const list = best[at] ?? [];
        if (list.length >= 10 && score <= (list[9]?.score ?? 0)) continue;
        list.push({ id, score });
        list.sort((a, b) => b.score - a.score);
        list.length = Math.min(10, list.length);
      }
    };
    {
      using catalogue = Catalogue.open(folder);
      const dense = { model: MODEL, dimensions: DIMENSIONS, dtype: 'int8' } as const;
      const building = await cpuSeconds(() => rebuildIndex(catalogue, documents(LARGEST, seen), dense));
      figures.push({ name: `building ${LARGEST.toLocaleString('en')} passages whole`, value: building, unit: 'CPU s' });
    }
    writeFileSync(join(folder, 'questions.json'), JSON.stringify(questions.map(({ vector }) => [...vector])));
    const { stdout, stderr, status } = spawnSync(process.execPath, [import.meta.filename, '--fresh-process', folder], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
    const { firstMs, firstCpuMs, cpuMs, rssMb, found } = JSON.parse(stdout) as {
      firstMs: number;
      firstCpuMs: number;
      cpuMs: number;
      rssMb: number;
      found: string[][];
    };
    const hits = found.reduce(
      (sum, ids, at) => sum + ids.filter((id) => best[at]?.some((each) => each.id === id)).length,
      0,
    );
    const name = LARGEST.toLocaleString('en');
    figures.push(
      { name: `first answer of a fresh process, ${name} passages`, value: firstMs / 1000, unit: 's', atMost: 3 },
      { name: 'CPU of that process until then', value: firstCpuMs / 1000, unit: 'CPU s' },
      { name: 'following answers', value: cpuMs, unit: 'CPU ms per query', atMost: 300 },
      { name: 'memory of that process, most at any time', value: rssMb, unit: 'MB', atMost: 3_000 },
      {
        name: 'of the exact top 10 found by meaning',
        value: hits / (10 * questions.length),
        unit: 'share',
        atLeast: 0.95,
      },
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}
