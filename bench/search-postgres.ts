// Search over an index in PostgreSQL (`--database postgres://…`), asked by 1, 2 and 4 processes (`--passages N`, `--keep`).
// The schema bench_search is replaced; with `--keep` only what it lacks is added. `--texts FILE --vectors FILE` takes
// passages of real papers, and vectors of the first of them, with `--scales FILE` as bytes: bench/made-passages.ts says how.
// `--questions FILE` has a question in each line, by default eight; `--asked N` of them are asked, evenly spread, from the
// first or from `--first N`.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

import { Client } from 'pg';

import type { DenseEngine } from '../src/parse/index.ts';
import { openDenseEngine } from '../src/parse/index.ts';
import { openPostgres } from '../src/queue/kept/index.ts';
import type { IndexedPassage, SearchFilter, SearchIndex } from '../src/search/index.ts';
import { openPostgresIndex, PostgresIndex, readPostgresManifest } from '../src/search/index.ts';
import { dot } from '../src/search/segment/vectors.ts';
import { documentsOf } from '../test/support/build-index.ts';
import { BenchReport, cpuSeconds, flags, option } from './kit.ts';
import { DIMENSIONS, givenPassages, madePassages, MODEL, QUERIES, readRows } from './made-passages.ts';

const PASSAGES = Number(option('passages') ?? (flags.quick ? 20_000 : 100_000));
const SCHEMA = 'bench_search';
const WRITERS = 2;
const NODES = [1, 2, 4];
/** How long the processes ask. */
const ASKING_MS = flags.quick ? 3_000 : 10_000;
const ROUNDS = 3;
const RARE = 1_000;
const TICKS_PER_SECOND = 100;
/** Hits among which ten with a vector of the file are looked for. */
const LOOKED_AT = 30;
/** Questions that are asked one after the other, several times. */
const REPEATED = 8;

const [texts, vectors, scales] = [option('texts'), option('vectors'), option('scales')];
const passages = (): AsyncGenerator<IndexedPassage> =>
  texts === undefined || vectors === undefined
    ? madePassages(PASSAGES)
    : givenPassages({ texts, vectors, scales }, PASSAGES);
const ASKED = askedQuestions(option('questions'), Number(option('asked') ?? 8), Number(option('first') ?? 0));
const url = option('database') ?? '';
if (url === '') {
  console.error('give --database postgres://user@host/database: its schema bench_search is replaced');
  process.exit(2);
}
if (process.argv.includes('--node')) await ask();
else await measure();

/** A node: answers one question after the other until the time is over, and prints how long each took. */
async function ask(): Promise<void> {
  await using engine = await openDenseEngine(MODEL);
  await using connection = await openPostgres(url, { schema: SCHEMA, maxConnections: 3 });
  await using index = await openPostgresIndex(connection, engine);
  await index.search(ASKED[0] ?? '', { mode: 'hybrid', top: 10 });
  console.log('ready');
  for await (const _ of process.stdin) break;
  const samples: number[] = [];
  for (let at = 0, end = performance.now() + ASKING_MS; performance.now() < end; at += 1) {
    const before = performance.now();
    await index.search(ASKED[at % ASKED.length] ?? '', { mode: 'hybrid', top: 10 });
    samples.push(performance.now() - before);
  }
  console.log(JSON.stringify(samples));
}

