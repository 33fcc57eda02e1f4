import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

import { Batcher, describeDiskError, renameFile, syncFiles, syncFolder } from '../base/index.ts';

interface Commit {
  readonly part: string;
  readonly path: string;
}

/**
 * Renames finished part files durably:  part → fdatasync → rename → fsync of the folder.  A file with its final name is
 * complete, whenever the process or the machine stops. Files that finish together share the sync of their folder.
 */
export class FileCommits {
  readonly #batches = new Batcher<Commit>(commitAll);

  /** Resolves when the file would survive a power cut under its final name. */
  commit(part: string, path: string): Promise<void> {
    return this.#batches.add({ part, path });
  }
}

async function commitAll(commits: readonly Commit[]): Promise<Map<Commit, unknown>> {
  const failures = new Map<Commit, unknown>();
  const unsynced = await syncFiles(commits.map(({ part }) => part));
  const isNew = new Set<Commit>();
  for (const commit of commits) {
    const { part, path } = commit;
    try {
      if (unsynced.has(part)) throw unsynced.get(part);
      if (!existsSync(path)) isNew.add(commit);
      renameFile(part, path);
    } catch (error) {
      failures.set(commit, describeDiskError(error, path));
    }
  }
  const renamed = commits.filter((commit) => !failures.has(commit));
  for (const [folder, group] of Map.groupBy(renamed, ({ path }) => dirname(path))) {
    try {
      await syncFolder(folder);
    } catch (error) {
      for (const commit of group) {
        // The work will be retried: a name that a power cut may remove must not look like a saved file.
        if (isNew.has(commit)) rmSync(commit.path, { force: true });
        failures.set(commit, describeDiskError(error, commit.path));
      }
    }
  }
  return failures;
}
