import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

import { Batcher, freeSpace, replaceFile, syncFiles, syncFolder } from '../../base/index.ts';
import { fingerprintPath, removeFingerprint, writeFingerprint } from './fingerprint.ts';
import type { Performed } from '../execute/performed.ts';
import type { BareError } from '../stage-error.ts';
import { classify, isDiskFull, StageError } from '../stage-error.ts';
import type { ItemRecord, WorkItem } from '../types.ts';

/** The suffix names run and attempt, so that no two ever write to the same file. */
export function stageOutputs(item: WorkItem, suffix: string): WorkItem {
  const outputs: Record<string, string> = {};
  for (const [name, path] of Object.entries(item.outputs)) {
    mkdirSync(dirname(path), { recursive: true });
    outputs[name] = path + suffix;
  }
  return { ...item, outputs };
}

export function checkOutputs(staged: WorkItem, item: WorkItem): void {
  for (const [name, path] of Object.entries(staged.outputs)) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() && stats.size > 0) continue;
    const isEmpty = stats?.isFile() === true;
    throw new StageError(
      'runtime',
      `the worker reported success but ${isEmpty ? 'wrote nothing into' : 'did not write a file as'} ${item.outputs[name]}`,
      { code: isEmpty ? 'OUTPUT_EMPTY' : 'OUTPUT_MISSING' },
    );
  }
}

export function discardOutputs(item: WorkItem, suffix: string): void {
  for (const path of Object.values(item.outputs)) {
    try {
      rmSync(path + suffix, { force: true, recursive: true });
    } catch {
      // The suffix names the run, so the next run removes it; the outcome of the item matters more.
    }
  }
}

export interface Staged {
  readonly item: WorkItem;
  readonly performed: Performed;
  readonly record: ItemRecord;
  readonly suffix: string;
}

/**
 * Renames outputs to their final paths. The bytes must be on disk before the names, the names and the fingerprint
 * before the manifest row; items that finish together share the syncs:
 *
 *   staged ─(sync)→ renamed, fingerprint written ─(sync)→ committed → row
 *
 * Without `durable` nothing is synced: a killed process still leaves nothing half done, a power cut may.
 */
export class OutputCommits {
  readonly #durable: boolean;
  readonly #runId: string;
  readonly #batches = new Batcher<Staged>((batch) => this.#commitAll(batch));

  constructor(options: { readonly durable: boolean; readonly runId: string }) {
    this.#durable = options.durable;
    this.#runId = options.runId;
  }

  /** Undefined when the outputs are committed, otherwise why they are not. */
  async commit(staged: Staged): Promise<BareError | undefined> {
    if (!this.#durable) return this.#rename(staged);
    try {
      await this.#batches.add(staged);
      return undefined;
    } catch (error) {
      return error as BareError;
    }
  }

  async #commitAll(batch: readonly Staged[]): Promise<Map<Staged, BareError>> {
    const failures = new Map<Staged, BareError>();
    const unsynced = await syncFiles(batch.flatMap(({ item, suffix }) => outputPaths(item, suffix)));
    for (const staged of batch) {
      const failure = firstFailure(outputPaths(staged.item, staged.suffix), unsynced);
      const error = failure ? this.#lose(staged, failure.error) : this.#rename(staged);
      if (error) failures.set(staged, error);
    }
    const renamed = batch.filter((staged) => !failures.has(staged));
    const unsafe = await syncFiles(renamed.map(({ item }) => fingerprintPath(item)));
    const folders = new Set(renamed.flatMap(({ item }) => outputPaths(item).map((path) => dirname(path))));
    for (const folder of folders) await syncFolder(folder).catch((error: unknown) => unsafe.set(folder, error));
    for (const staged of renamed) {
      const paths = outputPaths(staged.item).map((path) => dirname(path));
      const failure = firstFailure([fingerprintPath(staged.item), ...paths], unsafe);
      if (failure) failures.set(staged, this.#lose(staged, failure.error));
    }
    return failures;
  }

  /** The old fingerprint goes first and the new one comes last: after a kill nothing is wrongly trusted. */
  #rename(staged: Staged): BareError | undefined {
    const { item, performed, record, suffix } = staged;
    try {
      const { inputs, outputs } = performed;
      if (!inputs || !outputs) throw new Error('an item with outputs was performed without looking at its files');
      if (existsSync(fingerprintPath(item))) removeFingerprint(item);
      for (const path of outputPaths(item)) replaceFile(path + suffix, path);
      writeFingerprint(item, { inputs, outputs }, { run: this.#runId, record });
      return undefined;
    } catch (error) {
      discard(staged);
      const bare = classify(error);
      // An output path that cannot be written is not an input error.
      return withSpace(bare.category === 'input' ? { ...bare, category: 'runtime' } : bare, staged);
    }
  }

  /** After a failed sync it is unknown what the disk has, so the item is done again. */
  #lose(staged: Staged, error: unknown): BareError {
    discard(staged);
    return withSpace({ ...classify(error), category: 'transient', retryable: true }, staged);
  }
}

function outputPaths(item: WorkItem, suffix = ''): string[] {
  return Object.values(item.outputs).map((path) => path + suffix);
}

function firstFailure(
  paths: readonly string[],
  failures: ReadonlyMap<string, unknown>,
): { readonly error: unknown } | undefined {
  const failed = paths.find((path) => failures.has(path));
  return failed === undefined ? undefined : { error: failures.get(failed) };
}

function discard({ item, suffix }: Staged): void {
  try {
    removeFingerprint(item);
    discardOutputs(item, suffix);
  } catch {
    // On a disk that refuses even this, the temporary file names its run and is removed by the next run.
  }
}

function withSpace(error: BareError, { item }: Staged): BareError {
  if (!isDiskFull(error)) return error;
  const path = outputPaths(item)[0] ?? '';
  const message = `cannot write ${path}: ${error.message}, ${freeSpace(path)}`;
  return { ...error, category: 'runtime', retryable: false, message };
}