async function measure(): Promise<void> {
  const report = new BenchReport('search-postgres');
  report.setting('index', `${PASSAGES} passages, ${DIMENSIONS} dimensions, hybrid questions`);
  await using engine = await openDenseEngine(MODEL);
  const dense = { model: engine.model, dimensions: engine.dimensions };
  const isKept = process.argv.includes('--keep');
  if (!(isKept && (await isBuilt()))) {
    if (!isKept) await drop();
    await using connection = await openPostgres(url, { schema: SCHEMA, maxConnections: WRITERS });
    const writer = await PostgresIndex.open(connection);
    const made = documentsOf(passages());
    const kept = await writer.stamps(dense);
    let [documents, added] = [0, 0];
    const [cpu, started] = [serverCpu(), performance.now()];
    const own = await cpuSeconds(async () => {
      const write = async (): Promise<void> => {
        for (let next = await made.next(); !next.done; next = await made.next()) {
          documents += 1;
          if (kept.has(next.value.id)) continue;
          const own = await Array.fromAsync(next.value.passages);
          await writer.put({ ...next.value, passages: own, stamp: 'made' }, dense);
          added += own.length;
          if (documents % 1_000 === 0) report.progress(`${documents} documents`);
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, write));
    });
    const wall = (performance.now() - started) / 1000;
    report.setting('added', `${added} passages, ${kept.size} documents were there`);
    report.add({ name: 'adding documents', unit: 'passages a second', samples: [added / wall] });
    report.add({ name: 'adding documents, CPU of the node', unit: 's', samples: [own] });
    report.add({ name: 'adding documents, CPU of the server', unit: 's', samples: [serverCpu() - cpu] });
    const before = performance.now();
    await writer.complete(dense);
    report.add({ name: 'making the index of vectors', unit: 's', samples: [(performance.now() - before) / 1000] });
  }
  await using connection = await openPostgres(url, { schema: SCHEMA, maxConnections: 3 });
  const [size] = await connection.run<{ bytes: number }>(
    'size',
    `SELECT sum(pg_total_relation_size(oid))::bigint AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = :schema::regnamespace`,
    { schema: SCHEMA },
  );
  report.add({ name: 'size on the server', unit: 'MB', samples: [(size?.bytes ?? 0) / 1e6] });
  const opening = performance.now();
  await using index = await openPostgresIndex(connection, engine);
  await index.search(ASKED[0] ?? '', { mode: 'hybrid', top: 10 });
  report.add({ name: 'first answer', unit: 's', samples: [(performance.now() - opening) / 1000] });
  report.progress('asking');
  await following(index, report);
  report.progress('comparing with all vectors');
  await recall(index, engine, report);
  for (const nodes of NODES) await load(nodes, report);
  report.finish();
}

/** Some of the questions of a file, evenly spread. */
function askedQuestions(file: string | undefined, count: number, first: number): readonly string[] {
  const all = file === undefined ? QUERIES : readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const step = Math.max(1, Math.floor(all.length / count));
  return all.filter((_, at) => at >= first && (at - first) % step === 0).slice(0, count);
}

async function drop(): Promise<void> {
  const admin = new Client({ connectionString: url });
  await admin.connect();
  await admin.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);
  await admin.end();
}

async function isBuilt(): Promise<boolean> {
  await using connection = await openPostgres(url, { schema: SCHEMA, maxConnections: 1 });
  return (await readPostgresManifest(connection))?.passages === PASSAGES;
}

/** Following answers: of words, of both, and with a filter that lets one document in a thousand through. */
async function following(index: SearchIndex, report: BenchReport): Promise<void> {
  const documents = { key: 'rare', accepts: (name: string) => Number(name.split('-')[1]) % RARE === 7 };
  const kinds: readonly (readonly [string, 'hybrid' | 'lexical', SearchFilter])[] = [
    ['following answers', 'hybrid', {}],
    ['answers by words', 'lexical', {}],
    [`answers from one document in ${RARE}`, 'hybrid', { documents }],
  ];
  for (const [name, mode, filter] of kinds) {
    const [walls, nodes, servers]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round <= ROUNDS; round += 1)
      for (const query of ASKED.slice(0, REPEATED)) {
        const [before, cpu] = [performance.now(), serverCpu()];
        const own = await cpuSeconds(() => index.search(query, { mode, top: 10, filter }));
        if (round === 0) continue;
        walls.push(performance.now() - before);
        nodes.push(own * 1000);
        servers.push((serverCpu() - cpu) * 1000);
      }
    report.add({ name, unit: 'ms', samples: walls });
    report.add({ name: `${name}, CPU of the node`, unit: 'ms', samples: nodes });
    const mean = servers.reduce((sum, each) => sum + each, 0) / servers.length;
    report.add({ name: `${name}, mean CPU of the server`, unit: 'ms', samples: [mean] });
  }
}

