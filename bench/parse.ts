import { fork, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { init } from '@embedpdf/pdfium';
import { parsePdf } from '../src/parse/doctags/pdf.ts';

// npm run bench parse [-- --quick] [--json] [--check]
// Pages per second and memory of parsing PDFs, beside the bare engine that only reads all glyphs, and beside pdftotext.
// CPU time decides, because the machine may be shared; every contender runs in a process of its own on the same files.

interface Measured {
  readonly pages: number;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly peakMegabytes: number;
}

const CPU_RATIO = 3;
const PAGES_PER_SECOND = 20;
const PEAK_MEGABYTES = 400;
/** How the stage starts its processes: a small nursery keeps the heap from growing over what a document needs. */
const FLAGS = ['--max-semi-space-size=4'];

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});

const folder = join(dirname(import.meta.dirname), '..', 'shared', 'data', 'parse', 'open', 'pdf');

if (process.send && positionals[0] === 'child') {
  const mode = positionals[1] === 'bare' ? bare : ours;
  const files = positionals.slice(2);
  // The first document also pays for starting the engine and compiling; it is read once before the clock starts.
  await mode(files.slice(0, 1));
  const before = process.cpuUsage();
  const start = performance.now();
  const pages = await mode(files);
  const cpu = process.cpuUsage(before);
  process.send({
    pages,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    wallSeconds: (performance.now() - start) / 1000,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
  } satisfies Measured);
  process.disconnect();
} else await main();

async function ours(files: readonly string[]): Promise<number> {
  let pages = 0;
  for (const file of files) pages += (await parsePdf(readFileSync(file))).pages.length;
  return pages;
}

type Call = (...values: number[]) => number;

/** Reads every glyph with its box, origin, size and font, and does nothing with them. */
async function bare(files: readonly string[]): Promise<number> {
  const wasm = await readFile(fileURLToPath(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm')));
  const engine = await init({ wasmBinary: new Uint8Array(wasm).buffer });
  engine.PDFiumExt_Init();
  const call = (engine.pdfium as unknown as { wasmExports: Record<string, Call> & { memory: { buffer: ArrayBuffer } } })
    .wasmExports;
  const run = (name: string, ...values: number[]): number => call[name]?.(...values) ?? 0;
  const scratch = run('malloc', 64);
  let pages = 0;
  for (const file of files) {
    const bytes = readFileSync(file);
    const memory = run('malloc', bytes.byteLength);
    new Uint8Array(call.memory.buffer).set(bytes, memory);
    const document = run('FPDF_LoadMemDocument64', memory, bytes.byteLength, 0);
    const count = run('FPDF_GetPageCount', document);
    for (let index = 0; index < count; index += 1) {
      const page = run('FPDF_LoadPage', document, index);
      const text = run('FPDFText_LoadPage', page);
      const glyphs = run('FPDFText_CountChars', text);
      for (let at = 0; at < glyphs; at += 1) {
        run('FPDFText_GetUnicode', text, at);
        run('FPDFText_IsGenerated', text, at);
        run('FPDFText_HasUnicodeMapError', text, at);
        run('FPDFText_GetLooseCharBox', text, at, scratch);
        run('FPDFText_GetCharOrigin', text, at, scratch + 16, scratch + 24);
        run('FPDFText_GetFontSize', text, at);
        run('FPDFText_GetMatrix', text, at, scratch);
        run('FPDFFont_GetFlags', run('FPDFTextObj_GetFont', run('FPDFText_GetTextObject', text, at)));
      }
      run('FPDFText_ClosePage', text);
      run('FPDF_ClosePage', page);
      pages += 1;
    }
    run('FPDF_CloseDocument', document);
    run('free', memory);
  }
  return pages;
}

function measure(mode: 'bare' | 'ours', files: readonly string[]): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const child = fork(import.meta.filename, ['child', mode, ...files], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: FLAGS,
    });
    let measured: Measured | undefined;
    child.on('message', (message) => (measured = message as Measured));
    child.on('exit', (code) =>
      measured ? resolve(measured) : reject(new Error(`the ${mode} run ended with ${code}`)),
    );
  });
}

