import { closeSync, openSync, readFileSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs';

import type { AgreedInputs, FileMark } from './input-identity.ts';
import { hashInputs, markInputs, marksProve, sameMarks } from './input-identity.ts';
import type { ItemRecord } from '../record/manifest-sink.ts';
import type { ResumeIndex } from '../plan/resume-index.ts';
import { stateOf } from '../plan/resume-index.ts';
import type { WorkItem } from '../types.ts';

/** What stands in `{output}.fp.json`. Beside the seed's two fields, what saves hashing and mends the manifest. */
export interface StoredFingerprint {
  readonly input_sha256: string;
  readonly cfg_hash: string;
  /** Marks of the inputs in the order they are declared. */
  readonly inputs?: readonly FileMark[];
  /** Bytes of the outputs in the order they are declared: one that was cut or written over is noticed. */
  readonly outputs?: readonly number[];
  /** The run that wrote it, and the row it was about to write: a run killed in between is completed by the next. */
  readonly run?: string;
  readonly record?: ItemRecord;
}

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
export type Verdict =
  | { readonly kind: 'run'; readonly reason: RunReason }
  /** `state` is what the index should remember of its files. */
  | { readonly kind: 'satisfied'; readonly stored: StoredFingerprint; readonly state: number | undefined }
  /** Satisfied, and known to be: not even a row is missing. */
  | { readonly kind: 'known' };

/** An item that need not be run. */
export type SatisfiedVerdict = Exclude<Verdict, { readonly kind: 'run' }>;

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
  readonly index?: ResumeIndex;
  /** Replaces a fingerprint atomically; left out where nothing may be written. */
  readonly replace?: (path: string, text: string) => void;
}

const QUIETLY = { throwIfNoEntry: false } as const;
const KNOWN: Verdict = { kind: 'known' };

/**
 * The resume predicate: all outputs exist and are not empty, and the fingerprint on disk matches the settings and
 * the inputs. An input whose size, time and inode are as they were is not hashed again, unless `verifyHash`.
 */
export function judge(item: WorkItem, options: JudgeOptions): Verdict | Promise<Verdict> {
  const sizes: number[] = [];
  for (const name in item.outputs) {
    const stats = statSync(item.outputs[name] ?? '', QUIETLY);
    if (!stats?.isFile()) return run('output-missing');
    if (stats.size === 0) return run('output-empty');
    sizes.push(stats.size);
  }
  if (sizes.length === 0) return run('no-outputs-declared');
  const stats = statSync(fingerprintPath(item), QUIETLY);
  if (!stats) return run('fingerprint-missing');
  const marks = item.fingerprint ? undefined : markInputs(item.inputs);
  if (!marks && !item.fingerprint) return run('input-missing');
  const ofOutputs = sizes.map((size): FileMark => [size, 0, 0]);
  const state = stateOf([[stats.size, stats.mtimeMs, stats.ino], ...ofOutputs, ...(marks ?? [])], item);
  const known = options.index?.has(item.itemId, state) ?? false;
  if (options.verifyHash) return compareHash(item, sizes, known);
  return known ? KNOWN : compareMarks(item, options, { marks, sizes, state });
}

function compareMarks(
  item: WorkItem,
  options: JudgeOptions,
  seen: { readonly marks: readonly FileMark[] | undefined; readonly sizes: readonly number[]; readonly state: number },
): Verdict | Promise<Verdict> {
  const { marks, sizes, state } = seen;
  const path = fingerprintPath(item);
  const stored = readFingerprint(path, item, sizes);
  if (typeof stored === 'string') return run(stored);
  if (!marks || sameMarks(stored.inputs, marks)) {
    return !item.fingerprint || item.fingerprint.inputSha256 === stored.input_sha256
      ? { kind: 'satisfied', stored, state }
      : run('input-changed');
  }
  const settle = (sha256: string): Verdict => {
    if (sha256 !== stored.input_sha256) return run('input-changed');
    // Touched, copied or fresh when it was marked: remember the new marks, or every warm run would hash it again.
    if (marksProve(marks, options.now) && sameMarks(marks, markInputs(item.inputs)))
      options.replace?.(path, JSON.stringify({ ...stored, inputs: marks }));
    return { kind: 'satisfied', stored, state: undefined };
  };
  const sha256 = hashInputs(item.inputs);
  return typeof sha256 === 'string' ? settle(sha256) : sha256.then(settle);
}

/** Whatever the marks say, the bytes decide; the index only tells whether a row is missing. */
function compareHash(item: WorkItem, sizes: readonly number[], known: boolean): Verdict | Promise<Verdict> {
  const stored = readFingerprint(fingerprintPath(item), item, sizes);
  if (typeof stored === 'string') return run(stored);
  const compare = (sha256: string): Verdict =>
    sha256 !== stored.input_sha256
      ? run('input-changed')
      : known
        ? KNOWN
        : { kind: 'satisfied', stored, state: undefined };
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
  inputs: AgreedInputs,
  by: { readonly run: string; readonly record: ItemRecord },
): void {
  const stored: StoredFingerprint = {
    input_sha256: inputs.sha256,
    cfg_hash: item.cfgHash,
    ...(inputs.marks && { inputs: inputs.marks }),
    outputs: Object.values(item.outputs).map((path) => statSync(path).size),
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
function readFingerprint(path: string, item: WorkItem, sizes: readonly number[]): StoredFingerprint | RunReason {
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
    // Those of older versions know no sizes.
    if (stored.outputs?.some((size, at) => size !== sizes[at])) return 'output-damaged';
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
