import { parentPort, workerData } from 'node:worker_threads';

import type { WorkItem } from '../../src/stage/index.ts';
import { work } from './work-worker.ts';

// The least that a worker can be: an item in, a record out.
const given = workerData as { readonly rounds: number } | null;
const answer = ({
  id,
  item,
  times,
}: {
  readonly id: number;
  readonly item: WorkItem;
  readonly times?: number;
}): object => {
  const startedAt = performance.now();
  // So many pieces of work without a message between them: the work alone.
  if (given && times !== undefined) for (let at = 1; at < times; at += 1) work(given.rounds);
  if (given && given.rounds > 0) work(given.rounds);
  return { id, itemId: item.itemId, status: 'success', durationMs: performance.now() - startedAt };
};
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, not a window
if (parentPort) parentPort.on('message', (message) => parentPort?.postMessage(answer(message)));
else process.on('message', (message) => process.send?.(answer(message as never)));
