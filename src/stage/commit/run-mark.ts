import { appendFileSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';

import type { Clock } from '../../base/index.ts';
import { FileLock, parseJson } from '../../base/index.ts';

/** Noted folders that are remembered; noting one twice does no harm. */
const REMEMBERED_FOLDERS = 1_024;

export interface RunMark extends Disposable {
  readonly id: string;
  readonly deadRuns: number;
  readonly isAlive: (id: string) => boolean;
  /** Suffix of an attempt's outputs until they are committed. */
  readonly suffix: (sequence: number, attempt: number) => string;
  /** Call before anything is written into the folder. */
  note(path: string): void;
  /** Ends the mark. With `leave` an abandoned item may still write: the mark stays, and the next run cleans up. */
  end(leave: boolean): Promise<void>;
}

/** A lock shows that a run is alive, and a list where it writes: the next run cleans up after dead ones. */
export async function openRunMark(
  manifestDir: string,
  stage: string,
  clock: Clock,
  durable: boolean,
): Promise<RunMark> {
  const ownId = `${Date.now().toString(36)}${randomBytes(4).toString('hex')}`;
  const folder = join(manifestDir, '.runs');
  const guardPath = join(folder, 'guard.lock');
  const pathOf = (id: string, kind: 'folders' | 'lock'): string => join(folder, `${stage}.${id}.${kind}`);
  const noted = new Set<string>();
  /** Folders of dead runs, by run: cleaned at the start, and again at the end because their workers may live longer. */
  const dead = new Map<string, readonly string[]>();

  const isAlive = (id: string): boolean => {
    if (id === ownId) return true;
    const path = pathOf(id, 'lock');
    if (!existsSync(path)) return false;
    try {
      using other = new FileLock(path, clock);
      using taken = other.tryTake();
      return taken === undefined;
    } catch (error) {
      // The run ended in between and removed its lock file.
      if (!existsSync(path)) return false;
      throw error;
    }
  };
  const foldersOf = (id: string): string[] => {
    const path = pathOf(id, 'folders');
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, 'utf8').split('\n').map(parseJson);
    // Others were torn by a kill: nothing was written into these folders yet.
    return lines.filter((line) => typeof line === 'string');
  };
  /** The lock file makes the mark visible, so it is removed last: a kill in between leaves a mark to clean up. */
  const remove = (id: string): void => {
    for (const kind of ['folders', 'lock'] as const) rmSync(pathOf(id, kind), { force: true });
  };
  const sweep = (): void => {
    for (const each of new Set([...dead.values()].flat())) {
      let names: string[];
      try {
        names = readdirSync(each);
      } catch {
        continue; // The folder is gone, with everything in it.
      }
      for (const name of names) {
        const id = /\.([0-9a-z]+)-[0-9a-z]+-\d+\.part$/.exec(name)?.[1];
        if (id !== undefined && dead.has(id)) rmSync(join(each, name), { force: true, recursive: true });
      }
    }
  };

  mkdirSync(folder, { recursive: true });
  using guard = new FileLock(guardPath, clock);
  // Created and locked under the guard, so that no other run takes it for a dead one.
  const held = await guard.hold(() => {
    const stack = new DisposableStack();
    const lock = stack.use(new FileLock(pathOf(ownId, 'lock'), clock));
    stack.use(lock.tryTake());
    for (const name of readdirSync(folder)) {
      const id = name.startsWith(`${stage}.`) && name.endsWith('.lock') ? name.slice(stage.length + 1, -5) : '';
      if (id !== '' && !id.includes('.') && !isAlive(id)) dead.set(id, foldersOf(id));
    }
    return stack;
  });
  sweep();

  return {
    id: ownId,
    deadRuns: dead.size,
    isAlive,

    suffix: (sequence: number, attempt: number): string => `.${ownId}-${sequence.toString(36)}-${attempt}.part`,

    note(path: string): void {
      if (noted.has(path)) return;
      if (noted.size >= REMEMBERED_FOLDERS) noted.clear();
      noted.add(path);
      // On disk before anything is written to the folder: a power cut must not leave unknown files.
      appendFileSync(pathOf(ownId, 'folders'), `${JSON.stringify(resolve(path))}\n`, { flush: durable });
      if (durable && noted.size === 1) syncEntries(folder);
    },

    async end(leave: boolean): Promise<void> {
      sweep();
      // Marks of dead runs are removed last: their workers may live a moment longer, and if this run is killed, the
      // next one must know of both.
      for (const id of dead.keys()) remove(id);
      using again = new FileLock(guardPath, clock);
      // Under the guard, so that a starting run does not see a mark that is being removed.
      await again.hold(() => {
        held.dispose();
        if (!leave) remove(ownId);
      });
    },

    [Symbol.dispose]: (): void => held.dispose(),
  };
}

/** Makes the mark's own files survive a power cut. Windows cannot open a folder for this; NTFS journals names. */
function syncEntries(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
