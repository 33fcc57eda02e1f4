import { mkdtempDisposable, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Clock } from '../../base/index.ts';
import { AppError } from '../../base/index.ts';
import type { SharedFiles } from './shared-files.ts';

/** What a comparison of the store with the log has found. */
export interface StoreCheck {
  /** Files that the log names. */
  readonly files: number;
  readonly objects: number;
  readonly missing: readonly string[];
  readonly damaged: readonly string[];
  /** Objects that no file of the corpus is, older than the grace period; a younger one may belong to a file just being saved. */
  readonly orphans: readonly string[];
  readonly young: number;
  readonly removed: number;
}

const MOST_NAMED = 1_000;

/**
 * Compares the objects of a store with what the log says. The log is right: each of its files is asked for by its hash, and
 * a listing, which may be behind, only serves to find orphans.
 */
export async function checkStore(
  files: SharedFiles,
  options: {
    readonly clock: Clock;
    /** Reads every object and compares its hash, instead of its size alone. */
    readonly verify: boolean;
    readonly repair: boolean;
    readonly graceMs: number;
  },
  signal?: AbortSignal,
): Promise<StoreCheck> {
  const { objects } = files;
  const missing: string[] = [];
  const damaged: string[] = [];
  const orphans: string[] = [];
  const name = (list: string[], each: string): void => void (list.length < MOST_NAMED && list.push(each));
  let [count, listed, young, removed] = [0, 0, 0, 0];
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-check-'));
  for (const { path, ...object } of files.below('')) {
    signal?.throwIfAborted();
    count += 1;
    let bytes = await objects.head(object.sha256, signal);
    // A store of several servers may answer from one that does not have it yet.
    for (let again = 0; again < 2; again += 1) bytes ??= await objects.head(object.sha256, signal);
    if (bytes === undefined) name(missing, path);
    else if (bytes !== object.bytes) name(damaged, path);
    else if (options.verify) {
      const copy = join(folder.path, 'copy');
      try {
        await objects.get(object, copy, signal);
        await rm(copy);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'OBJECT_DAMAGED') throw error;
        name(damaged, path);
      }
    }
  }
  for await (const { sha256, at } of objects.list(signal)) {
    listed += 1;
    if (files.isReferred(sha256)) continue;
    if (!(options.clock.now() - at >= options.graceMs)) {
      young += 1;
      continue;
    }
    name(orphans, sha256);
    if (!options.repair) continue;
    await objects.remove(sha256, signal);
    removed += 1;
  }
  return { files: count, objects: listed, missing, damaged, orphans, young, removed };
}
