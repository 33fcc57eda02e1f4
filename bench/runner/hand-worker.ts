import { parentPort, workerData } from 'node:worker_threads';

import type { WorkItem } from '../../src/stage/index.ts';
import { work } from './work-worker.ts';

// The least that a worker can be: an item in, a record out.
const given = workerData as { readonly rounds: number; readonly counter: BigInt64Array } | null;
const answer = ({ id, item }: { readonly id: number; readonly item: WorkItem }): object => {
  const startedAt = performance.now();
  if (given && given.rounds > 0) work(given.rounds, given.counter);
  return { id, itemId: item.itemId, status: 'success', durationMs: performance.now() - startedAt };
};
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, not a window
if (parentPort) parentPort.on('message', (message) => parentPort?.postMessage(answer(message)));
else process.on('message', (message) => process.send?.(answer(message as never)));