/** pdftotext on the same files; its CPU time is what Linux books on ended children. */
function pdftotext(files: readonly string[], pages: number): Measured | undefined {
  if (spawnSync('pdftotext', ['-v']).error) return undefined;
  const before = childCpuSeconds();
  const start = performance.now();
  for (const file of files) spawnSync('pdftotext', [file, '-'], { maxBuffer: 1 << 28 });
  const after = childCpuSeconds();
  if (before === undefined || after === undefined) return undefined;
  return {
    pages,
    cpuSeconds: after - before,
    wallSeconds: (performance.now() - start) / 1000,
    peakMegabytes: Number.NaN,
  };
}

function childCpuSeconds(): number | undefined {
  if (!existsSync('/proc/self/stat')) return undefined;
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\)\s/, '')
    .split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

async function main(): Promise<void> {
  if (!existsSync(folder)) {
    console.error(`THE DOCUMENTS ARE ABSENT: ${folder} does not exist, so nothing was measured`);
    process.exit(2);
  }
  const all = globSync('*.pdf', { cwd: folder })
    .sort()
    .map((file) => join(folder, file));
  const files = options.quick ? all.filter((_, index) => index % 3 === 0) : all;
  const rounds = options.quick ? 1 : 3;
  const best = { bare: await measure('bare', files), ours: await measure('ours', files) };
  for (let round = 1; round < rounds; round += 1)
    for (const mode of ['bare', 'ours'] as const) {
      const again = await measure(mode, files);
      if (again.cpuSeconds < best[mode].cpuSeconds) best[mode] = again;
    }
  const half = files.length >> 1;
  const start = performance.now();
  const pair = await Promise.all([measure('ours', files.slice(0, half)), measure('ours', files.slice(half))]);
  const twoCores = {
    pages: pair.reduce((sum, each) => sum + each.pages, 0),
    pagesPerSecond: pair.reduce((sum, each) => sum + each.pages / each.wallSeconds, 0),
    wallSeconds: (performance.now() - start) / 1000,
  };
  const text = pdftotext(files, best.ours.pages);
  const ratio = best.ours.cpuSeconds / best.bare.cpuSeconds;
  const perCore = best.ours.pages / best.ours.cpuSeconds;
  const missed = [
    ...(ratio > CPU_RATIO ? [`CPU ${ratio.toFixed(2)} times the bare engine, more than ${CPU_RATIO}`] : []),
    ...(perCore < PAGES_PER_SECOND
      ? [`${perCore.toFixed(1)} pages per CPU second, fewer than ${PAGES_PER_SECOND}`]
      : []),
    ...(best.ours.peakMegabytes > PEAK_MEGABYTES
      ? [`${best.ours.peakMegabytes.toFixed(0)} MB, more than ${PEAK_MEGABYTES}`]
      : []),
  ];
  const machine = {
    cpu: cpus()[0]?.model,
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 1e9),
    node: process.version,
    flags: FLAGS.join(' '),
    files: files.length,
    rounds,
  };
  if (options.json) {
    console.log(
      JSON.stringify({ machine, bare: best.bare, ours: best.ours, pdftotext: text, twoCores, ratio, missed }),
    );
  } else {
    console.log(
      `${machine.cpu}, ${machine.cores} cores, Node ${machine.node} ${machine.flags}; ${files.length} files, best of ${rounds}`,
    );
    const line = (name: string, each: Measured | undefined): string =>
      each
        ? `${name.padEnd(34)}${each.pages} pages  ${(each.cpuSeconds / each.pages).toFixed(4)} CPU s/page  ${(each.pages / each.cpuSeconds).toFixed(1).padStart(6)} pages/CPU s  ${Number.isNaN(each.peakMegabytes) ? '' : `${each.peakMegabytes.toFixed(0)} MB`}`
        : `${name}: not installed`;
    console.log(line('bare engine, all glyphs', best.bare));
    console.log(line('docstokg, layout and tables', best.ours));
    console.log(line('pdftotext, words only', text));
    console.log(`two processes: ${twoCores.pagesPerSecond.toFixed(1)} pages/s by the wall clock`);
    console.log(`CPU against the bare engine: ${ratio.toFixed(2)} (at most ${CPU_RATIO})`);
    for (const each of missed) console.log(`MISSED: ${each}`);
  }
  if (options.check && missed.length > 0) process.exitCode = 1;
}
