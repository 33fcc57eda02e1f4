import { pbkdf2Sync } from 'node:crypto';

import type { StageWorker } from '../../src/stage/index.ts';

/** A piece of native work of the given number of rounds; its own processor time is added to the shared counter. */
export function work(rounds: number, counter: BigInt64Array | undefined): void {
  const before = process.threadCpuUsage();
  pbkdf2Sync('password', 'salt', rounds, 32, 'sha256');
  const used = process.threadCpuUsage(before);
  if (counter) Atomics.add(counter, 0, BigInt(used.user + used.system));
}

const worker: StageWorker = (_item, context) => {
  const { rounds, counter } = context.data as { readonly rounds: number; readonly counter: BigInt64Array };
  work(rounds, counter);
  return { status: 'success' };
};

export default worker;
