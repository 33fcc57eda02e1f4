import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';

import { moveForeignAside, sha256File, sha256 } from '../../base/index.ts';
import { StageError } from '../stage-error.ts';
import type { ItemRecord, WorkItem } from '../types.ts';

/** The content of `{output}.fp.json`. The optional fields save hashing or repair the manifest. */
export interface StoredFingerprint {
  readonly input_sha256: string;
  readonly cfg_hash: string;
  readonly inputs?: readonly FileMark[];
  /** In declaration order; fingerprints of the source documents have none. */
  readonly outputs?: readonly OutputMark[];
  /** The run that wrote it, and the row it was about to write: if it was killed in between, the next run writes it. */
  readonly run?: string;
  readonly record?: ItemRecord;
}

/** If size and time are the same, an output is not hashed again. */
type OutputMark = readonly [size: number, mtimeMs: number, sha256: string];

type RunReason =
  | 'forced'
  | 'resume-off'
  | 'no-outputs-declared'
  | 'output-missing'
  | 'output-empty'
  | 'output-damaged'
  | 'fingerprint-missing'
  | 'fingerprint-damaged'
  | 'config-changed'
  | 'input-missing'
  | 'input-changed';

export type Verdict =
  | { readonly kind: 'run'; readonly reason: RunReason }
  | { readonly kind: 'satisfied'; readonly stored: StoredFingerprint };

export interface JudgeOptions {
  readonly verifyHash: boolean;
  readonly now: number;
  /** Replaces a fingerprint atomically; undefined in a dry run. */
  readonly replace?: (path: string, text: string) => void;
}

/** The fingerprint is next to the first output and covers all of them. */
export function fingerprintPath(item: WorkItem): string {
  const [first] = Object.values(item.outputs);
  return first === undefined ? '' : `${first}.fp.json`;
}

/** Whether the outputs are intact and the settings and inputs the same; hashes only what has new marks. */
export async function judge(item: WorkItem, options: JudgeOptions): Promise<Verdict> {
  const found: { readonly path: string; readonly size: number; readonly mtimeMs: number }[] = [];
  for (const path of Object.values(item.outputs)) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile()) return run('output-missing');
    if (stats.size === 0) return run('output-empty');
    found.push({ path, size: stats.size, mtimeMs: stats.mtimeMs });
  }
  if (found.length === 0) return run('no-outputs-declared');
  const stored = readFingerprint(fingerprintPath(item), item);
  if (typeof stored === 'string') return run(stored);
  const marks = item.fingerprint ? undefined : markInputs(item.inputs);
  if (!marks && !item.fingerprint) return run('input-missing');

  const outputs: OutputMark[] = [];
  for (const [at, [wasSize, wasMtimeMs, sha256]] of (stored.outputs ?? []).entries()) {
    const { path, size, mtimeMs } = found[at] ?? { path: '', size: -1, mtimeMs: 0 };
    if (size !== wasSize) return run('output-damaged');
    const isTrusted = !options.verifyHash && mtimeMs === wasMtimeMs;
    if (!isTrusted && (await sha256File(path)) !== sha256) return run('output-damaged');
    outputs.push([size, mtimeMs, sha256]);
  }

  const isKnown = sameMarks(stored.inputs, marks) && !options.verifyHash;
  const sha256 = item.fingerprint?.inputSha256 ?? (isKnown ? stored.input_sha256 : await hashInputs(item.inputs));
  if (sha256 !== stored.input_sha256) return run('input-changed');
  // Files that were touched or copied, or were fresh when marked: store the new marks, or every run would hash them
  // again.
  const isProven = marks && marksProve(marks, options.now) && sameMarks(marks, markInputs(item.inputs));
  const current = { ...stored, outputs, ...(isProven && { inputs: marks }) };
  if (!options.verifyHash && JSON.stringify(current) !== JSON.stringify({ ...stored, outputs: stored.outputs ?? [] }))
    options.replace?.(fingerprintPath(item), JSON.stringify(current));
  return { kind: 'satisfied', stored: current };
}

