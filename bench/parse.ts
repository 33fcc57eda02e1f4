// Pages per CPU second and memory of the DocTags stage on real papers; --papers FOLDER takes PDFs of yours.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import type { Measured } from './kit.ts';
import { BenchReport, flags, measureCommand, option, ROOT } from './kit.ts';

const folder = option('papers') ?? join(ROOT, '..', 'shared', 'data', 'parse', 'open', 'pdf');
if (!existsSync(folder) || process.platform !== 'linux') {
  console.error(`nothing was measured: ${folder} or /proc is missing; --papers FOLDER names PDFs of yours`);
  process.exit(2);
}
/** Every paper several times: a corpus is larger than the few papers here, and starting would weigh too much. */
const COPIES = flags.quick ? 1 : 4;
const ROUNDS = flags.quick ? 2 : 3;

const report = new BenchReport('parse');
const work = mkdtempSync(join(tmpdir(), 'bench-parse-'));
try {
  const input = join(work, 'in');
  mkdirSync(input);
  for (const file of globSync('*.pdf', { cwd: folder }))
    for (let copy = 1; copy <= COPIES; copy += 1)
      copyFileSync(join(folder, file), join(input, `${basename(file, '.pdf')}-${copy}.pdf`));
  const files = globSync(join(input, '*.pdf')).sort();
  const one: Measured[] = [];
  const two: Measured[] = [];
  // In turns, so that other work on the machine affects both alike; the first round fills the compile cache.
  for (let round = 0; round <= ROUNDS; round += 1) {
    report.progress(`round ${round} of ${ROUNDS}`);
    const runs = [await runStage(1, round), await runStage(2, round)] as const;
    if (round > 0) [one, two].forEach((list, at) => list.push(runs[at as 0 | 1]));
  }
  const pages = pagesParsed();
  const hasPdftotext = !spawnSync('pdftotext', ['-v']).error;
  const text = hasPdftotext
    ? [await measureCommand('sh', ['-c', 'for file do pdftotext "$file" - >/dev/null; done', 'sh', ...files])]
    : [];
  report.setting('documents', files.length);
  report.setting('pages', pages);
  report.setting('outputs', 'DocTags, Markdown, Docling JSON, HTML, manifest; starting included');
  const perCpu = (runs: readonly Measured[]): number[] => runs.map((run) => pages / run.cpuSeconds);
  const unit = 'pages per CPU second';
  // With few papers the start of processes weighs too much.
  report.add({ name: 'one worker', unit, samples: perCpu(one), ...(!flags.quick && { atLeast: 20 }) });
  report.add({ name: 'two workers', unit, samples: perCpu(two) });
  report.add({ name: 'two workers', unit: 'pages per second', samples: two.map((run) => pages / run.wallSeconds) });
  if (hasPdftotext) report.add({ name: 'pdftotext, words only', unit, samples: perCpu(text) });
  report.add({
    name: 'memory of the largest process',
    unit: 'MB',
    samples: [...one, ...two].map((run) => run.peakMegabytes),
    atMost: 400,
  });
  report.finish();

  function runStage(workers: number, round: number): Promise<Measured> {
    const data = join(work, `data-${round}-${workers}`);
    const outputs = ['--markdown', '--docling-json', '--html', '--json', '--workers', String(workers)];
    const words = ['doctags', '--input', input, '--data-root', data, ...outputs];
    return measureCommand(process.execPath, [join(ROOT, 'bin', 'docparse'), ...words]);
  }

  /** Pages of the documents that were parsed: DocTags has a mark between two of them. */
  function pagesParsed(): number {
    const made = globSync('data-1-1/**/*.doctags', { cwd: work });
    if (made.length !== files.length) throw new Error(`${made.length} of ${files.length} papers were parsed`);
    return made.reduce((sum, file) => sum + readFileSync(join(work, file), 'utf8').split('<page_break>').length, 0);
  }
} finally {
  rmSync(work, { recursive: true });
}
