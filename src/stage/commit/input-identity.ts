import { statSync } from 'node:fs';

import { sha256, sha256File } from '../../base/index.ts';
import { StageError } from '../stage-error.ts';

/** Size, modification time and inode of a file: a change of the file changes one of them. */
export type FileMark = readonly [size: number, mtimeMs: number, inode: number];

/** The inputs of an attempt, unchanged from its start to its end. */
export interface AgreedInputs {
  readonly sha256: string;
  /** Undefined if a mark is so fresh that it proves nothing. */
  readonly marks: readonly FileMark[] | undefined;
}

/** Marks of all inputs; undefined if one is missing. */
export function markInputs(inputs: Readonly<Record<string, string>>): FileMark[] | undefined {
  const marks: FileMark[] = [];
  for (const path of Object.values(inputs)) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile()) return undefined;
    marks.push([stats.size, stats.mtimeMs, stats.ino]);
  }
  return marks;
}

/** The error of an item whose inputs cannot be read. */
export function missingInput(inputs: Readonly<Record<string, string>>): StageError {
  const path = Object.values(inputs).find((each) => !statSync(each, { throwIfNoEntry: false })?.isFile());
  return new StageError('input', `${path ?? 'an input'} does not exist or is not a file`, { code: 'INPUT_MISSING' });
}

export function sameMarks(left: readonly FileMark[] | undefined, right: readonly FileMark[] | undefined): boolean {
  return left !== undefined && JSON.stringify(left) === JSON.stringify(right);
}

/**
 * A file changed twice within one tick of the file system's clock keeps its mark, so a mark proves something only when
 * it is older than a tick. A time in whole seconds indicates a file system that counts in seconds (or in two).
 */
export function marksProve(marks: readonly FileMark[], now: number): boolean {
  return marks.every(([, mtimeMs]) => now - mtimeMs > (mtimeMs % 1000 === 0 ? 2_000 : 20));
}

/** One hash for all inputs: the hash of the only file, or one over the names and hashes of all. */
export async function hashInputs(inputs: Readonly<Record<string, string>>): Promise<string> {
  const files = Object.entries(inputs);
  const [only] = files;
  if (only && files.length === 1) return sha256File(only[1]);
  const lines = await Promise.all(files.map(async ([name, path]) => `${name}\0${await sha256File(path)}\n`));
  return sha256(lines.sort().join(''));
}
