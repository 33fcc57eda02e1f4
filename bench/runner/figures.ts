import { loadavg } from 'node:os';

/** One measured ratio or amount, and what it must not miss. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly target?: { readonly atMost: number } | { readonly atLeast: number };
  readonly note?: string;
}

/** Whether a figure keeps its promise; undefined when it makes none. */
export function isMet({ value, target }: Figure): boolean | undefined {
  if (!target) return undefined;
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast;
}

/** Time and processor time of this process, all threads included. */
export interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
}

export async function measure(work: () => unknown): Promise<Cost> {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  await work();
  const used = process.cpuUsage(before);
  return { wallMs: performance.now() - startedAt, cpuMs: (used.user + used.system) / 1000 };
}

/** Runs the contestants in turn, several times, so that a busy moment of the machine hits all; answers each one's best. */
export async function compete(
  rounds: number,
  contestants: Readonly<Record<string, () => Promise<Cost>>>,
): Promise<Readonly<Record<string, Cost>>> {
  const best: Record<string, Cost> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(contestants)) {
      const cost = await run();
      const { wallMs = Infinity, cpuMs = Infinity } = best[name] ?? {};
      best[name] = { wallMs: Math.min(wallMs, cost.wallMs), cpuMs: Math.min(cpuMs, cost.cpuMs) };
    }
  }
  return best;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Prints figures as a table. */
export function printFigures(figures: readonly Figure[]): void {
  for (const figure of figures) {
    const { name, value, unit, target, note } = figure;
    const met = isMet(figure);
    const goal = !target ? '' : 'atMost' in target ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`;
    const verdict = met === undefined ? '' : met ? 'met' : 'MISSED';
    const number = value >= 1000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
    console.log(
      `  ${name.padEnd(64)} ${number.padStart(10)} ${unit.padEnd(10)} ${goal.padEnd(8)} ${verdict.padEnd(6)} ${note ?? ''}`.trimEnd(),
    );
  }
}

/** How busy the machine was. */
export function load(): string {
  return loadavg()
    .map((value) => value.toFixed(1))
    .join(' ');
}
