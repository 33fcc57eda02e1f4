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

/** What came of a contest: each contestant's cost, round by round. */
export class Contest {
  readonly #costs: Readonly<Record<string, readonly Cost[]>>;

  constructor(costs: Readonly<Record<string, readonly Cost[]>>) {
    this.#costs = costs;
  }

  /** The contestant's median. */
  cost(name: string, kind: keyof Cost): number {
    return median(this.#of(name).map((cost) => cost[kind]));
  }

  /** Things per second, in the median. */
  rate(name: string, kind: keyof Cost, count: number): number {
    return (count / this.cost(name, kind)) * 1000;
  }

  /** How many times dearer one is than the other, in the median of the rounds: a busy moment of the machine hits both. */
  ratio(name: string, other: string, kind: keyof Cost): number {
    const others = this.#of(other);
    return median(this.#of(name).map((cost, round) => cost[kind] / (others[round]?.[kind] ?? Number.NaN)));
  }

  #of(name: string): readonly Cost[] {
    return this.#costs[name] ?? [];
  }
}

/** Runs the contestants in turn, several times; the round before the first only warms them up. */
export async function compete(
  rounds: number,
  contestants: Readonly<Record<string, () => Promise<Cost>>>,
): Promise<Contest> {
  const costs: Record<string, Cost[]> = {};
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, run] of Object.entries(contestants)) {
      const cost = await run();
      if (round > 0) (costs[name] ??= []).push(cost);
    }
  }
  return new Contest(costs);
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
