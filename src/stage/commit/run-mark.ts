import { appendFileSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';

import type { Clock } from '../../base/index.ts';
import { FileLock, parseJson } from '../../base/index.ts';

/** Noted folders that are remembered; noting one twice does no harm. */
const REMEMBERED_FOLDERS = 1_024;

/**
 * Marks a run as alive, by a lock that the system releases when it dies, and records the folders it writes to. The next
 * run finds the marks of dead runs and removes their temporary files; it does not touch live runs.
 */
export class RunMark implements Disposable {
  readonly id = `${Date.now().toString(36)}${randomBytes(4).toString('hex')}`;
  readonly #folder: string;
  readonly #stage: string;
  readonly #durable: boolean;
  #lock: FileLock | undefined;
  readonly #noted = new Set<string>();
  #held: Disposable | undefined;
  /** Folders of dead runs, by run: cleaned at the start, and again at the end because their workers may live longer. */
  readonly #dead = new Map<string, readonly string[]>();
  readonly #clock: Clock;

  private constructor(folder: string, stage: string, clock: Clock, durable: boolean) {
    this.#folder = folder;
    this.#durable = durable;
    this.#stage = stage;
    this.#clock = clock;
  }

  static async open(manifestDir: string, stage: string, clock: Clock, durable = false): Promise<RunMark> {
    const folder = join(manifestDir, '.runs');
    mkdirSync(folder, { recursive: true });
    using guard = new FileLock(join(folder, 'guard.lock'), clock);
    const mark = new RunMark(folder, stage, clock, durable);
    // Created and locked under the guard, so that no other run takes it for a dead one.
    await guard.hold(() => {
      mark.#lock = new FileLock(mark.#path(mark.id, 'lock'), clock);
      mark.#held = mark.#lock.tryTake();
      for (const name of readdirSync(folder)) {
        const id = name.startsWith(`${stage}.`) && name.endsWith('.lock') ? name.slice(stage.length + 1, -5) : '';
        if (id === '' || id === mark.id || id.includes('.') || mark.isAlive(id)) continue;
        mark.#dead.set(id, mark.#foldersOf(id));
      }
    });
    mark.#sweep();
    return mark;
  }

  get deadRuns(): number {
    return this.#dead.size;
  }

  /** Suffix of an attempt's outputs until they are committed. */
  suffix(sequence: number, attempt: number): string {
    return `.${this.id}-${sequence.toString(36)}-${attempt}.part`;
  }

  /** Call before anything is written into the folder. */
  note(folder: string): void {
    if (this.#noted.has(folder)) return;
    if (this.#noted.size >= REMEMBERED_FOLDERS) this.#noted.clear();
    this.#noted.add(folder);
    this.#append(`${JSON.stringify(resolve(folder))}\n`);
  }

  isAlive(id: string): boolean {
    if (id === this.id) return true;
    const path = this.#path(id, 'lock');
    if (!existsSync(path)) return false;
    try {
      using lock = new FileLock(path, this.#clock);
      using taken = lock.tryTake();
      return taken === undefined;
    } catch (error) {
      // The run ended in between and removed its lock file.
      if (!existsSync(path)) return false;
      throw error;
    }
  }

  /** Ends the mark. With `leave` an abandoned item may still write: the mark stays, and the next run cleans up. */
  async end(leave: boolean): Promise<void> {
    this.#sweep();
    // Marks of dead runs are removed last: their workers may live a moment longer, and if this run is killed, the next one
    // must know of both.
    for (const id of this.#dead.keys()) this.#remove(id);
    using guard = new FileLock(join(this.#folder, 'guard.lock'), this.#clock);
    // Under the guard, so that a starting run does not see a mark that is being removed.
    await guard.hold(() => {
      this[Symbol.dispose]();
      if (!leave) this.#remove(this.id);
    });
  }

  [Symbol.dispose](): void {
    if (!this.#held) return;
    this.#held[Symbol.dispose]();
    this.#held = undefined;
    this.#lock?.[Symbol.dispose]();
  }

  /** With `durable`, on disk before anything is written to the folder: a power cut must not leave unknown files. */
  #append(line: string): void {
    appendFileSync(this.#path(this.id, 'folders'), line, { flush: this.#durable });
    if (this.#durable && this.#noted.size === 1) syncEntries(this.#folder);
  }

  #sweep(): void {
    const folders = new Set([...this.#dead.values()].flat());
    for (const folder of folders) {
      let names: string[];
      try {
        names = readdirSync(folder);
      } catch {
        continue; // The folder is gone, with everything in it.
      }
      for (const name of names) {
        const id = /\.([0-9a-z]+)-[0-9a-z]+-\d+\.part$/.exec(name)?.[1];
        if (id !== undefined && this.#dead.has(id)) rmSync(join(folder, name), { force: true, recursive: true });
      }
    }
  }

  #foldersOf(id: string): string[] {
    const path = this.#path(id, 'folders');
    if (!existsSync(path)) return [];
    return (
      readFileSync(path, 'utf8')
        .split('\n')
        .map(parseJson)
        // Others were torn by a kill: nothing was written into these folders yet.
        .filter((folder) => typeof folder === 'string')
    );
  }

  /** The lock file makes the mark visible, so it is removed last: a kill in between leaves a mark to clean up. */
  #remove(id: string): void {
    for (const kind of ['folders', 'lock']) rmSync(this.#path(id, kind), { force: true });
  }

  #path(id: string, kind: string): string {
    return join(this.#folder, `${this.#stage}.${id}.${kind}`);
  }
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
