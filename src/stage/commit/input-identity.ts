import { hash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';

import { sha256, sha256File } from '../../base/index.ts';
import { StageError } from '../stage-error.ts';

/** Size, modification time and inode of a file: enough to notice that it is another one. */
export type FileMark = readonly [size: number, mtimeMs: number, inode: number];

/** What the inputs are, agreed before and after the work: their hash, and the marks by which to know them again. */
export interface AgreedInputs {
  readonly sha256: string;
  /** Undefined when a mark taken so soon after the last change would prove nothing. */
  readonly marks: readonly FileMark[] | undefined;
}

/** Files up to this size are hashed in one go; larger ones are streamed, so that they do not stop the loop. */
const WHOLE_BYTES = 1 << 20;
const block = Buffer.allocUnsafe(WHOLE_BYTES + 1);

/** Marks of all inputs; undefined when one is missing. */
export function markInputs(inputs: Readonly<Record<string, string>>): FileMark[] | undefined {
  const marks: FileMark[] = [];
  for (const name in inputs) {
    const stats = statSync(inputs[name] ?? '', { throwIfNoEntry: false });
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
  if (!left || !right || left.length !== right.length) return false;
  for (let at = 0; at < left.length; at += 1) {
    const a = left[at];
    const b = right[at];
    if (!a || !b || a[0] !== b[0] || a[1] !== b[1] || a[2] !== b[2]) return false;
  }
  return true;
}

/**
 * A file changed twice within one tick of the file system's clock keeps its mark: a mark proves something only when
 * it is older than a tick. Whole seconds betray a file system that counts in them (or in two).
 */
export function marksProve(marks: readonly FileMark[], now: number): boolean {
  return marks.every(([, mtimeMs]) => now - mtimeMs > (mtimeMs % 1000 === 0 ? 2_000 : 20));
}

/** One hash for all inputs: the file's own where there is one, else over the names and hashes of all. */
export function hashInputs(inputs: Readonly<Record<string, string>>): string | Promise<string> {
  const names = Object.keys(inputs);
  const [only] = names;
  if (names.length === 1 && only !== undefined) return hashFile(inputs[only] ?? '');
  const hashes = names.map((name) => hashFile(inputs[name] ?? ''));
  const join = (values: readonly string[]): string =>
    sha256(
      names
        .map((name, at) => `${name}\0${values[at]}\n`)
        .sort()
        .join(''),
    );
  return hashes.some((value) => typeof value !== 'string')
    ? Promise.all(hashes.map((value) => Promise.resolve(value))).then(join)
    : join(hashes as readonly string[]);
}

/** Hex sha256 of a file: at once where it is small. */
export function hashFile(path: string): string | Promise<string> {
  const descriptor = openSync(path, 'r');
  try {
    let length = 0;
    for (;;) {
      const read = readSync(descriptor, block, length, block.length - length, null);
      length += read;
      if (length === block.length) return sha256File(path);
      if (read === 0) return hash('sha256', block.subarray(0, length), 'hex');
    }
  } finally {
    closeSync(descriptor);
  }
}
