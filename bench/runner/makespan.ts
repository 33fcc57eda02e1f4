import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { wait } from '../../src/base/index.ts';
import { runStage } from '../../src/stage/index.ts';
import type { Scheduling } from '../../src/stage/index.ts';
import { HeldClock } from '../../src/testing/index.ts';
import type { Figure } from './figures.ts';
import { bareItem } from './io.ts';

const WORKERS = 8;
const ITEMS = 2_000;

/** Numbers of a normal distribution, the same ones every time. */
function normal(seed: number): () => number {
  let state = seed;
  const uniform = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 1) / (2 ** 32 + 1);
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** The real runner on a clock that jumps from event to event: its end over the least any order could need. */
async function makespan(scheduling: Scheduling, sigma: number): Promise<number> {
  const next = normal(42);
  const durations = Array.from({ length: ITEMS }, () => Math.exp(sigma * next()) * 1_000);
  const items = durations.map((ms, at) => ({ ...bareItem(at), costHint: ms * Math.exp(next()) }));
  const byId = new Map(items.map(({ itemId }, at) => [itemId, durations[at] ?? 0]));
  const bound = Math.max(durations.reduce((sum, ms) => sum + ms, 0) / WORKERS, ...durations);
  const clock = new HeldClock();
  const folder = mkdtempSync(join(tmpdir(), 'docstokg-bench-'));
  const ended = new AbortController();
  const run = runStage(
    { stageName: 'bench', items },
    async ({ itemId }) => {
      await wait(clock, byId.get(itemId) ?? 0);
      return { status: 'success' };
    },
    { workers: WORKERS, scheduling, durable: false, diagnosticsIntervalS: 0, manifestDir: join(folder, 'm') },
    {},
    { clock },
  ).finally(() => ended.abort());
  while (!ended.signal.aborted) await clock.advanceToNext();
  rmSync(folder, { recursive: true, force: true });
  return (await run).wallMs / bound;
}

export async function benchMakespan(quick: boolean): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const sigma of quick ? [1.5, 2] : [1, 1.5, 2, 2.5]) {
    for (const scheduling of ['fifo', 'sjf', 'lpt'] as const) {
      figures.push({
        name: `makespan / bound, log-normal sigma ${sigma}, hints wrong by e^N(0,1): ${scheduling}`,
        value: await makespan(scheduling, sigma),
        unit: 'times',
        ...(scheduling === 'lpt' && { target: { atMost: 1.02 } }),
      });
    }
  }
  return figures;
}
