import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

import * as z from 'zod';

import type { Clock } from '../base/index.ts';
import { AppError, FileLock, hasCode, renameFile, sha256, systemClock } from '../base/index.ts';

const PART = '.part';
/** After this long the server most likely has another version. */
const KEPT_MS = 7 * 24 * 3_600_000;

const ORIGIN = z.object({
  work: z.string(),
  url: z.string(),
  /** Identifies a body, so that ranges of different versions are never joined. */
  version: z.object({
    /** A strong ETag. */
    etag: z.string(),
    /** Total bytes; undefined if the server did not say. */
    total: z.number().optional(),
    /** Final URL without the query, which may be a one-time signature. */
    place: z.string(),
  }),
});

/** The first bytes of an unfinished file; the hash detects damage before they are used. */
const BEGINNING = ORIGIN.extend({ bytes: z.int().positive(), sha256: z.string() });

export type Origin = z.infer<typeof ORIGIN>;
export type Version = Origin['version'];
export type Beginning = z.infer<typeof BEGINNING>;

const NOTE = '.note';

export function notePath(part: string): string {
  return part + NOTE;
}

function partName(name: string): string {
  return name.endsWith(NOTE) ? name.slice(0, -NOTE.length) : name;
}

/** Notes how much of a part is valid; the first line of a note says what the file is of. */
export function noteBeginning(part: string, mark: Pick<Beginning, 'bytes' | 'sha256'>, origin?: Origin): void {
  const lines = [...(origin ? [origin] : []), mark];
  appendFileSync(notePath(part), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

function readNote(part: string): Beginning | undefined {
  try {
    // A crash may have cut off the last line.
    const [first = '', ...marks] = readFileSync(notePath(part), 'utf8').split('\n').slice(0, -1);
    return BEGINNING.parse({ ...JSON.parse(first), ...JSON.parse(marks.at(-1) ?? '') });
  } catch {
    // Missing or torn: download from the start.
    return undefined;
  }
}

/**
 * Unfinished files until they are resumed or their work ends: parts with notes, named after work and URL. A process
 * takes one over by moving the note, so no two write to it; damage costs a download from the start.
 */
export class BegunFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Moves a part and its note here if it can be resumed; else removes it. */
  setAside(part: string): void {
    const note = readNote(part);
    if (note === undefined || !existsSync(part)) {
      removePart(part);
      return;
    }
    mkdirSync(this.#folder, { recursive: true });
    const path = this.#pathOf(note);
    renameFile(part, path);
    renameFile(notePath(part), notePath(path));
  }

  /** Moves an unfinished file to `part`; undefined if there is none. */
  take(work: string, url: string, part: string): Beginning | undefined {
    const path = this.#pathOf({ work, url });
    if (!moved(notePath(path), notePath(part))) return undefined;
    const note = moved(path, part) ? readNote(part) : undefined;
    if (note?.work === work && note.url === url) return note;
    removePart(part);
    return undefined;
  }

  /** Removes files of finished works, old files, and parts and notes without the other. */
  remove(isOver: (work: string) => boolean, now: number): void {
    if (!existsSync(this.#folder)) return;
    for (const part of new Set(readdirSync(this.#folder).map((name) => join(this.#folder, partName(name))))) {
      const note = existsSync(part) ? readNote(part) : undefined;
      const ageMs = now - (statSync(part, { throwIfNoEntry: false })?.mtimeMs ?? now);
      if (note === undefined || isOver(note.work) || ageMs > KEPT_MS) removePart(part);
    }
    if (readdirSync(this.#folder).length === 0) rmSync(this.#folder, { recursive: true, force: true });
  }

  #pathOf({ work, url }: Pick<Beginning, 'work' | 'url'>): string {
    return join(this.#folder, `${sha256(`${work}\n${url}`).slice(0, 32)}${PART}`);
  }
}

function removePart(part: string): void {
  rmSync(part, { force: true });
  rmSync(notePath(part), { force: true });
}

/** False if it is missing or another process was faster. */
function moved(from: string, to: string): boolean {
  if (!existsSync(from)) return false;
  try {
    renameFile(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

export const BEGUN_FOLDER = 'begun';
const LOCK = '.lock';
const TRIES = 10;

export interface PartFolder extends Disposable {
  readonly path: string;
}

/**
 * A process's folder for unverified bytes, beside a lock that the system releases when the process dies. The next
 * process to open one sets the unfinished files of abandoned folders aside and removes the rest.
 */
export function openPartFolder(root: string, clock: Clock = systemClock): PartFolder {
  mkdirSync(root, { recursive: true });
  sweep(root, clock);
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const path = join(root, `${process.pid.toString(36)}-${randomBytes(4).toString('hex')}`);
    const lock = new FileLock(path + LOCK, clock);
    const held = lock.tryTake();
    if (!held) {
      // Another process's clean-up has just taken it for abandoned.
      lock[Symbol.dispose]();
      continue;
    }
    mkdirSync(path);
    const stack = new DisposableStack();
    // Removed last, after it was released: Windows cannot remove an open file.
    stack.defer(() => rmSync(path + LOCK, { force: true, maxRetries: 3 }));
    stack.use(lock);
    stack.use(held);
    stack.defer(() => rmSync(path, { recursive: true, force: true }));
    return { path, [Symbol.dispose]: () => stack.dispose() };
  }
  throw new AppError('DOWNLOAD_FOLDER', `${root} cannot be used: its lock keeps being taken by other processes`, {
    hint: 'check for a process that restarts repeatedly on this folder',
  });
}

function sweep(root: string, clock: Clock): void {
  const names = readdirSync(root);
  const locks = names.filter((name) => name.endsWith(LOCK)).map((name) => name.slice(0, -LOCK.length));
  const living = new Set(locks.filter((name) => !clear(root, name, clock)));
  const isOfTheLiving = (name: string): boolean => [...living].some((owner) => name.startsWith(owner));
  for (const name of names)
    if (name !== BEGUN_FOLDER && !isOfTheLiving(name)) rmSync(join(root, name), { recursive: true, force: true });
}

/** Removes an abandoned folder and sets its unfinished files aside; false if its lock is held. */
function clear(root: string, name: string, clock: Clock): boolean {
  using lock = new FileLock(join(root, name + LOCK), clock);
  using held = lock.tryTake();
  if (!held) return false;
  const folder = join(root, name);
  const begun = new BegunFiles(join(root, BEGUN_FOLDER));
  for (const file of existsSync(folder) ? readdirSync(folder) : [])
    if (file.endsWith(NOTE)) begun.setAside(join(folder, partName(file)));
  rmSync(folder, { recursive: true, force: true });
  return true;
}
