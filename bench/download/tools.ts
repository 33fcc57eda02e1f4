import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Usage } from './usage.ts';
import { childCpuSeconds, peakMegabytesOf } from './usage.ts';

export interface Transfer {
  readonly origin: string;
  readonly files: number;
  readonly atOnce: number;
  readonly out: string;
}

/** A downloader that people have on their machines. */
export interface Tool {
  readonly name: string;
  readonly note: string;
  /** Its version; undefined when it is not there. */
  version(): string | undefined;
  /** The command that fetches everything. */
  command(transfer: Transfer): readonly [program: string, ...words: string[]];
}

const urlsOf = ({ origin, files }: Transfer): string[] =>
  Array.from({ length: files }, (_, at) => `${origin}/${at}.pdf`);

function listFile(transfer: Transfer, lines: readonly string[]): string {
  const path = `${transfer.out}.list`;
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

function firstLine(program: string, ...words: string[]): string | undefined {
  const { status, stdout } = spawnSync(program, words, { encoding: 'utf8' });
  return status === 0 ? stdout.split('\n')[0]?.trim() : undefined;
}

const SCRAPY = 'Scrapy files pipeline';

/** Debian's own Python has the Debian package; another one on the path need not. */
const PYTHONS = ['python3', '/usr/bin/python3'];

export const TOOLS: readonly Tool[] = [
  {
    name: 'curl --parallel',
    note: 'no hash, no fsync, no rename',
    version: () => firstLine('curl', '--version')?.split(' (')[0],
    command: (transfer) => {
      const lines = urlsOf(transfer).flatMap((url, at) => [
        `url = "${url}"`,
        `output = "${join(transfer.out, `${at}.pdf`)}"`,
      ]);
      const list = listFile(transfer, lines);
      return ['curl', '--silent', '--fail', '--parallel', '--parallel-max', String(transfer.atOnce), '--config', list];
    },
  },
  {
    name: 'wget2',
    note: 'no hash, no fsync',
    version: () => firstLine('wget2', '--version'),
    command: (transfer) => [
      'wget2', '--quiet', '--no-robots', `--max-threads=${transfer.atOnce}`, `--directory-prefix=${transfer.out}`,
      `--input-file=${listFile(transfer, urlsOf(transfer))}`,
    ],
  }, // prettier-ignore
  {
    name: 'aria2c',
    note: 'no hash, no fsync',
    version: () => firstLine('aria2c', '--version'),
    command: (transfer) => [
      'aria2c', '--quiet', `--max-concurrent-downloads=${transfer.atOnce}`, '--max-connection-per-server=1',
      '--file-allocation=none', `--dir=${transfer.out}`, `--input-file=${listFile(transfer, urlsOf(transfer))}`,
    ],
  }, // prettier-ignore
  {
    name: SCRAPY,
    note: 'MD5 instead of sha256, no fsync',
    version: () => PYTHONS.map((python) => firstLine(python, '-c', 'import scrapy; print("Scrapy " + scrapy.__version__)')).find(Boolean),
    command: (transfer) => {
      const python = PYTHONS.find((each) => firstLine(each, '-c', 'import scrapy') !== undefined) ?? 'python3';
      const script = join(import.meta.dirname, 'scrapy-files.py');
      return [python, script, transfer.out, listFile(transfer, urlsOf(transfer)), String(transfer.atOnce)];
    },
  }, // prettier-ignore
];

/** Runs a tool and answers what it used; throws when it did not bring every file. */
export async function runTool(tool: Tool, transfer: Transfer): Promise<Usage> {
  mkdirSync(transfer.out, { recursive: true });
  const [program, ...words] = tool.command(transfer);
  const before = { cpu: childCpuSeconds(), wall: performance.now() };
  const child = spawn(program, words, { stdio: 'ignore' });
  let peakMegabytes = 0;
  const watch = setInterval(() => (peakMegabytes = Math.max(peakMegabytes, peakMegabytesOf(child.pid ?? 0))), 20);
  await once(child, 'exit');
  clearInterval(watch);
  const wallSeconds = (performance.now() - before.wall) / 1000;
  const found = readdirSync(transfer.out, { recursive: true }).filter((name) => !String(name).endsWith('full')).length;
  if (found < transfer.files) throw new Error(`${tool.name} brought ${found} of ${transfer.files} files`);
  return { wallSeconds, cpuSeconds: childCpuSeconds() - before.cpu, childCpuSeconds: 0, peakMegabytes };
}
