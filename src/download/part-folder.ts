import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import type { Clock } from '../base/index.ts';
import { AppError, FileLock, systemClock } from '../base/index.ts';
import { BegunFiles, notePath } from './begun-files.ts';

/** Folder of unfinished files that can be resumed. */
export const BEGUN_FOLDER = 'begun';
const LOCK = '.lock';
const TRIES = 10;

/**
 * A process's folder for bytes not yet known to be a document, beside a lock that the operating system releases when
 * the process dies. The next process to open one can thus tell abandoned folders from active ones: unfinished files
 * are set aside, the rest is removed. A folder without a lock is abandoned.
 */
export class PartFolder implements Disposable {
  readonly path: string;
  readonly #lockPath: string;
  readonly #lock: FileLock;
  readonly #held: Disposable;

  private constructor(path: string, lock: FileLock, held: Disposable) {
    this.path = path;
    this.#lockPath = path + LOCK;
    this.#lock = lock;
    this.#held = held;
  }

  /** Opens a new folder below `root`, after cleaning up abandoned ones. */
  static open(root: string, clock: Clock = systemClock): PartFolder {
    mkdirSync(root, { recursive: true });
    sweep(root, clock);
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const path = join(root, `${process.pid.toString(36)}-${randomBytes(4).toString('hex')}`);
      const lock = new FileLock(path + LOCK, clock);
      const held = lock.tryTake();
      if (held) {
        mkdirSync(path);
        return new PartFolder(path, lock, held);
      }
      // Another process's clean-up has just taken it for abandoned.
      lock[Symbol.dispose]();
    }
    throw new AppError('DOWNLOAD_FOLDER', `${root} cannot be used: its lock keeps being taken by other processes`, {
      hint: 'check for a process that restarts repeatedly on this folder',
    });
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
    // Released before removal: Windows cannot remove an open file.
    this.#held[Symbol.dispose]();
    this.#lock[Symbol.dispose]();
    rmSync(this.#lockPath, { force: true, maxRetries: 3 });
  }
}

function sweep(root: string, clock: Clock): void {
  const names = readdirSync(root);
  const locks = names.filter((name) => name.endsWith(LOCK)).map((name) => name.slice(0, -LOCK.length));
  const living = new Set(locks.filter((name) => !clear(root, name, clock)));
  const isOfTheLiving = (name: string): boolean => [...living].some((owner) => name.startsWith(owner));
  for (const name of names)
    if (name !== BEGUN_FOLDER && !isOfTheLiving(name)) rmSync(join(root, name), { recursive: true, force: true });
}

/** Cleans up an abandoned folder; false if its lock is held. */
function clear(root: string, name: string, clock: Clock): boolean {
  using lock = new FileLock(join(root, name + LOCK), clock);
  using held = lock.tryTake();
  if (!held) return false;
  setAside(root, join(root, name));
  rmSync(join(root, name), { recursive: true, force: true });
  return true;
}

/** Sets unfinished files aside; only the holder of the lock does. */
function setAside(root: string, folder: string): void {
  if (!existsSync(folder)) return;
  const begun = new BegunFiles(join(root, BEGUN_FOLDER));
  const ending = notePath('');
  for (const name of readdirSync(folder))
    if (name.endsWith(ending)) begun.setAside(join(folder, name.slice(0, -ending.length)));
}
