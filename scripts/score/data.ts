import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { packageRoot } from '../../src/base/index.ts';

/** Data and scorers beside the clone. */
export const SHARED = join(packageRoot(), '..', 'shared');
/** Papers with their truth, in a folder for each set. */
export const OPEN_PAPERS = join(SHARED, 'data', 'parse', 'open');
/** Vectors that several scorers need; computing them takes most of their time. */
export const VECTORS = join(packageRoot(), 'Data', 'score-vectors.sqlite');

export function readJsonLines<T>(...path: readonly string[]): T[] {
  const lines = readFileSync(join(...path), 'utf8').split('\n');
  return lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line) as T]));
}

/** Ends a scorer that has nothing to score: exit code 2, because it proves nothing. */
export function nothingMeasured(why: string): never {
  console.error(`NOTHING WAS MEASURED: ${why}`);
  process.exit(2);
}
