import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';

import type { Clock } from '../../base/index.ts';
import { FileLock } from '../../base/index.ts';

/** Folders remembered as noted; one that is met again after that is noted twice, which does no harm. */
const REMEMBERED_FOLDERS = 1_024;

/**
 * Says that a run is alive, by a lock the system releases when it dies, and which folders it writes to. The next run
 * finds the marks of dead ones and removes what they left beside their outputs; marks of live runs are left as they are.
 */
export class RunMark implements Disposable {
  readonly id = `${Date.now().toString(36)}${randomBytes(4).toString('hex')}`;
  readonly #folder: string;
  readonly #stage: string;
  readonly #durable: boolean;
  #lock: FileLock | undefined;
  readonly #noted = new Set<string>();
  #held: Disposable | undefined;
  /** Folders of dead runs, by run: swept at the start, and once more at the end in case somebody outlived them. */
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
    // Made and locked under the guard, so that nobody takes it for a dead one in between.
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

  /** How many killed runs were cleaned up after. */
  get deadRuns(): number {
    return this.#dead.size;
  }

  /** Where an attempt's outputs stand until they are committed. */
  suffix(sequence: number, attempt: number): string {
    return `.${this.id}-${sequence.toString(36)}-${attempt}.part`;
  }

  /** To be called before anything is written into the folder. */
  note(folder: string): void {
    if (this.#noted.has(folder)) return;
    if (this.#noted.size >= REMEMBERED_FOLDERS) this.#noted.clear();
    this.#noted.add(folder);
    this.#append(`${JSON.stringify(resolve(folder))}\n`);
  }

  /** Whether the run of that id still lives, in whatever process. */
  isAlive(id: string): boolean {
    if (id === this.id) return true;
    const path = this.#path(id, 'lock');
    if (!existsSync(path)) return false;
    try {
      using lock = new FileLock(path, this.#clock);
      using taken = lock.tryTake();
      return taken === undefined;
    } catch (error) {
      // It ended between the two looks, and took its lock's file with it.
      if (!existsSync(path)) return false;
      throw error;
    }
  }

  /** Ends the mark. With `leave`, some item may still write: the mark stays for the next run to clean up after. */
  async end(leave: boolean): Promise<void> {
    this.#sweep();
    // Marks of the dead go at the very end: their worker processes may outlive them by a moment, and if this run had been
    // killed, the next one would have to know of both.
    for (const id of this.#dead.keys()) this.#remove(id);
    using guard = new FileLock(join(this.#folder, 'guard.lock'), this.#clock);
    // Under the guard, so that a run that begins now does not look at a mark that is just going.
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

  /** With `durable` on the disk before anything that it tells of: a power cut must not leave what nobody knows of. */
  #append(line: string): void {
    const descriptor = openSync(this.#path(this.id, 'folders'), 'a');
    try {
      writeSync(descriptor, line);
      if (this.#durable) fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (this.#durable && this.#noted.size === 1) syncEntries(this.#folder);
  }

  #sweep(): void {
    const folders = new Set([...this.#dead.values()].flat());
    for (const folder of folders) {
      let names: string[];
      try {
        names = readdirSync(folder);
      } catch {
        continue; // The folder went away, and what stood in it too.
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
    return readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line) => {
        try {
          return line === '' ? [] : [JSON.parse(line) as string];
        } catch {
          return []; // Torn by the kill: nothing was written into a folder not yet noted.
        }
      });
  }

  /** The lock is what says that there is a mark, so it goes last: a kill in between leaves something to be found. */
  #remove(id: string): void {
    for (const kind of ['folders', 'lock']) rmSync(this.#path(id, kind), { force: true });
  }

  #path(id: string, kind: string): string {
    return join(this.#folder, `${this.#stage}.${id}.${kind}`);
  }
}

/** The lock and the note themselves must be found again; Windows cannot open a folder for it, and journals its names. */
function syncEntries(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
