import { parseFlags } from './kit/flags.ts';
import { BenchReport } from './kit/report.ts';

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

const flags = parseFlags();
export const { quick } = flags;

/** A report of figures that all stand beside each other: printed with the machine, judged with --check. */
export function report(title: string, settings: Readonly<Record<string, unknown>>, figures: readonly Figure[]): void {
  const bench = new BenchReport(title, flags);
  for (const [name, value] of Object.entries(settings)) bench.setting(name, String(value));
  for (const { name, value, unit, atLeast, atMost } of figures) {
    const target = atLeast !== undefined ? { atLeast } : atMost !== undefined ? { atMost } : undefined;
    bench.add({ measure: title, subject: name, value, unit, ...(target && { target }) });
  }
  bench.finish();
}
