import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';

/** The root of the clone. */
export const ROOT = join(import.meta.dirname, '..');

/** How a bench is run. */
export interface Flags {
  readonly quick: boolean;
  readonly json: boolean;
  readonly check: boolean;
}

const NAMES = ['quick', 'json', 'check'] as const;

/** Flags of `npm run bench NAME --quick`: npm takes them for its own and passes them on in the environment. */
export function npmFlags(environment: Readonly<Record<string, string | undefined>>): string[] {
  return NAMES.filter((name) => environment[`npm_config_${name}`] === 'true').map((name) => `--${name}`);
}

export const flags = Object.fromEntries(NAMES.map((name) => [name, process.argv.includes(`--${name}`)])) as
  Record<(typeof NAMES)[number], boolean>; // prettier-ignore

/** The value behind an option of the bench's own, such as `--papers FOLDER`. */
export function option(name: string): string | undefined {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? undefined : process.argv[at + 1];
}

/** One result: the median of its samples, and what it must reach. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly samples: readonly number[];
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** Collects figures, prints them for people or as JSON, and sets the exit code. */
export class BenchReport {
  readonly #name: string;
  readonly #flags: Flags;
  readonly #settings: [name: string, value: string][] = [];
  readonly #figures: Figure[] = [];
  readonly #loadBefore = loadavg()[0] ?? 0;

  constructor(name: string, given: Flags = flags) {
    this.#name = name;
    this.#flags = given;
  }

  /** A setting without which the figures mean nothing. */
  setting(name: string, value: string | number): void {
    this.#settings.push([name, String(value)]);
  }

  add(figure: Figure): void {
    this.#figures.push(figure);
  }

  progress(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** Prints everything; with --check a missed target makes the program fail. */
  finish(): void {
    const judged = this.#figures.map((figure) => ({ ...figure, value: median(figure.samples), met: isMet(figure) }));
    const missed = judged.filter(({ met }) => met === false).length;
    const about = [...machine(this.#loadBefore), ...this.#settings];
    if (this.#flags.json)
      process.stdout.write(
        `${JSON.stringify({ bench: this.#name, quick: this.#flags.quick, settings: Object.fromEntries(about), figures: judged }, null, 2)}\n`,
      );
    else {
      const rows = judged.map((figure) => [
        figure.name,
        `${shown(figure.value)} ${figure.unit}`,
        figure.samples.length > 1
          ? `${shown(Math.min(...figure.samples))} to ${shown(Math.max(...figure.samples))} in ${figure.samples.length}`
          : '',
        figure.met === undefined ? '' : `${targetOf(figure)}: ${figure.met ? 'met' : 'MISSED'}`,
      ]);
      const targets = judged.filter(({ met }) => met !== undefined).length;
      const lines = [
        `bench ${this.#name}${this.#flags.quick ? ' (quick)' : ''}`,
        '',
        ...about.map(([name, value]) => `  ${name.padEnd(14)} ${value}`),
        '',
        ...table(rows),
        '',
        `${targets - missed} of ${targets} targets met`,
      ];
      process.stdout.write(`${lines.join('\n')}\n`);
    }
    if (this.#flags.check && missed > 0) process.exitCode = 1;
  }
}

/** True or false for a figure with a target, undefined for one without. */
function isMet({ samples, atLeast, atMost }: Figure): boolean | undefined {
  if (atLeast === undefined && atMost === undefined) return undefined;
  const value = median(samples);
  return value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity);
}

function targetOf({ atLeast, atMost }: Figure): string {
  return atLeast === undefined ? `at most ${shown(atMost ?? 0)}` : `at least ${shown(atLeast)}`;
}

function machine(loadBefore: number): [string, string][] {
  return [
    ['processor', `${availableParallelism()} × ${cpus()[0]?.model.trim() || arch()}`],
    ['memory', `${(totalmem() / 2 ** 30).toFixed(0)} GiB`],
    ['system', `${platform()} ${release()} ${arch()}, node ${process.version}`],
    ['load (1 min)', `${loadBefore.toFixed(1)} before, ${(loadavg()[0] ?? 0).toFixed(1)} after`],
  ];
}

function shown(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
}

/** The middle value; of an even number, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** CPU seconds of this process for a piece of work; on a shared machine they say more than the wall clock. */
export async function cpuSeconds(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** What a command and all processes that it started used. */
export interface Measured {
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  /** The most memory of one of the processes. */
  readonly peakMegabytes: number;
  readonly output: string;
}

/** How often the processes are looked at; Linux reports their high-water mark, so little is missed. */
const LOOK_MS = 50;

/** Runs a command to its end, on Linux: /proc tells the CPU time of ended children, their children included. */
export async function measureCommand(command: string, words: readonly string[], cwd = ROOT): Promise<Measured> {
  const before = childCpuSeconds();
  const start = performance.now();
  const child = spawn(command, words, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  let peak = 0;
  const looking = setInterval(() => (peak = Math.max(peak, highWater(child.pid ?? 0))), LOOK_MS);
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.on('error', reject);
  child.on('close', resolve);
  const code = await promise.finally(() => clearInterval(looking));
  if (code !== 0) throw new Error(`${command} ${words.join(' ')} ended with ${code}: ${errors.slice(-500)}`);
  return {
    cpuSeconds: childCpuSeconds() - before,
    wallSeconds: (performance.now() - start) / 1_000,
    peakMegabytes: peak,
    output,
  };
}

/** Processor time of the children of this process that have ended; NaN where the system does not report it. */
export function childCpuSeconds(): number {
  if (process.platform !== 'linux') return Number.NaN;
  const fields = fieldsOf('self');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/** The fields of a process in /proc after its name; empty when it has ended. */
function fieldsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\)\s/s, '')
      .split(' ');
  } catch {
    return [];
  }
}

function highWater(root: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) if (/^\d+$/.test(name)) parents.set(Number(name), Number(fieldsOf(name)[1]));
  const isOwn = (pid: number, depth = 0): boolean =>
    pid === root || (depth < 8 && parents.has(pid) && isOwn(parents.get(pid) ?? 0, depth + 1));
  return Math.max(0, ...[...parents.keys()].filter((pid) => isOwn(pid)).map(megabytesOf));
}

function megabytesOf(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
