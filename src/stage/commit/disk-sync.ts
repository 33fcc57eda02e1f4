import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

import { syncFolder } from '../../base/index.ts';

/** Up to this many files are synced here, one by one; above it, programs that do nothing else are cheaper. */
const FEW_FILES = 16;
/** Syncs under way at once in this process: the disk joins them, and libuv has four threads. */
const SYNCS_AT_ONCE = 4;
/** Programs that sync at once: a disk answers all that wait with one flush, so many waiting cost little more than one. */
const LANES = 32;
/** What a file costs in that many lanes until it has been measured. */
const FILE_MS = 0.25;
/** What is remembered of a pass fades, so that one slow pass is no verdict for ever. */
const FADING = 0.8;

/**
 * Makes files and folder entries survive a power cut, a group at a time. Two ways are open to a large group, and the
 * one that was cheaper lately is taken: a pass over the whole file system (Node has no syncfs; coreutils' `sync -f`
 * is that call), which is best until others write much to the same disk, and every file by itself, many at once.
 */
export class DiskSync {
  #passMs: number;
  #fileMs = FILE_MS;
  #hasPrograms = process.platform === 'linux';

  /** `passMs` is what a pass is believed to cost before there was one. */
  constructor(passMs = 0) {
    this.#passMs = passMs;
  }

  async sync(files: readonly string[], folders: ReadonlySet<string>): Promise<void> {
    if (files.length > FEW_FILES && this.#hasPrograms && (await this.#byPrograms(files, folders))) return;
    await each(files, syncFile);
    await each([...folders], syncFolder);
  }

  /** False when the system has no such programs; an error of the disk is thrown. */
  async #byPrograms(files: readonly string[], folders: ReadonlySet<string>): Promise<boolean> {
    const startedAt = performance.now();
    try {
      if (this.#passMs <= this.#fileMs * files.length) {
        await syncFileSystems([...files.map((file) => dirname(file)), ...folders]);
        this.#passMs = performance.now() - startedAt;
        return true;
      }
      await syncInLanes(files);
      this.#fileMs = (performance.now() - startedAt) / files.length;
      this.#passMs *= FADING;
      await each([...folders], syncFolder);
      return true;
    } catch (error) {
      const { code, stderr } = error as { readonly code?: unknown; readonly stderr?: string };
      // Not there at all, not found by xargs, or of another make.
      if (code !== 'ENOENT' && code !== 127 && !/invalid option|unrecognized|usage/i.test(stderr ?? '')) throw error;
      this.#hasPrograms = false;
      return false;
    }
  }
}

async function syncFileSystems(folders: readonly string[]): Promise<void> {
  const byDevice = new Map<number, string>();
  for (const folder of new Set(folders)) byDevice.set(statSync(folder).dev, folder);
  await run('sync', ['-f', '--', ...byDevice.values()]);
}

async function syncInLanes(files: readonly string[]): Promise<void> {
  const share = String(Math.min(256, Math.ceil(files.length / LANES)));
  await run('xargs', ['-0', '-P', String(LANES), '-n', share, 'sync', '-d', '--'], files.join('\0'));
}

function run(program: string, parameters: readonly string[], input?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, parameters, (error, _stdout, stderr) => {
      if (error) reject(Object.assign(error, { stderr }));
      else resolve();
    });
    // A program that ends before it has read everything says why by its exit.
    child.stdin?.on('error', () => undefined).end(input);
  });
}

async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  await file.datasync();
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
