import { existsSync, globSync, readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

import { parse } from 'parse5';
import { SaxesParser } from 'saxes';

import { parseMarkup, writeBlockLines, writeDoctags } from '../src/parse/index.ts';

// How fast HTML and JATS are read, in MB per second of CPU, beside the bare parser on the same bytes in the same run.
const quick = process.argv.includes('--quick');
const shared = join(import.meta.dirname, '../../shared/data/parse/open');
if (!existsSync(shared)) {
  console.error(`${shared} is absent: nothing can be measured`);
  process.exit(2);
}

/** The reading must not cost more than this many times the bare parser. */
const TARGETS = { html: 3, jats: 6 } as const;

interface Measured {
  readonly set: keyof typeof TARGETS;
  readonly files: number;
  readonly megabytes: number;
  readonly bare: number;
  readonly read: number;
  readonly written: number;
  readonly ratio: number;
  readonly target: number;
}

/** Least CPU milliseconds of several rounds: noise only ever adds. */
function cpuMs(run: () => void): number {
  let best = Infinity;
  for (let round = 0; round < (quick ? 6 : 25); round += 1) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

function bareXml(bytes: Buffer): void {
  const parser = new SaxesParser({ xmlns: false });
  parser.on('error', () => undefined);
  parser.write(bytes.toString('utf8')).close();
}

function measure(set: keyof typeof TARGETS, pattern: string): Measured {
  const files = globSync(join(shared, pattern)).map((path) => readFileSync(path));
  const megabytes = files.reduce((sum, file) => sum + file.length, 0) / 1e6;
  const all = (one: (file: Buffer) => void) => () => {
    for (const file of files) one(file);
  };
  const bareMs = cpuMs(all(set === 'html' ? (file) => void parse(file.toString('utf8')) : bareXml));
  const readMs = cpuMs(all((file) => void parseMarkup(file)));
  const writtenMs = cpuMs(
    all((file) => {
      const document = parseMarkup(file);
      writeBlockLines(document);
      writeDoctags(document);
    }),
  );
  const rate = (ms: number): number => Number((megabytes / (ms / 1_000)).toFixed(1));
  return {
    set,
    files: files.length,
    megabytes: Number(megabytes.toFixed(2)),
    bare: rate(bareMs),
    read: rate(readMs),
    written: rate(writtenMs),
    ratio: Number((writtenMs / bareMs).toFixed(2)),
    target: TARGETS[set],
  };
}

const results = [measure('html', 'html/{arxiv,gh}-*.html'), measure('jats', 'jats/*.xml')];
const machine = {
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 1e9),
  node: process.version,
  quick,
};
if (process.argv.includes('--json')) console.log(JSON.stringify({ machine, results }, undefined, 1));
else {
  console.log(
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, Node ${machine.node}${quick ? ', quick' : ''}; MB per CPU second`,
  );
  for (const result of results)
    console.log(
      `${result.set.padEnd(5)} ${String(result.megabytes).padStart(5)} MB in ${String(result.files).padStart(2)} files   bare parser ${String(result.bare).padStart(5)}   into blocks ${String(result.read).padStart(5)}   and both outputs ${String(result.written).padStart(5)}   ${result.ratio} × the bare parser (at most ${result.target})`,
    );
}
if (process.argv.includes('--check') && results.some((result) => result.ratio > result.target)) process.exit(1);
