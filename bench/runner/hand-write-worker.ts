import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';

import type { WorkItem } from '../../src/stage/index.ts';
import { TEN_KB } from './write-worker.ts';

// The same as `write-worker.ts` by hand: written beside its name, synced, named, and a record of it.
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
