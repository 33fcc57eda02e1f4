// A folder of papers to searchable, with one core and with two, beside the bare model's speed; --papers N takes N papers.
// The clock on the wall says something on a quiet machine only; CPU is told beside it.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';

import { World } from '../sim/index.ts';
import { renderPdf, writePaper } from '../sim/content/index.ts';
import { paperSpec } from '../sim/server/paper-spec.ts';
import { packageRoot } from '../src/base/index.ts';
import { embeddedText, openDenseEngine, readChunks } from '../src/parse/index.ts';
import type { Figure } from './measure.ts';
import { cpuSeconds, quick, report } from './measure.ts';

const given = process.argv.indexOf('--papers');
const PAPERS = given === -1 ? (quick ? 8 : 49) : Number(process.argv[given + 1]);
const LAYOUTS = ['L1', 'L2', 'L3', 'L4', 'L5', 'L6'] as const;
const BARE = quick ? 60 : 300;

/** A run of the command, and what it took. */
interface Made {
  readonly folder: string;
  readonly seconds: number;
  readonly cpu: number;
  readonly passages: number;
}

const scratch = await mkdtemp(join(tmpdir(), 'bench-corpus-'));
try {
  const papers = join(scratch, 'papers');
  mkdirSync(papers);
  const world = new World({ seed: 1, works: 2_000, hosts: 40, profile: 'realistic' });
  for (let at = 0; at < PAPERS; at += 1)
    writeFileSync(
      join(papers, `paper-${at}.pdf`),
      await renderPdf(writePaper(paperSpec(world, (at * 37) % world.size)), LAYOUTS[at % LAYOUTS.length] ?? 'L1'),
    );
  const one = made(papers, 'one', 1);
  const cores = Math.min(2, availableParallelism());
  const two = made(papers, 'two', cores);
  const bare = await bareModel(two.folder);
  const figures: Figure[] = [
    { name: 'passages', value: two.passages, unit: 'passages' },
    { name: 'the bare model, one core', value: 1 / bare, unit: 'passages per CPU s' },
    { name: 'folder to searchable, one core', value: one.passages / one.seconds, unit: 'passages per s' },
    { name: `folder to searchable, ${cores} cores`, value: two.passages / two.seconds, unit: 'passages per s' },
    { name: `CPU with one core`, value: one.cpu, unit: 'CPU s' },
    { name: `CPU with ${cores} cores`, value: two.cpu, unit: 'CPU s' },
    { name: 'share of the CPU that the model itself needs', value: (bare * two.passages) / two.cpu, unit: 'of 1' },
    // The same work on as many cores, all of them busy, takes the same CPU: what is more than that is lost to waiting.
    { name: `CPU with ${cores} cores / with one`, value: two.cpu / one.cpu, unit: 'times', atMost: 1 / 0.85 },
    {
      name: `${cores} cores / one, by the clock`,
      value: one.seconds / two.seconds,
      unit: 'times',
      atLeast: 0.85 * cores,
    },
    { name: `cores busy with ${cores}`, value: two.cpu / two.seconds, unit: 'cores' },
  ];
  report('corpus', { papers: PAPERS, cores }, figures);
} finally {
  await rm(scratch, { recursive: true });
}

/** `docstokg run --input papers` on so many cores. The shell tells the CPU of what it has waited for. */
function made(papers: string, name: string, cores: number): Made {
  const folder = join(scratch, name);
  const bin = join(packageRoot(), 'bin', 'docstokg');
  const pinned = cores < availableParallelism() ? ['taskset', '-c', '0'] : [];
  const words = [...pinned, process.execPath, bin, 'run', '--input', papers, '--out', folder, '--json'];
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['-c', '"$@" >&2; code=$?; times; exit $code', 'bash', ...words],
    {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    },
  );
  const seconds = (performance.now() - startedAt) / 1000;
  if (status !== 0) throw new Error(stderr);
  const [user = 0, system = 0] = Array.from(
    (stdout.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g),
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  const { account } = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as {
    readonly account: { readonly index: { readonly passages: number } | null };
  };
  return { folder, seconds, cpu: user + system, passages: account.index?.passages ?? 0 };
}

/** CPU seconds of the model for one passage of that corpus, one thread and nothing around it. */
async function bareModel(folder: string): Promise<number> {
  const texts: string[] = [];
  for (let at = 0; at < PAPERS && texts.length < BARE; at += 1)
    for await (const chunk of readChunks(join(folder, 'Data', 'ChunkedDocTagFiles', `paper-${at}.parquet`)))
      texts.push(embeddedText(chunk));
  await using engine = await openDenseEngine({ engine: 'embedded', precision: 'int8', threads: 1 });
  await engine.embed(['warm'], 'query');
  const cpu = await cpuSeconds(async () => {
    for (const text of texts) await engine.embed([text], 'passage');
  });
  return cpu / texts.length;
}
