import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { renameFile, sha256 } from '../base/index.ts';
import type { Beginning } from './beginning.ts';
import { notePath, readNote } from './beginning.ts';

const PART = '.part';
/** A server that is asked for the rest after this long has most likely another version. */
const KEPT_MS = 7 * 24 * 3_600_000;

/**
 * Beginnings of files that broke off or whose process died, until somebody goes on with them or their work is over. Each is
 * a part file and its note, named after work and URL. Whoever moves the note into a folder of its own has the part, so
 * that no two write one; whatever goes wrong between is noticed by the hash in the note, and costs a fetch from the start.
 *
 *   part in a process's folder ──set aside──▶ here ──taken──▶ part in another's folder
 */
export class BegunFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Moves a part and its note here, if there is something to go on from; else removes it. */
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

  /** Moves what there is of a file to `part`, for nobody else to have; undefined when there is nothing. */
  take(work: string, url: string, part: string): Beginning | undefined {
    const path = this.#pathOf({ work, url });
    if (!moved(notePath(path), notePath(part))) return undefined;
    const note = moved(path, part) ? readNote(part) : undefined;
    if (note?.work === work && note.url === url) return note;
    removePart(part);
    return undefined;
  }

  /** Removes what nobody will go on with: of works that are over, of long ago, and parts without a note. */
  remove(isOver: (work: string) => boolean, now: number): void {
    if (!existsSync(this.#folder)) return;
    for (const name of readdirSync(this.#folder)) {
      if (!name.endsWith(PART)) continue;
      const part = join(this.#folder, name);
      const note = readNote(part);
      if (note === undefined || isOver(note.work) || isOlder(part, now - KEPT_MS)) removePart(part);
    }
    for (const name of readdirSync(this.#folder)) {
      const part = join(this.#folder, name.slice(0, -notePath('').length));
      if (!name.endsWith(PART) && !existsSync(part)) rmSync(join(this.#folder, name), { force: true });
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

function isOlder(path: string, moment: number): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? moment) < moment;
}

/** False when it is not there, or somebody was quicker. */
function moved(from: string, to: string): boolean {
  if (!existsSync(from)) return false;
  try {
    renameFile(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
