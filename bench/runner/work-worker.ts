import { pbkdf2Sync } from 'node:crypto';

import type { StageWorker } from '../../src/stage/index.ts';

/** A piece of native work of the given number of rounds: a JavaScript loop would change its speed as it warms up. */
export function work(rounds: number): void {
  pbkdf2Sync('password', 'salt', rounds, 32, 'sha256');
}

const worker: StageWorker = (_item, context) => {
  work((context.data as { readonly rounds: number }).rounds);
  return { status: 'success' };
};

export default worker;
