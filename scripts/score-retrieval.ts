import { existsSync, mkdtempDisposableSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { LEAST_FIT } from '../src/library/search/search-session.ts';
import { checkOptions } from '../test/support/options.ts';
import type { ParsedDocument } from '../src/parse/index.ts';
import {
  chunkDocument,
  embeddedText,
  embedTexts,
  openDenseEngine,
  openTokenizer,
  VectorCache,
} from '../src/parse/index.ts';
import type { IndexedPassage, SearchIndex, SearchMode } from '../src/search/index.ts';
import { openIndex } from '../src/search/index.ts';
import { buildIndex, buildPostgresIndex } from '../test/support/build-index.ts';
import { nothingMeasured, readJsonLines, SHARED, VECTORS } from './score/data.ts';

// Scores our own search on collections with known answers: nDCG@10 of words, meaning and both. The targets are those of
// the open collections; any other folder with corpus.jsonl, queries.jsonl and qrels.tsv is scored without a target.
// With `--database postgres://…` the index is in PostgreSQL, in schemas named score_…, which are replaced.
// It also prints how many questions keep their first answer at the least fit of `search`, and how many questions of the
// other collections, which are almost certainly not answered here, get none.
const TARGETS: Readonly<Record<string, Partial<Record<SearchMode, number>>>> = {
  cacm: { lexical: 0.51, hybrid: 0.58 },
  cranfield: { lexical: 0.382, hybrid: 0.425 },
  'scifact-train': { lexical: 0.695, hybrid: 0.73 },
};
const MODES = ['lexical', 'dense', 'hybrid'] as const;
const DEPTH = 10;

const values = checkOptions({
  data: join(SHARED, 'data', 'retrieval', 'open'),
  collections: Object.keys(TARGETS).join(','),
  precision: ['int8', 'fp32'],
  cache: VECTORS,
  database: '',
});

interface Document {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

function paper({ title, text }: Document): Pick<ParsedDocument, 'blocks' | 'metadata'> {
  const quality = { unmappedGlyphs: 0, columns: 1, confidence: 1 };
  return {
    blocks: [
      { order: 0, kind: 'title', text: title, regions: [] },
      { order: 1, kind: 'text', text, regions: [] },
    ],
    metadata: { title, authors: [], needsOcr: [], quality },
  };
}

/** Linear gain, as in trec_eval. */
function ndcg(found: readonly string[], relevant: ReadonlyMap<string, number>): number {
  const discounted = (gains: readonly number[]): number =>
    gains.slice(0, DEPTH).reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0);
  const ideal = discounted([...relevant.values()].sort((a, b) => b - a));
  return ideal === 0 ? 0 : discounted(found.map((id) => relevant.get(id) ?? 0)) / ideal;
}

const names = values.collections.split(',');
const absent = names.find((name) => !existsSync(join(values.data, name, 'corpus.jsonl')));
if (absent !== undefined) nothingMeasured(`there is no collection ${join(values.data, absent)}`);
await using engine = await openDenseEngine({ engine: 'embedded', precision: values.precision, threads: 0 });
using cache = new VectorCache(values.cache);
const tokenizer = await openTokenizer('model');
const missed: string[] = [];
for (const name of names) missed.push(...(await scoreCollection(name)));
for (const fault of missed) console.error(fault);
if (missed.length === 0) console.error('every target is reached');
process.exitCode = missed.length === 0 ? 0 : 1;

async function hasAnswer(index: SearchIndex, question: string): Promise<boolean> {
  const [first] = await index.search(question, { mode: 'hybrid', top: 1, minFit: LEAST_FIT });
  return first !== undefined;
}

/** Prints the scores of a collection; returns the targets it misses. */
async function scoreCollection(name: string): Promise<string[]> {
  const folder = join(values.data, name);
  const documents = readJsonLines<Document>(folder, 'corpus.jsonl');
  const queries = readJsonLines<{ readonly id: string; readonly text: string }>(folder, 'queries.jsonl');
  const relevant = new Map<string, Map<string, number>>();
  for (const line of readFileSync(join(folder, 'qrels.tsv'), 'utf8').trim().split('\n').slice(1)) {
    const [query = '', document = '', gain = '0'] = line.split('\t');
    relevant.set(query, (relevant.get(query) ?? new Map<string, number>()).set(document, Number(gain)));
  }
  await using opened = new AsyncDisposableStack();
  const { index, documentAt } = opened.use(await openScored(name, passages(name, documents)));
  const sums = { lexical: 0, dense: 0, hybrid: 0 };
  let judged = 0;
  let answered = 0;
  for (const { id, text } of queries) {
    const wanted = relevant.get(id);
    if (!wanted) continue;
    judged += 1;
    if (await hasAnswer(index, text)) answered += 1;
    for (const mode of MODES) {
      const ranked = await index.rank(text, { mode, top: DEPTH });
      sums[mode] += ndcg(
        ranked.map(({ place }) => documents[documentAt(place)]?.id ?? ''),
        wanted,
      );
    }
  }
  const scores = { lexical: sums.lexical / judged, dense: sums.dense / judged, hybrid: sums.hybrid / judged };
  const foreign = foreignQuestions(name);
  let refused = 0;
  for (const question of foreign) if (!(await hasAnswer(index, question))) refused += 1;
  console.log(
    `${name.padEnd(14)} ${MODES.map((mode) => `${mode} ${scores[mode].toFixed(4)}`).join('  ')}  (${judged} queries)  ` +
      `fit of ${LEAST_FIT}: ${answered} kept, ${refused} of ${foreign.length} others refused`,
  );
  return faultsOf(name, scores);
}

interface ScoredIndex extends AsyncDisposable {
  readonly index: SearchIndex;
  /** The number of a document, by the place of its only passage. */
  readonly documentAt: (place: number) => number;
}

/** An index of passages, each of a document of its own: in files, or in PostgreSQL. */
async function openScored(name: string, own: AsyncIterable<IndexedPassage>): Promise<ScoredIndex> {
  await using stack = new AsyncDisposableStack();
  const dense = { model: engine.model, dimensions: engine.dimensions };
  if (values.database === '') {
    const scratch = stack.use(mkdtempDisposableSync(join(tmpdir(), 'score-'))).path;
    await buildIndex(scratch, own, { dense });
    const index = stack.use(await openIndex(scratch, engine));
    const opened = stack.move();
    return { index, documentAt: (place) => place, [Symbol.asyncDispose]: () => opened.disposeAsync() };
  }
  const { index, first } = await buildPostgresIndex(values.database, `score_${name.replaceAll('-', '_')}`, own, {
    dense,
    engine,
    stack,
  });
  const opened = stack.move();
  return {
    index,
    documentAt: (place) => Math.floor(place / 2 ** 20) - first,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function foreignQuestions(name: string): string[] {
  return names
    .filter((other) => other !== name)
    .flatMap((other) => readJsonLines<{ readonly text: string }>(values.data, other, 'queries.jsonl').slice(0, 100))
    .map(({ text }) => text);
}

/** A document is one passage; its vector is made of as much of it as the model takes. */
async function* passages(name: string, documents: readonly Document[]): AsyncGenerator<IndexedPassage> {
  const together = 64;
  for (let at = 0; at < documents.length; at += together) {
    const some = documents.slice(at, at + together);
    const firsts = some.map((document) => {
      const limits = { maxTokens: 512, minTokens: 64, overlapTokens: 0 };
      return chunkDocument(document.id, paper(document), tokenizer, limits)[0];
    });
    const texts = firsts.filter((chunk) => chunk !== undefined).map(embeddedText);
    const vectors = (await embedTexts(texts, { engine, cache, role: 'passage' })).vectors.values();
    for (const [place, { id, title, text }] of some.entries()) {
      const vector = firsts[place] && vectors.next().value;
      yield {
        id,
        document: id,
        title,
        headings: [],
        page: undefined,
        text: `${title} ${text}`,
        file: undefined,
        vector,
      };
    }
    process.stderr.write(`\r${name}: ${Math.min(at + together, documents.length)} of ${documents.length} embedded `);
  }
  process.stderr.write('\n');
}

function faultsOf(name: string, scores: Readonly<Record<SearchMode, number>>): string[] {
  const faults = MODES.flatMap((mode) => {
    const target = TARGETS[name]?.[mode];
    return target !== undefined && scores[mode] < target
      ? [`MISSED: ${name} ${mode} is ${scores[mode].toFixed(4)}, the target ${target}`]
      : [];
  });
  if (scores.hybrid <= scores.lexical) faults.push(`MISSED: on ${name} hybrid is not above lexical`);
  return faults;
}
