import { closeSync, fsyncSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';

import type { StageWorker, WorkItem } from '../../src/stage/index.ts';

/** What a small document leaves behind. */
const TEN_KB = Buffer.alloc(10_000, 'ten kilobytes of text, as a page of a paper has it. ');

/** Writes ten kilobytes where the runner says; syncing, naming and the fingerprint are the runner's. */
const worker: StageWorker = ({ outputs }) => {
  writeFileSync(outputs['out'] ?? '', TEN_KB);
  return { status: 'success' };
};

export default worker;

// The same by hand: written beside its name, synced, named, and a record of it.
parentPort?.on('message', ({ item }: { readonly item: WorkItem }) => {
  const path = item.outputs['out'] ?? '';
  const file = openSync(`${path}.part`, 'w');
  writeSync(file, TEN_KB);
  fsyncSync(file);
  closeSync(file);
  renameSync(`${path}.part`, path);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, not a window
  parentPort?.postMessage({ itemId: item.itemId, status: 'success' });
});
