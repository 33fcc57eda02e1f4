import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

import { syncFolder } from '../base/index.ts';

const run = promisify(execFile);

/** Up to this many files are synced one by one; above it, asking for the whole file system once is cheaper. */
const FEW_FILES = 16;
/** Syncs under way at once: the disk joins them, and libuv has four threads. */
const SYNCS_AT_ONCE = 4;

/**
 * Makes files and folder entries survive a power cut, a group at a time. Node has no syncfs; coreutils' `sync -f`
 * is that call, and where it is missing every file is synced by itself.
 */
export class DiskSync {
  #wholeFileSystem = process.platform === 'linux';

  async sync(files: readonly string[], folders: ReadonlySet<string>): Promise<void> {
    if (files.length > FEW_FILES && this.#wholeFileSystem && (await this.#syncFileSystems(files))) return;
    await each(files, syncFile);
    await each([...folders], syncFolder);
  }

  /** False when the system has no such call; an error of the disk is thrown. */
  async #syncFileSystems(files: readonly string[]): Promise<boolean> {
    const byDevice = new Map<number, string>();
    for (const folder of new Set(files.map((file) => dirname(file)))) byDevice.set(statSync(folder).dev, folder);
    try {
      await run('sync', ['-f', '--', ...byDevice.values()]);
      return true;
    } catch (error) {
      const { code, stderr } = error as { readonly code?: unknown; readonly stderr?: string };
      if (code !== 'ENOENT' && !/invalid option|unrecognized|usage/i.test(stderr ?? '')) throw error;
      this.#wholeFileSystem = false;
      return false;
    }
  }
}

async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  await file.sync();
}

async function each(paths: readonly string[], work: (path: string) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let path = paths[next]; path !== undefined; path = paths[next]) {
      next += 1;
      await work(path);
    }
  };
  await Promise.all(Array.from({ length: Math.min(SYNCS_AT_ONCE, paths.length) }, lane));
}
