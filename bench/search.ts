// Search over an index on disk: the first answer of a new process, and the following answers (`--passages N`).
// `--folder F` builds the index there, or uses the one that is there, and keeps it.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openDenseEngine } from '../src/parse/index.ts';
import { openIndex } from '../src/search/index.ts';
import { buildIndex } from '../test/support/build-index.ts';
import { BenchReport, cpuSeconds, flags, option } from './kit.ts';
import { DIMENSIONS, madePassages, MODEL, QUERIES } from './made-passages.ts';

const PASSAGES = Number(option('passages') ?? (flags.quick ? 20_000 : 100_000));
/** Above a million passages, only memory and the following answers have a limit. */
const isHuge = PASSAGES > 1_000_000;
const ROUNDS = 5;
const WARM_ROUNDS = 3;

interface FirstAnswer {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly rssMb: number;
}

const child = process.argv.indexOf('--new-process');
if (child === -1) await measure();
else await answerOnce(process.argv[child + 1] ?? '');

/** What a new process does for its first answer; prints its age and its costs by then. */
async function answerOnce(folder: string): Promise<void> {
  await using engine = await openDenseEngine(MODEL);
  await using index = await openIndex(folder, engine);
  const hits = await index.search(QUERIES[0] ?? '', { mode: 'hybrid', top: 5 });
  if (hits.length === 0) throw new Error('no hits');
  const { user, system } = process.cpuUsage();
  const { maxRSS } = process.resourceUsage();
  const answer: FirstAnswer = { wallMs: performance.now(), cpuMs: (user + system) / 1e3, rssMb: maxRSS / 1e3 };
  console.log(JSON.stringify(answer));
}

async function measure(): Promise<void> {
  const report = new BenchReport('search');
  const kept = option('folder');
  const folder = kept ?? (await mkdtemp(join(tmpdir(), 'bench-search-')));
  try {
    await using engine = await openDenseEngine(MODEL);
    report.setting('index', `${PASSAGES} passages, ${DIMENSIONS} dimensions, float32, hybrid questions`);
    if (!existsSync(join(folder, 'Index'))) {
      report.progress(`building an index of ${PASSAGES} passages`);
      const building = await cpuSeconds(async () => {
        const dense = { model: engine.model, dimensions: engine.dimensions } as const;
        await buildIndex(folder, madePassages(PASSAGES), { dense });
      });
      report.add({ name: 'building the index', unit: 'passages per CPU second', samples: [PASSAGES / building] });
    }
    const sizes = await Promise.all(
      (await readdir(folder, { recursive: true })).map(async (name) => (await stat(join(folder, name))).size),
    );
    // One more than is counted: the first fills the compile cache.
    const first = Array.from({ length: ROUNDS + 1 }, () => newProcess(folder)).slice(1);
    report.add({ name: 'size on disk', unit: 'MB', samples: [sizes.reduce((a, b) => a + b, 0) / 1e6] });
    report.add({
      name: 'first answer',
      unit: 's',
      samples: first.map(({ wallMs }) => wallMs / 1000),
      ...(!isHuge && { atMost: 1.5 }),
    });
    report.add({ name: 'first answer, CPU', unit: 'CPU s', samples: first.map(({ cpuMs }) => cpuMs / 1000) });
    report.add({
      name: 'memory of that process',
      unit: 'MB',
      samples: first.map(({ rssMb }) => rssMb),
      atMost: isHuge ? 3_000 : 1_000,
    });
    report.add({
      name: 'following answers',
      unit: 'CPU ms',
      samples: await following(folder, engine),
      atMost: isHuge ? 300 : 100,
    });
    report.finish();
  } finally {
    if (kept === undefined) await rm(folder, { recursive: true });
  }
}

function newProcess(folder: string): FirstAnswer {
  const words = [...process.execArgv, import.meta.filename, '--new-process', folder];
  const { stdout, stderr, status } = spawnSync(process.execPath, words, {
    encoding: 'utf8',
    // The compile cache that bin/launch.cjs gives every command.
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'bench-search-compiled') },
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as FirstAnswer;
}

/** CPU milliseconds of each answer, the embedding of its question included. */
async function following(folder: string, engine: Awaited<ReturnType<typeof openDenseEngine>>): Promise<number[]> {
  await using index = await openIndex(folder, engine);
  const samples: number[] = [];
  for (let round = 0; round < WARM_ROUNDS + ROUNDS; round += 1)
    for (const query of QUERIES) {
      const seconds = await cpuSeconds(() => index.search(query, { mode: 'hybrid', top: 10 }));
      if (round >= WARM_ROUNDS) samples.push(seconds * 1000);
    }
  return samples;
}
