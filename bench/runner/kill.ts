import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runStage } from '../../src/stage/index.ts';
import type { StageOptions } from '../../src/stage/index.ts';
import type { Figure } from './figures.ts';
import { median } from './figures.ts';
import { bareItem } from './io.ts';

/** Long enough for a spare to be ready; on a busy machine more than in a hurry. */
const SPARE_S = { quick: 0.4, full: 2 };

/** From the decision to kill an item that spins to the moment the next one begins in its place, in the median. */
async function killToUsable(spin: string, kills: number, options: Partial<StageOptions>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'docstokg-bench-'));
  const items = Array.from({ length: kills }, (_, at) => [
    { ...bareItem(at), itemId: `${spin}${at}` },
    { ...bareItem(at), itemId: `next${at}` },
  ]).flat();
  let killedAt = 0;
  const waits: number[] = [];
  await runStage(
    { stageName: 'bench', items: [bareItem(0), ...items] },
    { module: new URL('./kill-worker.ts', import.meta.url) },
    { policy: 'cpu', workers: 1, manifestDir: join(folder, 'm'), ...options },
    {
      afterItem: (item, outcome) => {
        if (!item.itemId.startsWith('next') || !('result' in outcome)) return;
        waits.push(Number(outcome.result?.['begunAt']) - killedAt);
      },
    },
    {
      // Starting is not what is measured: compiled code is kept, so that spares are ready sooner.
      workerEnvironment: { NODE_COMPILE_CACHE: join(tmpdir(), 'docstokg-bench-cache') },
      report: (event) => {
        if (event.kind === 'worker-replaced') killedAt = performance.timeOrigin + performance.now();
      },
    },
  );
  rmSync(folder, { recursive: true, force: true });
  return median(waits);
}

export async function benchKill(quick: boolean): Promise<Figure[]> {
  const kills = quick ? 5 : 11;
  const perItemTimeoutS = quick ? SPARE_S.quick : SPARE_S.full;
  return [
    {
      name: 'kill to usable slot, thread spinning in JavaScript, warm spare',
      value: await killToUsable('spin', kills, { isolation: 'thread', perItemTimeoutS }),
      unit: 'ms p50',
      target: { atMost: 5 },
    },
    {
      name: 'kill to usable slot, process spinning in JavaScript, warm spare',
      value: await killToUsable('spin', kills, { isolation: 'process', perItemTimeoutS }),
      unit: 'ms p50',
      target: { atMost: 10 },
    },
    {
      name: 'kill to usable slot, process inside native code, warm spare',
      value: await killToUsable('native', Math.ceil(kills / 2), { isolation: 'process', perItemTimeoutS }),
      unit: 'ms p50',
      target: { atMost: 10 },
    },
    {
      name: 'kill to usable slot, process, no spare',
      value: await killToUsable('spin', Math.ceil(kills / 3), {
        isolation: 'process',
        warmSpare: false,
        perItemTimeoutS,
      }),
      unit: 'ms p50',
    },
  ];
}
