import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openDenseEngine } from '../src/parse/index.ts';
import type { IndexedPassage } from '../src/search/index.ts';
import { buildIndex, openIndex } from '../src/search/index.ts';
import { paragraphs } from '../test/fixtures/papers.ts';
import { seededRandom } from '../test/fixtures/random-document.ts';
import type { Figure } from './measure.ts';
import { median } from './kit/report.ts';
import { cpuSeconds, quick, report } from './measure.ts';
import { PlainSearch } from './search/plain-search.ts';

// Search over an index on disk: the first answer of a fresh process, the following ones against the bare scan and BM25.
const MODEL = { engine: 'embedded', precision: 'int8', threads: 1 } as const;
const QUERIES = [
  'effects of temperature on protein folding',
  'randomized trial of blood pressure treatment in older adults',
  'stem cell differentiation signalling pathway',
  'does vitamin D deficiency increase cancer risk',
  'gene expression in the human brain',
  'antibiotic resistance of bacteria in hospitals',
  'mitochondrial DNA damage and ageing',
  'immune response to vaccination in children',
];
const ROUNDS = 5;
const WARM_ROUNDS = 3;
const MEASURED_ROUNDS = 8;

const child = process.argv.indexOf('--fresh-process');
if (child === -1) await measure();
else await answerOnce(process.argv[child + 1] ?? '');

/** What a fresh process does for its first answer; it prints how long it has lived by then. */
async function answerOnce(folder: string): Promise<void> {
  await using engine = await openDenseEngine(MODEL);
  using index = await openIndex(folder, engine);
  const hits = await index.search(QUERIES[0] ?? '', { mode: 'hybrid', top: 5 });
  const { user, system } = process.cpuUsage();
  console.log(
    JSON.stringify({
      wallMs: performance.now(),
      waitedMs: waitedForCore(),
      cpuMs: (user + system) / 1e3,
      rssMb: process.resourceUsage().maxRSS / 1e3,
      hits: hits.length,
    }),
  );
}

/** How long this process stood ready while others had the cores; 0 where the system does not tell. */
function waitedForCore(): number {
  const path = '/proc/self/schedstat';
  return existsSync(path) ? Number(readFileSync(path, 'utf8').split(' ')[1] ?? 0) / 1e6 : 0;
}

async function* passages(count: number): AsyncGenerator<IndexedPassage> {
  const random = seededRandom(3);
  const texts = paragraphs(5_000);
  for (let at = 0; at < count; at += 1) {
    const vector = Float32Array.from({ length: 384 }, () => random() - 0.5);
    const length = Math.hypot(...vector);
    const words = (texts[at % texts.length] ?? '').split(' ');
    const from = Math.floor(random() * Math.max(1, words.length - 150));
    const id = String(at);
    yield {
      id,
      document: id,
      title: `Paper ${at >> 5}`,
      headings: ['Results'],
      page: 1,
      file: `${id}.pdf`,
      text: words.slice(from, from + 150).join(' '),
      vectors: [vector.map((value) => value / length)],
    };
  }
}

async function measure(): Promise<void> {
  const count = quick ? 20_000 : 100_000;
  const folder = await mkdtemp(join(tmpdir(), 'bench-search-'));
  try {
    await using engine = await openDenseEngine(MODEL);
    const building = await cpuSeconds(async () => {
      const dense = { model: engine.model, dimensions: engine.dimensions, dtype: 'float32' } as const;
      await buildIndex(folder, passages(count), { dense });
    });
    const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
    const fresh = Array.from({ length: ROUNDS }, () => freshProcess(folder));
    const first = (key: 'wallMs' | 'cpuMs'): number => median(fresh.map((each) => each[key]));
    const unhindered = median(fresh.map(({ wallMs, waitedMs }) => wallMs - waitedMs));
    const mostMb = Math.max(...fresh.map(({ rssMb }) => rssMb));
    const { bare, ours, embedding } = await following(folder, engine, count);
    const figures: Figure[] = [
      { name: 'building the index', value: count / building, unit: 'passages per CPU s' },
      { name: 'size on disk', value: sizes.reduce((a, b) => a + b, 0) / 1e6, unit: 'MB' },
      { name: 'first answer of a fresh process (median of 5)', value: first('wallMs') / 1000, unit: 's', atMost: 1.5 },
      // On an idle machine the same; on a busy one the clock on the wall measures the others.
      { name: 'the same, less waiting for a core others had', value: unhindered / 1000, unit: 's' },
      { name: 'first answer of a fresh process, CPU', value: first('cpuMs') / 1000, unit: 'CPU s' },
      { name: 'memory of that process, most at any time', value: mostMb, unit: 'MB', atMost: 1_000 },
      { name: 'plain scan + BM25, nothing of ours', value: bare * 1000, unit: 'CPU ms per query' },
      { name: 'following answers, query embedding included', value: ours * 1000, unit: 'CPU ms per query' },
      { name: 'of which embedding the query', value: embedding * 1000, unit: 'CPU ms per query' },
      // A small index is scanned faster than a query is embedded: the target is about the full size.
      {
        name: 'following answers / plain scan + BM25',
        value: ours / bare,
        unit: 'times',
        ...(!quick && { atMost: 1.5 }),
      },
      { name: 'the same without embedding the query', value: (ours - embedding) / bare, unit: 'times', atMost: 1.5 },
    ];
    report(
      'search',
      { passages: count, dimensions: 384, dtype: 'float32', mode: 'hybrid', queries: QUERIES.length },
      figures,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

function freshProcess(folder: string): { wallMs: number; waitedMs: number; cpuMs: number; rssMb: number } {
  const { stdout, stderr, status } = spawnSync(process.execPath, [import.meta.filename, '--fresh-process', folder], {
    encoding: 'utf8',
    // As bin/launch.cjs has it; the first of the processes fills it.
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') },
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as { wallMs: number; waitedMs: number; cpuMs: number; rssMb: number };
}

/** CPU seconds per query: a plain scan and BM25 with nothing of ours in them, and the whole search, in turns. */
async function following(
  folder: string,
  engine: Awaited<ReturnType<typeof openDenseEngine>>,
  count: number,
): Promise<{ bare: number; ours: number; embedding: number }> {
  using index = await openIndex(folder, engine);
  const plain = new PlainSearch(count, engine.dimensions);
  for await (const { text, vectors } of passages(count)) plain.add(text, vectors[0] ?? new Float32Array(384));
  const vectors = await engine.embed(QUERIES, 'query');
  let bare = 0;
  let ours = 0;
  let embedding = 0;
  for (let round = 0; round < WARM_ROUNDS + MEASURED_ROUNDS; round += 1) {
    for (const [at, query] of QUERIES.entries()) {
      const bareSeconds = await cpuSeconds(() => {
        plain.byMeaning(vectors[at] ?? new Float32Array(384));
        plain.byWords(query);
      });
      const seconds = await cpuSeconds(() => index.search(query, { mode: 'hybrid', top: 10 }));
      const embedSeconds = await cpuSeconds(() => engine.embed([query], 'query'));
      // The first rounds only warm the code.
      if (round < WARM_ROUNDS) continue;
      [bare, ours, embedding] = [bare + bareSeconds, ours + seconds, embedding + embedSeconds];
    }
  }
  const queries = MEASURED_ROUNDS * QUERIES.length;
  return { bare: bare / queries, ours: ours / queries, embedding: embedding / queries };
}
