import { closeSync, openSync, readFileSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs';

import type { AgreedInputs, FileMark } from './input-identity.ts';
import { hashFile, hashInputs, markInputs, marksProve, sameMarks } from './input-identity.ts';
import type { ItemRecord } from '../record/manifest-sink.ts';
import type { WorkItem } from '../types.ts';

/** What stands in `{output}.fp.json`. Beside the seed's two fields, what saves hashing and mends the manifest. */
export interface StoredFingerprint {
  readonly input_sha256: string;
  readonly cfg_hash: string;
  /** Marks of the inputs in the order they are declared. */
  readonly inputs?: readonly FileMark[];
  /** Size, time and hash of the outputs in the order they are declared; those of older versions have the size alone. */
  readonly outputs?: readonly (OutputMark | number)[];
  /** The run that wrote it, and the row it was about to write: a run killed in between is completed by the next. */
  readonly run?: string;
  readonly record?: ItemRecord;
}

/** What an output was when it was made: size and time tell cheaply that it may be another now, the hash whether it is. */
type OutputMark = readonly [size: number, mtimeMs: number, sha256: string];

/** Why an item has to be run. */
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

/** Whether an item is already done. */
export type Verdict = { readonly kind: 'run'; readonly reason: RunReason } | SatisfiedVerdict;

/** An item that need not be run, and the fingerprint that says so. */
export interface SatisfiedVerdict {
  readonly kind: 'satisfied';
  readonly stored: StoredFingerprint;
}

const buffer = Buffer.allocUnsafe(64 * 1024);

/** The fingerprint stands beside the first output and vouches for all of them. */
export function fingerprintPath(item: WorkItem): string {
  for (const name in item.outputs) return `${item.outputs[name]}.fp.json`;
  return '';
}

/** How the predicate is asked. */
export interface JudgeOptions {
  readonly verifyHash: boolean;
  readonly now: number;
  /** Replaces a fingerprint atomically; left out where nothing may be written. */
  readonly replace?: (path: string, text: string) => void;
}

const QUIETLY = { throwIfNoEntry: false } as const;

/**
 * The resume predicate: all outputs exist and are what was made, and the fingerprint on disk matches the settings and
 * the inputs. An input whose size, time and inode are as they were is not hashed again, nor an output whose size and time
 * are, unless `verifyHash`.
 */
export function judge(item: WorkItem, options: JudgeOptions): Verdict | Promise<Verdict> {
  const outputs: FileMark[] = [];
  for (const name in item.outputs) {
    const stats = statSync(item.outputs[name] ?? '', QUIETLY);
    if (!stats?.isFile()) return run('output-missing');
    if (stats.size === 0) return run('output-empty');
    outputs.push([stats.size, stats.mtimeMs, 0]);
  }
  if (outputs.length === 0) return run('no-outputs-declared');
  const stored = readFingerprint(fingerprintPath(item), item);
  if (typeof stored === 'string') return run(stored);
  const marks = item.fingerprint ? undefined : markInputs(item.inputs);
  if (!marks && !item.fingerprint) return run('input-missing');
  const { verifyHash } = options;
  const looked = lookAtOutputs(item, stored, outputs, verifyHash);
  if (looked === 'damaged') return run('output-damaged');
  const goOn = (): Verdict | Promise<Verdict> =>
    verifyHash ? compareHash(item, stored) : compareMarks(item, options, { stored, marks, outputs });
  if (looked === 'same') return goOn();
  return looked.then((isSame) => (isSame ? goOn() : run('output-damaged')));
}

function compareMarks(
  item: WorkItem,
  options: JudgeOptions,
  seen: {
    readonly stored: StoredFingerprint;
    readonly marks: readonly FileMark[] | undefined;
    readonly outputs: readonly FileMark[];
  },
): Verdict | Promise<Verdict> {
  const { marks, outputs } = seen;
  const path = fingerprintPath(item);
  const stored = { ...seen.stored, outputs: remarked(seen.stored.outputs, outputs) };
  const isCopied = stored.outputs.some((mark, at) => mark !== seen.stored.outputs?.[at]);
  if (!marks || sameMarks(stored.inputs, marks)) {
    if (item.fingerprint && item.fingerprint.inputSha256 !== stored.input_sha256) return run('input-changed');
    // Touched or copied, and the same by its hash: remember the new time, or every run would hash it again.
    if (isCopied) options.replace?.(path, JSON.stringify(stored));
    return { kind: 'satisfied', stored };
  }
  const settle = (sha256: string): Verdict => {
    if (sha256 !== stored.input_sha256) return run('input-changed');
    // Touched, copied or fresh when it was marked: remember the new marks, or every warm run would hash it again.
    if (marksProve(marks, options.now) && sameMarks(marks, markInputs(item.inputs)))
      options.replace?.(path, JSON.stringify({ ...stored, inputs: marks }));
    return { kind: 'satisfied', stored };
  };
  const sha256 = hashInputs(item.inputs);
  return typeof sha256 === 'string' ? settle(sha256) : sha256.then(settle);
}

/** Whether the outputs are what was made: by size and time, and by their bytes where these differ or `verifyHash` asks. */
function lookAtOutputs(
  item: WorkItem,
  stored: StoredFingerprint,
  found: readonly FileMark[],
  verifyHash: boolean,
): 'same' | 'damaged' | Promise<boolean> {
  const doubtful: Promise<boolean>[] = [];
  const paths = Object.values(item.outputs);
  for (const [at, mark] of (stored.outputs ?? []).entries()) {
    const [size, mtimeMs, sha256] = typeof mark === 'number' ? [mark, undefined, undefined] : mark;
    if (size !== found[at]?.[0]) return 'damaged';
    if (sha256 === undefined || (!verifyHash && mtimeMs === found[at][1])) continue;
    const hash = hashFile(paths[at] ?? '');
    if (typeof hash !== 'string') doubtful.push(hash.then((now) => now === sha256));
    else if (hash !== sha256) return 'damaged';
  }
  return doubtful.length === 0 ? 'same' : Promise.all(doubtful).then((all) => all.every(Boolean));
}

/** The marks of outputs that are the same by their hash, with the time that they have now. */
function remarked(
  stored: StoredFingerprint['outputs'],
  found: readonly FileMark[],
): NonNullable<StoredFingerprint['outputs']> {
  return (stored ?? []).map((mark, at) => {
    const mtimeMs = found[at]?.[1];
    return typeof mark === 'number' || mtimeMs === undefined || mtimeMs === mark[1]
      ? mark
      : [mark[0], mtimeMs, mark[2]];
  });
}

/** Whatever the marks say, the bytes decide. */
function compareHash(item: WorkItem, stored: StoredFingerprint): Verdict | Promise<Verdict> {
  const compare = (sha256: string): Verdict =>
    sha256 === stored.input_sha256 ? { kind: 'satisfied', stored } : run('input-changed');
  if (item.fingerprint) return compare(item.fingerprint.inputSha256);
  try {
    const sha256 = hashInputs(item.inputs);
    return typeof sha256 === 'string' ? compare(sha256) : sha256.then(compare);
  } catch {
    return run('input-missing');
  }
}

/** Writes the fingerprint; one torn by a crash is no JSON and so is not trusted. */
export function writeFingerprint(
  item: WorkItem,
  made: { readonly inputs: AgreedInputs; readonly outputs: readonly string[] },
  by: { readonly run: string; readonly record: ItemRecord },
): void {
  const { inputs } = made;
  const stored: StoredFingerprint = {
    input_sha256: inputs.sha256,
    cfg_hash: item.cfgHash,
    ...(inputs.marks && { inputs: inputs.marks }),
    outputs: Object.values(item.outputs).map((path, at): OutputMark => {
      const { size, mtimeMs } = statSync(path);
      return [size, mtimeMs, made.outputs[at] ?? ''];
    }),
    run: by.run,
    record: by.record,
  };
  writeFileSync(fingerprintPath(item), JSON.stringify(stored));
}

/** Makes what stands under the outputs' names untrusted, before it is replaced. */
export function removeFingerprint(item: WorkItem): void {
  rmSync(fingerprintPath(item), { force: true });
}

/** The fingerprint, or why it does not vouch for the item with its present settings. */
function readFingerprint(path: string, item: WorkItem): StoredFingerprint | RunReason {
  let text: string;
  try {
    text = readText(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'fingerprint-missing';
    return 'fingerprint-damaged';
  }
  try {
    const stored = JSON.parse(text) as Partial<StoredFingerprint> | null;
    if (typeof stored?.input_sha256 !== 'string' || typeof stored.cfg_hash !== 'string') return 'fingerprint-damaged';
    if (stored.cfg_hash !== item.cfgHash) return 'config-changed';
    return stored as StoredFingerprint;
  } catch {
    return 'fingerprint-damaged';
  }
}

/** readFileSync asks for the size first; small files are read a third faster without. */
function readText(path: string): string {
  const descriptor = openSync(path, 'r');
  try {
    const length = readSync(descriptor, buffer, 0, buffer.length, 0);
    return length < buffer.length ? buffer.toString('utf8', 0, length) : readFileSync(path, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function run(reason: RunReason): Verdict {
  return { kind: 'run', reason };
}
