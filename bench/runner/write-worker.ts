import { writeFileSync } from 'node:fs';

import type { StageWorker } from '../../src/stage/index.ts';

/** What a small document leaves behind. */
export const TEN_KB = Buffer.alloc(10_000, 'ten kilobytes of text, as a page of a paper has it. ');

/** Writes ten kilobytes where the runner says; syncing, naming and the fingerprint are the runner's. */
const worker: StageWorker = ({ outputs }) => {
  writeFileSync(outputs['out'] ?? '', TEN_KB);
  return { status: 'success' };
};

export default worker;