/** The share of the ten nearest passages that are found, compared with all vectors of the file. */
async function recall(index: SearchIndex, engine: DenseEngine, report: BenchReport): Promise<void> {
  if (vectors === undefined) return;
  const { count, row } = readRows(vectors, scales);
  const real = Math.min(count, PASSAGES);
  const nearest = (await engine.embed(ASKED, 'query')).map((vector) => ({ vector, best: topTen() }));
  for (let at = 0; at < real; at += 1) {
    const own = row(at);
    for (const { vector, best } of nearest) best.offer(at, dot(own, vector));
  }
  const samples: number[] = [];
  for (const [at, { best }] of nearest.entries()) {
    const hits = await index.search(ASKED[at] ?? '', { mode: 'dense', top: LOOKED_AT });
    // Vectors that were drawn are not in the file.
    const found = new Set(
      hits.flatMap(({ passage }) => (Number(passage.id) < real ? [Number(passage.id)] : [])).slice(0, 10),
    );
    samples.push(best.places().filter((place) => found.has(place)).length / 10);
  }
  const mean = samples.reduce((sum, each) => sum + each, 0) / samples.length;
  report.add({ name: 'recall of the ten nearest', unit: '', samples: [mean] });
  report.add({
    name: 'questions that found fewer than nine',
    unit: '',
    samples: [samples.filter((each) => each < 0.9).length],
  });
}

/** The ten places with the highest scores. */
function topTen() {
  const best: { readonly place: number; readonly score: number }[] = [];
  return {
    places: (): readonly number[] => best.map(({ place }) => place),
    offer(place: number, score: number): void {
      if (best.length === 10 && score <= (best[9]?.score ?? 0)) return;
      const at = best.findIndex((each) => each.score < score);
      best.splice(at === -1 ? best.length : at, 0, { place, score });
      best.length = Math.min(10, best.length);
    },
  };
}

/** Nodes that ask at the same time. */
async function load(count: number, report: BenchReport): Promise<void> {
  const words = [...process.execArgv, import.meta.filename, '--node', ...process.argv.slice(2)];
  const nodes = Array.from({ length: count }, () =>
    spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  const outputs = nodes.map(
    ({ stdout }) => stdout.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>,
  );
  for (const output of outputs) await output.next();
  const cpu = serverCpu();
  for (const { stdin } of nodes) stdin.end('go\n');
  const samples: number[] = [];
  for (const output of outputs) {
    let text = '';
    for (let next = await output.next(); !next.done; next = await output.next()) text += next.value;
    samples.push(...(JSON.parse(text) as number[]));
  }
  const sorted = samples.toSorted((a, b) => a - b);
  const name = count === 1 ? '1 node' : `${count} nodes`;
  report.add({ name, unit: 'answers a second', samples: [samples.length / (ASKING_MS / 1000)] });
  report.add({ name: `${name}, p95`, unit: 'ms', samples: [sorted[Math.floor(sorted.length * 0.95)] ?? 0] });
  report.add({
    name: `${name}, CPU of the server an answer`,
    unit: 'ms',
    samples: [((serverCpu() - cpu) * 1000) / samples.length],
  });
}

/** CPU seconds of the PostgreSQL processes of this machine, on Linux; 0 if the server is elsewhere. */
function serverCpu(): number {
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      if (!stat.includes('(postgres)')) continue;
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      // Its own time, and that of children that have ended: those of the first process are all others.
      ticks += (fields[11] ?? 0) + (fields[12] ?? 0) + (fields[13] ?? 0) + (fields[14] ?? 0);
    } catch {
      // It has just ended: its parent counts it.
    }
  return ticks / TICKS_PER_SECOND;
}
