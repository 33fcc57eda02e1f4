import { mkdtempDisposable, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { AppError } from '../../base/index.ts';
import type { StoredFiles } from './corpus-files.ts';

const MOST_NAMED = 1_000;

/** What a store has, compared with the log of its corpus; at most the first of each kind are named. */
export interface StoreCheck {
  /** Files of the log. */
  readonly files: number;
  /** Objects that the store lists. */
  readonly objects: number;
  /** Files whose objects the store does not have. */
  readonly missing: readonly string[];
  /** Files whose objects have other bytes. */
  readonly damaged: readonly string[];
  /** Objects that belong to no file and are older than the grace period. */
  readonly orphans: readonly string[];
  /** Objects that belong to no file but may belong to one that is being saved. */
  readonly young: number;
  readonly removed: number;
}

/** The log is authoritative. The listing of a store, which may be outdated, only serves to find orphans. */
export async function checkStore(
  files: StoredFiles,
  options: {
    /** Reads every object and compares its hash, not only its size. */
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
    // A replicated store may answer from a server that does not have it yet.
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
  for await (const { sha256, age } of objects.list(signal)) {
    listed += 1;
    if (files.isReferred(sha256)) continue;
    // A store that does not tell the time gives no age: its orphans stay.
    if (!(age >= options.graceMs)) {
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
