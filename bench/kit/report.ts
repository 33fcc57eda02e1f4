import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, platform, arch, release, totalmem } from 'node:os';
import { join } from 'node:path';

import type { Flags } from './flags.ts';

/** Something that was measured. */
export interface Figure {
  /** What was measured, such as `bulk enqueue`. */
  readonly measure: string;
  /** Whose, such as `ours`. */
  readonly subject: string;
  readonly value: number;
  readonly unit: string;
  /** Processor time for one unit of work, where it was measured. */
  readonly cpuMicroseconds?: number | undefined;
  /** All repetitions, of which `value` is the median. */
  readonly samples?: readonly number[];
  readonly target?: Target;
}

type Target = { readonly atLeast: number } | { readonly atMost: number } | { readonly below: number };

/** Gathers what a bench measures, prints it for people or as JSON, and sets the exit code. */
export class BenchReport {
  readonly #name: string;
  readonly #flags: Flags;
  readonly #settings: [name: string, value: string][] = [];
  readonly #notes: string[] = [];
  readonly #figures: Figure[] = [];
  #missing = 0;
  readonly #loadBefore = loadavg()[0] ?? 0;

  constructor(name: string, flags: Flags) {
    this.#name = name;
    this.#flags = flags;
    this.setting('docstokg', versionOf(join(import.meta.dirname, '..', '..', 'package.json')));
    this.setting('node', process.version);
    this.setting('sqlite', process.versions['sqlite'] ?? 'unknown');
  }

  /** A version or a setting without which the figures mean nothing. */
  setting(name: string, value: string): void {
    this.#settings.push([name, value]);
  }

  /** Something the reader must know, such as who was left out and why. */
  note(text: string): void {
    this.#notes.push(text);
  }

  /** Somebody to be compared with who is not there: told, and with --check an error, because a target was not looked at. */
  missing(text: string): void {
    this.note(`MISSING: ${text}`);
    this.#missing += 1;
  }

  add(figure: Figure): void {
    this.#figures.push(figure);
  }

  /** Tells what goes on, beside the results. */
  progress(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** Prints everything; with --check a missed target makes the program fail. */
  finish(): void {
    const missed = this.#figures.filter((figure) => isMet(figure) === false);
    if (this.#flags.json) process.stdout.write(`${JSON.stringify(this.#json(), null, 2)}\n`);
    else this.#print(missed.length);
    if (this.#flags.check && missed.length + this.#missing > 0) process.exitCode = 1;
  }

  #json(): object {
    return {
      bench: this.#name,
      quick: this.#flags.quick,
      machine: machine(this.#loadBefore),
      settings: Object.fromEntries(this.#settings),
      notes: this.#notes,
      figures: this.#figures.map((figure) => ({ ...figure, met: isMet(figure) ?? null })),
    };
  }

  #print(missed: number): void {
    const lines = [`bench ${this.#name}${this.#flags.quick ? ' (quick)' : ''}`, ''];
    for (const [name, value] of [...Object.entries(machine(this.#loadBefore)), ...this.#settings])
      lines.push(`  ${name.padEnd(16)} ${value}`);
    for (const note of this.#notes) lines.push(`  note: ${note}`);
    for (const [measure, figures] of Map.groupBy(this.#figures, (figure) => figure.measure)) {
      const rows = figures.map((figure) => [
        figure.subject,
        `${number(figure.value)} ${figure.unit}`,
        figure.cpuMicroseconds === undefined ? '' : `${number(figure.cpuMicroseconds)} µs CPU each`,
        (figure.samples?.length ?? 0) > 1 ? `(${figure.samples?.map(number).join(', ')})` : '',
        figure.target ? `${targetText(figure.target)}: ${isMet(figure) ? 'met' : 'MISSED'}` : '',
      ]);
      lines.push('', measure, ...table(rows));
    }
    const targets = this.#figures.filter(({ target }) => target).length;
    const untested = this.#missing === 0 ? '' : `; ${this.#missing} comparisons could not be made`;
    lines.push('', `${targets - missed} of ${targets} targets met${untested}`);
    process.stdout.write(`${lines.join('\n')}\n`);
  }
}

/** True or false for a figure with a target, undefined for one without. */
function isMet({ value, target }: Figure): boolean | undefined {
  if (!target) return undefined;
  if ('atLeast' in target) return value >= target.atLeast;
  return 'atMost' in target ? value <= target.atMost : value < target.below;
}

function targetText(target: Target): string {
  if ('atLeast' in target) return `at least ${number(target.atLeast)}`;
  return 'atMost' in target ? `at most ${number(target.atMost)}` : `below ${number(target.below)}`;
}

function machine(loadBefore: number): Readonly<Record<string, string>> {
  return {
    processor: `${availableParallelism()} × ${cpus()[0]?.model.trim() || arch()}`,
    memory: `${(totalmem() / 2 ** 30).toFixed(0)} GiB`,
    system: `${platform()} ${release()} ${arch()}`,
    'load (1 min)': `${loadBefore.toFixed(1)} before, ${(loadavg()[0] ?? 0).toFixed(1)} after`,
  };
}

/** The version in a package.json. */
export function versionOf(file: string): string {
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

function number(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
}

/** The middle one; of an even number, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