/** Writes the fingerprint. One torn by a crash is not valid JSON and so is not trusted. */
export function writeFingerprint(
  item: WorkItem,
  made: { readonly inputs: AgreedInputs; readonly outputs: readonly string[] },
  by: { readonly run: string; readonly record: ItemRecord },
): void {
  const stored: StoredFingerprint = {
    input_sha256: made.inputs.sha256,
    cfg_hash: item.cfgHash,
    ...(made.inputs.marks && { inputs: made.inputs.marks }),
    outputs: Object.values(item.outputs).map((path, at): OutputMark => {
      const { size, mtimeMs } = statSync(path);
      return [size, mtimeMs, made.outputs[at] ?? ''];
    }),
    ...by,
  };
  writeFileSync(fingerprintPath(item), JSON.stringify(stored));
}

export function removeFingerprint(item: WorkItem): void {
  moveForeignAside(fingerprintPath(item), '{"');
  rmSync(fingerprintPath(item), { force: true });
}

/** The fingerprint, or why the item must run. */
function readFingerprint(path: string, item: WorkItem): StoredFingerprint | RunReason {
  try {
    const stored = JSON.parse(readFileSync(path, 'utf8')) as Partial<StoredFingerprint> | null;
    if (typeof stored?.input_sha256 !== 'string' || typeof stored.cfg_hash !== 'string') return 'fingerprint-damaged';
    if (stored.outputs?.some((mark) => !Array.isArray(mark))) return 'fingerprint-damaged';
    return stored.cfg_hash === item.cfgHash ? (stored as StoredFingerprint) : 'config-changed';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'fingerprint-missing' : 'fingerprint-damaged';
  }
}

function run(reason: RunReason): Verdict {
  return { kind: 'run', reason };
}

/** Size, modification time and inode of a file: a change of the file changes one of them. */
type FileMark = readonly [size: number, mtimeMs: number, inode: number];

export interface AgreedInputs {
  readonly sha256: string;
  /** Undefined if a mark is so fresh that it proves nothing. */
  readonly marks: readonly FileMark[] | undefined;
}

export function markInputs(inputs: Readonly<Record<string, string>>): FileMark[] | undefined {
  const marks: FileMark[] = [];
  for (const path of Object.values(inputs)) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile()) return undefined;
    marks.push([stats.size, stats.mtimeMs, stats.ino]);
  }
  return marks;
}

export function missingInput(inputs: Readonly<Record<string, string>>): StageError {
  const path = Object.values(inputs).find((each) => !statSync(each, { throwIfNoEntry: false })?.isFile());
  return new StageError('input', `${path ?? 'an input'} does not exist or is not a file`, { code: 'INPUT_MISSING' });
}

export function sameMarks(left: readonly FileMark[] | undefined, right: readonly FileMark[] | undefined): boolean {
  return left !== undefined && JSON.stringify(left) === JSON.stringify(right);
}

/**
 * A file changed twice within one tick of the file system keeps its mark, so only older marks prove something. Times in
 * whole seconds indicate a file system that counts in seconds (or in two).
 */
export function marksProve(marks: readonly FileMark[], now: number): boolean {
  return marks.every(([, mtimeMs]) => now - mtimeMs > (mtimeMs % 1000 === 0 ? 2_000 : 20));
}

/** One hash for all inputs: the hash of the only file, or one over the names and hashes of all. */
export async function hashInputs(inputs: Readonly<Record<string, string>>): Promise<string> {
  const hashes = Object.entries(inputs).map(async ([name, path]) => [name, await sha256File(path)] as const);
  return hashOfInputs(Object.fromEntries(await Promise.all(hashes)));
}

/** The same of files whose hashes are known, which need not be on this machine. */
export function hashOfInputs(hashes: Readonly<Record<string, string>>): string {
  const [only, ...others] = Object.values(hashes);
  if (only !== undefined && others.length === 0) return only;
  const lines = Object.entries(hashes).map(([name, hash]) => `${name}\0${hash}\n`);
  return sha256(lines.sort().join(''));
}
