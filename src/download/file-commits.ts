import { closeSync, existsSync, fdatasync, fsync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

import { describeDiskError, renameFile } from '../base/index.ts';

const syncData = promisify(fdatasync);
const syncAll = promisify(fsync);

/** Concurrent syncs: one fewer than Node's threads, so that DNS lookups need not wait. */
const SYNCS_AT_ONCE = 3;
/** While others are syncing, up to this many finished files wait to be renamed together. */
const GROUP = 8;

interface Commit {
  readonly part: string;
  readonly path: string;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Renames finished part files durably. Files are synced a few at a time; those that are ready are renamed together,
 * and each folder is synced once for all. A file with its final name is complete, whenever the process or the machine
 * stops.  part → fdatasync → rename → fsync of the folder.
 */
export class FileCommits {
  #waiting: Commit[] = [];
  #ready: Commit[] = [];
  #syncing = 0;
  #naming = false;

  /** Resolves when the file would survive a power cut under its final name. */
  commit(part: string, path: string): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ part, path, done, failed });
      if (this.#syncing < SYNCS_AT_ONCE) void this.#syncFiles();
    });
  }

  async #syncFiles(): Promise<void> {
    this.#syncing += 1;
    for (let commit = this.#waiting.shift(); commit; commit = this.#waiting.shift()) {
      try {
        await syncFile(commit.part);
        this.#ready.push(commit);
      } catch (error) {
        commit.failed(describeDiskError(error, commit.path));
      }
      if (this.#ready.length >= GROUP && !this.#naming) void this.#nameFiles();
    }
    this.#syncing -= 1;
    if (this.#syncing === 0 && !this.#naming) void this.#nameFiles();
  }

  async #nameFiles(): Promise<void> {
    this.#naming = true;
    while (this.#ready.length >= GROUP || (this.#ready.length > 0 && this.#syncing === 0)) {
      const group = this.#ready;
      this.#ready = [];
      const named = group.flatMap(rename);
      for (const [folder, commits] of Map.groupBy(named, ({ path }) => dirname(path))) {
        try {
          await syncEntries(folder);
          for (const { done } of commits) done();
        } catch (error) {
          for (const { failed, path, isNew } of commits) {
            // The work will be retried: a name that a power cut may remove must not look like a saved file.
            if (isNew) rmSync(path, { force: true });
            failed(describeDiskError(error, path));
          }
        }
      }
    }
    this.#naming = false;
  }
}

async function syncFile(path: string): Promise<void> {
  const descriptor = openSync(path, 'r+');
  try {
    await syncData(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function rename(commit: Commit): (Commit & { readonly isNew: boolean })[] {
  const { part, path, failed } = commit;
  try {
    const isNew = !existsSync(path);
    renameFile(part, path);
    return [{ ...commit, isNew }];
  } catch (error) {
    failed(describeDiskError(error, path));
    return [];
  }
}

/** Makes new names in a folder durable. Windows cannot open a folder for this; NTFS journals the rename. */
async function syncEntries(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    await syncAll(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
