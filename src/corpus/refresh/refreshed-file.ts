import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { writeFileAtomic } from '../../base/index.ts';
import type { RefreshDiff } from './refresh-diff.ts';
import { isEmptyDiff } from './refresh-diff.ts';

const NAME = 'refreshed.json';
/** So many looks that found something are kept. */
const MOST_LOOKS = 100;

/** One look at a corpus and what it told. Moments are ISO 8601. */
interface Look {
  readonly began: string;
  readonly ended: string;
  readonly diff: RefreshDiff;
}

/** Keeps what a look has told in `refreshed.json`, the latest last; one that found nothing leaves the file as it is. */
export async function keepLook(folder: string, look: Look): Promise<void> {
  if (isEmptyDiff(look.diff)) return;
  const path = join(folder, NAME);
  // The same look may have come this far before it was killed.
  const looks = [...(await looksIn(path)).filter(({ began }) => began !== look.began), look].slice(-MOST_LOOKS);
  await writeFileAtomic(path, `${JSON.stringify({ looks }, undefined, 2)}\n`);
}

async function looksIn(path: string): Promise<readonly Look[]> {
  try {
    const { looks } = JSON.parse(await readFile(path, 'utf8')) as { readonly looks?: readonly Look[] };
    return Array.isArray(looks) ? looks : [];
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    // A file that somebody has edited is history and nothing that a look depends on.
    if (isAbsent || error instanceof SyntaxError) return [];
    throw error;
  }
}
