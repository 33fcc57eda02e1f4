import { pbkdf2Sync } from 'node:crypto';

import type { StageWorker } from '../../src/stage/index.ts';

/** Spins in JavaScript or in native code, or says when it began. */
const worker: StageWorker = (item) => {
  if (item.itemId.startsWith('native')) pbkdf2Sync('password', 'salt', 2 ** 31 - 1, 32, 'sha256');
  if (item.itemId.startsWith('spin')) for (;;);
  return { status: 'success', result: { begunAt: performance.timeOrigin + performance.now() } };
};

export default worker;
