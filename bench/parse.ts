// Pages per second and memory of the whole DocTags stage, beside the bare engine that only reads all glyphs, and pdftotext.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

import { quick, report, type Figure } from './measure.ts';
import { measureCommand, type Measured } from './parse/measure.ts';

// CPU time decides, because the machine may be shared. Every contender is a command of its own on the same files, its
// start included; every document comes several times, as a corpus is more than fourteen papers.
const root = dirname(import.meta.dirname);
const folder = join(root, '..', 'shared', 'data', 'parse', 'open', 'pdf');
if (!existsSync(folder) || !existsSync('/proc/self/stat')) {
  console.error(`NOTHING WAS MEASURED: ${folder} or /proc is absent`);
  process.exit(2);
}
const copies = quick ? 2 : 4;
const rounds = quick ? 1 : 2;
const work = mkdtempSync(join(tmpdir(), 'bench-parse-'));
try {
  const input = join(work, 'in');
  mkdirSync(input);
  for (const file of globSync('*.pdf', { cwd: folder }))
    for (let copy = 1; copy <= copies; copy += 1)
      copyFileSync(join(folder, file), join(input, `${basename(file, '.pdf')}-${copy}.pdf`));
  await compare(input);
} finally {
  rmSync(work, { recursive: true });
}

async function compare(input: string): Promise<void> {
  const files = globSync(join(input, '*.pdf')).sort();
  const bare: Measured[] = [];
  const stage: Measured[] = [];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await measureCommand(process.execPath, [join(import.meta.dirname, 'parse', 'bare.ts'), ...files]));
    stage.push(await runStage(input, 1, round));
  }
  const two = await runStage(input, 2, rounds);
  const pages = Number(bare[0]?.output);
  const least = (runs: readonly Measured[]): Measured =>
    runs.reduce((best, each) => (each.cpuSeconds < best.cpuSeconds ? each : best));
  const [engine, ours] = [least(bare), least(stage)];
  const text = spawnSync('pdftotext', ['-v']).error
    ? undefined
    : await measureCommand('sh', ['-c', 'for file do pdftotext "$file" - >/dev/null; done', 'sh', ...files]);
  const figures: Figure[] = [
    { name: 'bare engine, all glyphs', value: pages / engine.cpuSeconds, unit: 'pages per CPU second' },
    ...(text ? [{ name: 'pdftotext, words only', value: pages / text.cpuSeconds, unit: 'pages per CPU second' }] : []),
    { name: 'the stage, one worker', value: pages / ours.cpuSeconds, unit: 'pages per CPU second', atLeast: 20 },
    { name: 'the stage, one worker', value: pages / ours.wallSeconds, unit: 'pages per second' },
    { name: 'the stage, two workers', value: pages / two.wallSeconds, unit: 'pages per second' },
    { name: 'the stage, two workers', value: pages / two.cpuSeconds, unit: 'pages per CPU second' },
    {
      name: 'CPU of the stage against the bare engine',
      value: ours.cpuSeconds / engine.cpuSeconds,
      unit: 'times',
      atMost: 3,
    },
    {
      name: 'largest process of the stage',
      value: Math.max(ours.peakMegabytes, two.peakMegabytes),
      unit: 'MB',
      atMost: 400,
    },
  ];
  report(
    'the DocTags stage: runner, layout, tables, five outputs and manifest',
    { documents: files.length, pages, rounds, pdftotext: text ? 'installed' : 'NOT INSTALLED' },
    figures,
  );
}

function runStage(input: string, workers: number, round: number): Promise<Measured> {
  return measureCommand(process.execPath, [
    join(root, 'bin', 'docparse'),
    'doctags',
    '--input',
    input,
    '--data-root',
    join(work, `data-${round}-${workers}`),
    '--workers',
    String(workers),
    '--markdown',
    '--docling-json',
    '--html',
    '--json',
  ]);
}
