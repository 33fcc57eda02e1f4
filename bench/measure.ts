import { arch, availableParallelism, cpus, platform, totalmem } from 'node:os';
import { parseArgs } from 'node:util';

/** One figure: what was measured, and what it must reach. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** CPU seconds of this process that `work` took; on a shared machine they say more than the clock on the wall. */
export async function cpuSeconds(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** The options of every bench. */
export const { quick, json, check } = parseArgs({
  strict: false,
  options: { quick: { type: 'boolean' }, json: { type: 'boolean' }, check: { type: 'boolean' } },
}).values;

/** Prints the figures with the machine they come from; with --check a missed target makes the exit code 1. */
export function report(title: string, settings: Readonly<Record<string, unknown>>, figures: readonly Figure[]): void {
  const machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${arch()}`,
    node: process.version,
  };
  const judged = figures.map((figure) => ({ ...figure, met: isMet(figure) }));
  if (json) console.log(JSON.stringify({ title, machine, settings, figures: judged }, undefined, 2));
  else {
    console.log(`${title}\n${JSON.stringify(machine)}\n${JSON.stringify(settings)}`);
    for (const { name, value, unit, atLeast, atMost, met } of judged) {
      const target =
        atLeast !== undefined ? `at least ${atLeast}` : atMost !== undefined ? `at most ${atMost}` : undefined;
      const verdict = target === undefined ? '' : `  (${target}: ${met ? 'met' : 'MISSED'})`;
      console.log(`${name.padEnd(52)} ${rounded(value).padStart(10)} ${unit}${verdict}`);
    }
  }
  if (check && judged.some(({ met }) => !met)) process.exitCode = 1;
}

function isMet({ value, atLeast, atMost }: Figure): boolean {
  return (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost);
}

function rounded(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
